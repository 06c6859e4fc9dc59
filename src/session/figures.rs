//! What an operator counts: turns, refusals, failed jobs, how far the mirrors are behind.
//!
//! Invariant: kinds, codes and numbers; never a text of a user's, never who. A figure is a courtesy: it is written
//! after the fact, may be lost, and nothing depends on it.

use super::Session;
use super::ports::Ports;
use crate::chat::protocol::Timing;
use crate::llm::Usage;
use crate::store::mirrors;
use crate::store::sql::StoreError;
use crate::store::turns::{State, Turn};

/// One measurement. The order of `numbers` is part of the contract with stored data: new ones go to the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<'a> {
    /// `turn`, `refusal`, `job_failed`, `mirror` or `daily`.
    pub kind: &'a str,
    /// Codes; empty where there is none.
    pub labels: [&'a str; 2],
    pub numbers: &'a [(&'a str, i64)],
}

impl<P: Ports> Session<P> {
    /// A turn has ended, with its state and the code of a failure.
    pub(super) fn count_turn(
        &self,
        turn: &Turn,
        state: State,
        code: Option<&str>,
        timing: &Timing,
        used: Usage,
    ) {
        let numbers = [
            ("queued_ms", timing.queued_ms),
            ("recall_ms", timing.recall_ms),
            ("first_token_ms", timing.first_token_ms),
            ("total_ms", timing.total_ms),
            ("prompt_tokens", used.prompt_tokens.into()),
            ("completion_tokens", used.completion_tokens.into()),
        ];
        let code = code.unwrap_or_default();
        let mut fields = vec![
            ("turn", turn.id.to_string()),
            ("state", state.as_str().to_owned()),
            ("code", code.to_owned()),
        ];
        fields.extend(numbers.iter().map(|(name, number)| (*name, number.to_string())));
        self.ports.log("turn_ended", &fields);
        self.ports.measure(&Figure { kind: "turn", labels: [state.as_str(), code], numbers: &numbers });
    }

    /// Something that was sent was not taken.
    pub(super) fn count_refusal(&self, code: &str) {
        self.ports.measure(&Figure { kind: "refusal", labels: [code, ""], numbers: &[] });
    }

    /// Memory work failed and will be tried again.
    pub(super) fn count_failed_job(&self, kind: &str, code: &str) {
        self.ports.measure(&Figure { kind: "job_failed", labels: [kind, code], numbers: &[] });
    }

    /// How far the mirrors are behind, after a pass.
    pub(super) fn count_mirrors(&self) -> Result<(), StoreError> {
        let now = self.ports.now();
        for state in mirrors::state(self.ports.sql())?.iter().filter(|state| state.bound) {
            let lag = state.oldest.map_or(0, |oldest| now.since(oldest).max(0));
            let numbers = [
                ("lag_ms", lag),
                ("pending", state.pending as i64),
                ("parked", state.parked as i64),
                ("unconfirmed", state.unconfirmed as i64),
            ];
            let failing = if state.next_at.is_some() { "failing" } else { "" };
            let labels = [state.mirror.as_str(), failing];
            self.ports.measure(&Figure { kind: "mirror", labels, numbers: &numbers });
        }
        Ok(())
    }
}
