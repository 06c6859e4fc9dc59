//! What a session finds when it wakes: turns that were running when their object died.

use super::Session;
use super::ports::{Ports, To};
use crate::chat::protocol::{ServerFrame, WireMessage, failure_text};
use crate::id::MessageId;
use crate::llm::Usage;
use crate::store::sql::StoreError;
use crate::store::turns::{self, Ending, State};

/// A turn is begun at most this often without anybody asking: a turn that kills its object must not do so forever.
const MAX_ATTEMPTS: u32 = 3;

/// Why such a turn failed.
const INTERRUPTED: &str = "interrupted";

impl<P: Ports> Session<P> {
    /// Closes or requeues running turns without an owner. Cheap when there is nothing to do; idempotent.
    ///
    /// A turn of which the user has read something is not begun again, because the second answer would replace
    /// what was read: it ends as interrupted, keeps what was said, and can be retried.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        if self.recovered.replace(true) {
            return Ok(());
        }
        let result = self.take_over();
        // What was not taken over would stay running for ever, and nothing behind it would run.
        self.recovered.set(result.is_ok());
        result
    }

    fn take_over(&self) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        for turn in turns::open_turns(sql)? {
            let mine = self.running.borrow().as_ref().is_some_and(|running| running.turn == turn.id);
            if turn.state != State::Running || mine {
                continue;
            }
            let mut said = turns::saved_deltas(sql, &turn.id)?.concat();
            if !said.is_empty() && self.was_forgotten_in(&turn.id)? {
                said.clear();
                self.ask_to_scrub(false)?;
            } else if said.is_empty() && turn.attempts < MAX_ATTEMPTS {
                turns::requeue(sql, &turn.id)?;
                continue;
            }
            let now = self.ports.now();
            let reply = MessageId::new(self.ports.random());
            let ending = Ending {
                state: State::Failed,
                code: Some(INTERRUPTED),
                reply: (!said.is_empty()).then_some((&reply, said.as_str(), Some("failed"))),
                usage: Usage::default(),
                now,
            };
            if !self.close(&turn, &ending)? {
                continue;
            }
            self.ports.log("turn_interrupted", &[("turn", turn.id.to_string())]);
            // Built and not read back: between the durable end and its frame nothing may fail.
            let failed = ServerFrame::Failed {
                turn: turn.id.as_str(),
                code: INTERRUPTED,
                message: failure_text(INTERRUPTED),
                retryable: true,
                reply: ending.reply.map(|reply| WireMessage::of_reply(&turn, reply, now)),
            };
            self.send(To::Thread(&turn.thread), &failed);
            self.arm()?;
        }
        Ok(())
    }
}
