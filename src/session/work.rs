//! Memory work: jobs that are due, one after the other, never on a reply's path.

use super::Session;
use super::ports::Ports;
use crate::id::ThreadId;
use crate::store::sql::StoreError;
use crate::store::turns::{State, Turn};
use crate::time::Millis;

impl<P: Ports> Session<P> {
    /// Removes what was derived from a thread's messages, in the transaction that removes them.
    pub(super) fn forget_thread_text(&self, _thread: &ThreadId) -> Result<(), StoreError> {
        Ok(())
    }

    /// Asks, in the transaction that ends a turn, for what should follow it.
    pub(super) fn ask_for_memory_work(
        &self,
        _turn: &Turn,
        _state: State,
        _now: Millis,
    ) -> Result<(), StoreError> {
        Ok(())
    }
}
