//! What a client's frame does.

use super::Session;
use super::ports::{Ports, To};
use crate::chat::protocol::{
    self, ClientFrame, Refusal, ServerFrame, Timing, WireMessage, WireUsage, failure_text, refuse,
};
use crate::http::problem::Problem;
use crate::id::{ClientId, MessageId, ThreadId, TurnId};
use crate::store::sql::{StoreError, atomic};
use crate::store::turns::{Ending, NewTurn, Opened, Reopened, State, Turn};
use crate::store::{index, messages, turns};

/// A turn that is durable.
pub(super) struct Opening {
    pub turn: Turn,
    /// How many turns it waits behind.
    pub position: usize,
    pub repeated: bool,
}

/// Why nothing was written.
pub(super) enum NotOpened {
    UnknownThread,
    /// Who has used up what a day allows, or is switched off.
    Refused(Problem),
    QueueFull,
}

impl<P: Ports> Session<P> {
    /// Takes one frame from a connection of `thread`. Returns when the frame's work is done, which for a send may
    /// be when the queue is empty; other frames are taken meanwhile.
    pub async fn receive(&self, connection: &str, thread: &ThreadId, raw: &str) -> Result<(), StoreError> {
        self.recover()?;
        if raw == protocol::PING {
            self.ports.peers().send(To::One(connection), protocol::PONG);
            return Ok(());
        }
        let frame = protocol::parse(raw, self.config.limits.max_message_chars);
        // Whoever has asked too much may still stop what runs.
        let admitted = match &frame {
            Ok(ClientFrame::Stop { .. }) => Ok(()),
            Ok(ClientFrame::Send { id, .. }) => self.admit_frame(Some(id.as_str())),
            Ok(_) => self.admit_frame(None),
            Err(refusal) => self.admit_frame(refusal.id.as_deref()),
        };
        let result = match admitted.and(frame) {
            Err(refusal) => Err(refusal),
            Ok(ClientFrame::Send { id, text }) => self.accept(connection, thread, &id, &text)?,
            Ok(ClientFrame::Stop { turn }) => self.stop(&turn)?,
            Ok(ClientFrame::Retry { turn }) => self.retry(&turn)?,
            Ok(ClientFrame::Resume { turn, after }) => self.resume(connection, &turn, after)?,
        };
        if let Err(refusal) = result {
            self.refuse(connection, &refusal);
        }
        self.pump().await
    }

    /// Tells a connection that something it sent is not taken.
    pub fn refuse(&self, connection: &str, refusal: &Refusal) {
        let id = refusal.id.as_deref();
        let frame = ServerFrame::Error { code: refusal.code, message: &refusal.message, id };
        self.send(To::One(connection), &frame);
        self.count_refusal(refusal.code);
    }

    fn accept(
        &self,
        connection: &str,
        thread: &ThreadId,
        id: &ClientId,
        text: &str,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let Opening { turn, position, repeated } = match self.open_turn(thread, id, text)? {
            Ok(opening) => opening,
            Err(refused) => {
                let id = Some(id.to_string());
                return Ok(Err(match refused {
                    NotOpened::UnknownThread => refuse("unknown_thread", "This thread was deleted.", id),
                    NotOpened::Refused(problem) => refuse(problem.code.as_str(), &problem.detail, id),
                    NotOpened::QueueFull => queue_full(id),
                }));
            }
        };
        let accepted = ServerFrame::Accepted {
            id: id.as_str(),
            turn: turn.id.as_str(),
            thread: turn.thread.as_str(),
            position,
            repeated,
        };
        self.send(To::One(connection), &accepted);
        if !repeated {
            self.tell_asked(To::Others(thread, connection), &turn, text);
        }
        Ok(Ok(()))
    }

    /// Makes a turn durable, or finds it by its client id.
    pub(super) fn open_turn(
        &self,
        thread: &ThreadId,
        id: &ClientId,
        text: &str,
    ) -> Result<Result<Opening, NotOpened>, StoreError> {
        let Some(place) = self.thread(thread)? else { return Ok(Err(NotOpened::UnknownThread)) };
        let settings = self.settings()?;
        let new = NewTurn {
            id: &TurnId::new(self.ports.random()),
            client_id: id,
            message: &MessageId::new(self.ports.random()),
            thread,
            text,
            teaches: settings.memory_mode.writes() && !place.temporary,
            now: self.ports.now(),
        };
        // A repeated send is answered even when the budget is used up: it was accepted before.
        let refused = self.refuses_turns()?;
        let queue_max = if refused.is_some() { 0 } else { self.config.limits.queue_max };
        Ok(match turns::open(self.ports.sql(), &new, queue_max)? {
            Opened::New { turn, position } => Ok(Opening { turn, position, repeated: false }),
            Opened::Repeated { turn, position } => Ok(Opening { turn, position, repeated: true }),
            Opened::QueueFull => Err(refused.map_or(NotOpened::QueueFull, NotOpened::Refused)),
        })
    }

    /// Tells tabs what was asked elsewhere.
    pub(super) fn tell_asked(&self, to: To<'_>, turn: &Turn, text: &str) {
        let message = WireMessage {
            id: turn.user_message.to_string(),
            role: "user",
            text: text.to_owned(),
            created_at: turn.accepted_at.to_rfc3339(),
            turn: Some(turn.id.to_string()),
            status: None,
            excluded: false,
        };
        self.send(to, &ServerFrame::User { turn: turn.id.as_str(), message });
    }

    fn stop(&self, id: &TurnId) -> Result<Result<(), Refusal>, StoreError> {
        let Some(turn) = turns::get(self.ports.sql(), id)? else { return Ok(Err(unknown_turn())) };
        match turn.state {
            State::Queued => {
                self.end_unstarted(&turn)?;
            }
            State::Running => self.stop_running(|running| running == id),
            // It ended by itself just before; its terminal frame is on the way or was sent.
            State::Done | State::Stopped | State::Failed => {}
        }
        Ok(Ok(()))
    }

    /// Stops the running turn if it is one of those; it ends as soon as its future is polled.
    pub(super) fn stop_running(&self, is_meant: impl Fn(&TurnId) -> bool) {
        if let Some(running) = self.running.borrow_mut().as_mut().filter(|running| is_meant(&running.turn))
            && let Some(stop) = running.stop.take()
        {
            // The receiver is gone only if the turn has just ended by itself.
            let _ = stop.send(());
        }
    }

    fn end_unstarted(&self, turn: &Turn) -> Result<(), StoreError> {
        let ending = Ending {
            state: State::Stopped,
            code: None,
            reply: None,
            usage: crate::llm::Usage::default(),
            now: self.ports.now(),
        };
        if self.close(turn, &ending)? {
            self.send(
                To::Thread(&turn.thread),
                &ServerFrame::Stopped { turn: turn.id.as_str(), message: None },
            );
            self.arm()?;
        }
        Ok(())
    }

    fn retry(&self, id: &TurnId) -> Result<Result<(), Refusal>, StoreError> {
        let sql = self.ports.sql();
        let Some(known) = turns::get(sql, id)? else { return Ok(Err(unknown_turn())) };
        if let Some(problem) = self.refuses_turns()? {
            return Ok(Err(refuse(problem.code.as_str(), &problem.detail, None)));
        }
        let reopened = atomic(sql, || {
            let reopened = turns::reopen(sql, id, self.config.limits.queue_max)?;
            if let Reopened::Waits { removed: Some(place), .. } = reopened {
                index::drop_message(sql, place)?;
            }
            Ok(reopened)
        })?;
        // Between the durable reopening and its frame nothing may fail.
        let (turn, position) = match reopened {
            Reopened::Waits { turn, position, .. } => (turn, position),
            Reopened::QueueFull => return Ok(Err(queue_full(None))),
            Reopened::NotEnded => {
                let message = "Only a stopped or failed turn can be retried.";
                return Ok(Err(refuse("not_retryable", message, None)));
            }
        };
        self.finished.borrow_mut().take_if(|(finished, _)| finished == id);
        let accepted = ServerFrame::Accepted {
            id: known.client_id.as_str(),
            turn: id.as_str(),
            thread: turn.thread.as_str(),
            position,
            repeated: true,
        };
        self.send(To::Thread(&turn.thread), &accepted);
        Ok(Ok(()))
    }

    fn resume(&self, connection: &str, id: &TurnId, after: u32) -> Result<Result<(), Refusal>, StoreError> {
        let Some(turn) = turns::get(self.ports.sql(), id)? else { return Ok(Err(unknown_turn())) };
        let to = To::One(connection);
        for (seq, text) in (1_u32..).zip(self.deltas(id)?) {
            if seq > after {
                self.send(to, &ServerFrame::Delta { turn: id.as_str(), seq, text: &text });
            }
        }
        self.tell_end(to, &turn)?;
        Ok(Ok(()))
    }

    /// Sends the terminal frame of a turn that has ended.
    pub(super) fn tell_end(&self, to: To<'_>, turn: &Turn) -> Result<(), StoreError> {
        let reply = match &turn.reply {
            Some(id) => messages::get(self.ports.sql(), id)?,
            None => None,
        };
        let message = reply.as_ref().map(WireMessage::from);
        let id = turn.id.as_str();
        match (turn.state, message) {
            (State::Done, Some(message)) => {
                let usage = WireUsage::from(turn.usage);
                let began = turn.started_at.unwrap_or(turn.accepted_at);
                let timing = Timing {
                    queued_ms: began.since(turn.accepted_at),
                    total_ms: turn.finished_at.unwrap_or(began).since(turn.accepted_at),
                    ..Timing::default()
                };
                self.send(to, &ServerFrame::Done { turn: id, message, usage, timing });
            }
            (State::Stopped, message) => self.send(to, &ServerFrame::Stopped { turn: id, message }),
            (State::Failed, reply) => {
                let code = turn.code.as_deref().unwrap_or("internal");
                self.send(
                    to,
                    &ServerFrame::Failed {
                        turn: id,
                        code,
                        message: failure_text(code),
                        retryable: code != "model_refused",
                        reply,
                    },
                );
            }
            // Open, or done with a reply that was deleted with its thread.
            _ => {}
        }
        Ok(())
    }
}

fn queue_full(id: Option<String>) -> Refusal {
    refuse("queue_full", "Too many messages wait already. Try again when one is answered.", id)
}

fn unknown_turn() -> Refusal {
    refuse("unknown_turn", "There is no such turn.", None)
}
