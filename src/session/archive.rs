//! What imports leave to be done: making the archive searchable, and extracting facts from it where that was asked for.
//!
//! Invariant: neither holds up a conversation. Indexing gives way after every batch; extraction takes no more than half
//! of a day's tokens, counted with everything else that day has cost, and goes on the next day.

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::memory::calls::BATCH;
use crate::store::sql::{StoreError, atomic};
use crate::store::{archive, index, usage};
use crate::time::{DAY, HOUR, Millis};

/// Messages that are indexed before other events may come in: some tens of milliseconds.
const INDEXED_AT_ONCE: u32 = 25;

impl<P: Ports> Session<P> {
    /// Makes imported messages searchable.
    pub(super) async fn index_archive(&self) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let waiting = archive::to_index(sql, INDEXED_AT_ONCE)?;
        atomic(sql, || {
            for message in &waiting {
                if !message.excluded {
                    index::put_message(sql, message.seq, &message.thread, message.created_at, &message.text)?;
                }
                archive::indexed(sql, &message.id)?;
            }
            if !waiting.is_empty() {
                self.ask_for_vectors(self.ports.now())?;
            }
            Ok(())
        })?;
        self.ports.sleep(0).await;
        Ok(if waiting.len() == INDEXED_AT_ONCE as usize { Worked::More } else { Worked::Done })
    }

    /// Extracts facts from imported messages of the user, a few at a time.
    pub(super) async fn extract_archive(&self) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let now = self.ports.now();
        let waiting = archive::to_study(sql, BATCH)?;
        let Some(thread) = waiting.first().map(|message| message.thread.clone()) else {
            return Ok(Worked::Done);
        };
        let used = usage::on_day(sql, now)?.tokens();
        if used.saturating_mul(2) >= i64::from(self.config.limits.daily_token_budget) {
            let tomorrow = Millis((now.0 / DAY + 1) * DAY);
            return Ok(Worked::Later(tomorrow.plus(i64::from(self.dice()) % HOUR)));
        }
        self.extract_from(&thread, waiting).await
    }
}
