//! Listeners: whoever waits for one answer without a WebSocket hears its words as they come.
//!
//! Invariant: a listener hears every delta of its turn once, and then one end. One that is gone changes nothing: the
//! turn is durable and goes on. A channel that closes without an end is a turn that was removed with its thread.

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

use super::Session;
use super::ports::Ports;
use crate::chat::protocol::{ServerFrame, WireMessage};
use crate::http::completions::Heard;
use crate::id::{ThreadId, TurnId};
use crate::llm::{Role, Usage};
use crate::store::messages::{self, Message};
use crate::store::sql::StoreError;
use crate::store::turns::{State, Turn};

pub(super) struct Listener {
    turn: TurnId,
    thread: ThreadId,
    tell: UnboundedSender<Heard>,
}

/// What a program brings along with a question. Kept in memory only: a turn that is run again after a restart, when
/// the program has gone, is answered without it.
#[derive(Clone, Debug)]
pub(super) struct Brought {
    pub instructions: String,
    /// The conversation that the program keeps, oldest first; `None` where the thread's own goes on.
    pub before: Option<Vec<(Role, String)>>,
}

impl<P: Ports> Session<P> {
    /// Hears a turn from its first word, also one that runs or has ended.
    pub(super) fn listen(&self, turn: &Turn) -> Result<UnboundedReceiver<Heard>, StoreError> {
        let (tell, hear) = unbounded();
        let say = |heard| {
            // The receiver is right here.
            let _ = tell.unbounded_send(heard);
        };
        if turn.state.is_open() {
            for text in self.deltas(&turn.id)? {
                say(Heard::Text(text));
            }
            let (turn, thread) = (turn.id.clone(), turn.thread.clone());
            self.listeners.borrow_mut().push(Listener { turn, thread, tell });
            return Ok(hear);
        }
        let reply = turn.reply.as_ref().map_or(Ok(None), |id| messages::get(self.ports.sql(), id))?;
        let is_truncated = reply.as_ref().is_some_and(|reply| reply.status.as_deref() == Some("truncated"));
        if let Some(Message { text, .. }) = reply {
            say(Heard::Text(text));
        }
        say(match turn.state {
            State::Failed => {
                Heard::Failed { code: turn.code.clone().unwrap_or_else(|| "internal".to_owned()) }
            }
            _ => Heard::Done { usage: turn.usage.into(), is_truncated },
        });
        Ok(hear)
    }

    /// Tells listeners what tabs are told.
    pub(super) fn tell_listeners(&self, frame: &ServerFrame<'_>) {
        if self.listeners.borrow().is_empty() {
            return;
        }
        let truncated = |message: &WireMessage| message.status.as_deref() == Some("truncated");
        let (turn, heard) = match frame {
            ServerFrame::Delta { turn, text, .. } => (*turn, Heard::Text((*text).to_owned())),
            ServerFrame::Done { turn, message, usage, .. } => {
                (*turn, Heard::Done { usage: *usage, is_truncated: truncated(message) })
            }
            ServerFrame::Stopped { turn, .. } => {
                (*turn, Heard::Done { usage: Usage::default().into(), is_truncated: false })
            }
            ServerFrame::Failed { turn, code, .. } => (*turn, Heard::Failed { code: (*code).to_owned() }),
            _ => return,
        };
        let is_end = !matches!(heard, Heard::Text(_));
        self.listeners.borrow_mut().retain(|listener| {
            listener.turn.as_str() != turn || (listener.tell.unbounded_send(heard.clone()).is_ok() && !is_end)
        });
    }

    /// Lets go of those who listen to a thread that goes, or of all.
    pub(super) fn drop_listeners(&self, thread: Option<&ThreadId>) {
        self.listeners.borrow_mut().retain(|listener| thread.is_some_and(|gone| listener.thread != *gone));
    }
}
