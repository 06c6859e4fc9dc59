//! What happens although nobody asks: the retention period, comparing the mirrors, and the end of an account.
//!
//! Invariant: each is a row that names when it is due, and goes on in steps of bounded size wherever it was broken off.

use std::pin::pin;

use futures::future::{Either, select};

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::mirror::ports::Table;
use crate::mirror::rows;
use crate::store::jobs::{self, JobKind};
use crate::store::mirrors::Mirror;
use crate::store::sql::{Sql, StoreError, atomic};
use crate::store::{facts, mirrors, renewal, retention, scrub, settings, threads};
use crate::time::{DAY, HOUR, MINUTE, Millis, SECOND};

/// Messages and facts that one step removes.
const MESSAGES_AT_ONCE: u32 = 100;
const FACTS_AT_ONCE: u32 = 20;
/// Each step of a scrub is a transaction of its own: the runtime ends one when something is waited for.
const SCRUB_PAUSE_MS: i64 = 5;
/// Deletions within this time are scrubbed together.
const SCRUBBED_EVERY_MS: i64 = 10 * SECOND;
/// And longer the more rows there are: each is written anew with some three rows of indexes and billed, so that whoever does
/// nothing but delete costs some 4 million rows a day.
const PAUSE_PER_ROW_MS: i64 = 80;
pub(super) const SCRUBBED_D1: &str = "d1";
/// Megabytes of zeros that go round D1's log, as in the object.
const SCRUB_D1_ROUNDS: usize = 9;
const SCRUB_D1_DEADLINE_MS: i64 = 10 * SECOND;
/// While D1 hasn't heard of a deletion, its scrub waits this long at a time.
const D1_LATE_MS: i64 = 2 * MINUTE;
/// Megabytes of zeros that one step writes, and that a deletion writes itself.
const FILLED_AT_ONCE: i64 = 4;
const FILLED_IN_PLACE: i64 = 64;
const NOT_BEFORE: &str = "scrub_not_before";
/// Some seconds of work, between which other jobs are done.
const STEPS_AT_ONCE: usize = 20;
/// The mirrors are compared with the object this often.
const RECONCILED_EVERY_MS: i64 = 7 * DAY;
/// A comparison that hangs is given up, and begins again later.
const RECONCILE_DEADLINE_MS: i64 = 2 * MINUTE;

impl<P: Ports> Session<P> {
    /// Removes what is older than the user's retention period, and comes back every day while there is one.
    pub(super) async fn retain(&self) -> Result<Worked, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let Some(days) = self.settings()?.retention_days else { return Ok(Worked::Done) };
        let before = now.plus(-i64::from(days).saturating_mul(DAY));
        let old = retention::old_facts(sql, before, FACTS_AT_ONCE)?;
        for fact in &old {
            self.forget_fact(fact, true)?;
            // Other events come in between two steps.
            self.ports.sleep(SCRUB_PAUSE_MS).await;
        }
        let removed = atomic(sql, || {
            scrub::measure(sql)?;
            let removed = retention::remove_messages(sql, before, MESSAGES_AT_ONCE)?;
            for thread in &removed {
                self.fold_again(thread, now)?;
            }
            if !removed.is_empty() {
                jobs::ask(sql, JobKind::Erase, "all", now, now)?;
                self.fill_freed()?;
            }
            Ok(removed)
        })?;
        for thread in retention::empty_threads(sql, before)? {
            self.drop_thread(&thread, false)?;
        }
        self.ports.sleep(SCRUB_PAUSE_MS).await;
        let is_over = old.is_empty() && removed.is_empty();
        Ok(if is_over { Worked::Later(now.plus(DAY)) } else { Worked::More })
    }

    /// A summary that was made from what is gone isn't used before it is folded again. `true` if there was one.
    pub(super) fn fold_again(&self, thread: &crate::id::ThreadId, now: Millis) -> Result<bool, StoreError> {
        let sql = self.ports.sql();
        let known = threads::get(sql, thread, now)?;
        if !known.is_some_and(|known| known.summary_stale || !known.summary.is_empty()) {
            return Ok(false);
        }
        threads::spoil_summary(sql, thread)?;
        jobs::ask(sql, JobKind::Fold, thread.as_str(), now, now)?;
        Ok(true)
    }

    /// Overwrites what was forgotten where it still lies in the object's file. Other events come in between two steps.
    pub(super) async fn scrub(&self) -> Result<Worked, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        if !renewal::is_under_way(sql)? {
            atomic(sql, || {
                scrub::begin(sql)?;
                let rows = renewal::begin(sql)?;
                let pause = SCRUBBED_EVERY_MS + rows.saturating_mul(PAUSE_PER_ROW_MS);
                settings::set(sql, NOT_BEFORE, &now.plus(pause).0.to_string())
            })?;
        }
        for _ in 0..STEPS_AT_ONCE {
            self.ports.sleep(SCRUB_PAUSE_MS).await;
            if !scrub::fill(sql, FILLED_AT_ONCE)? && !renewal::step(sql)? {
                return self.overwrite_log().await;
            }
        }
        Ok(Worked::More)
    }

    async fn overwrite_log(&self) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        for megabytes in scrub::rounds(sql) {
            self.ports.sleep(SCRUB_PAUSE_MS).await;
            scrub::refill(sql, megabytes)?;
        }
        self.ports.sleep(SCRUB_PAUSE_MS).await;
        scrub::empty(sql)?;
        Ok(Worked::Done)
    }

    /// Asks for a scrub, soon, but not after every one of many deletions. `messages` says that words of messages are gone.
    pub(super) fn ask_to_scrub(&self, messages: bool) -> Result<(), StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        self.fill_freed()?;
        if messages {
            settings::set(sql, renewal::MESSAGES_GONE, "1")?;
        }
        let not_before = settings::get(sql, NOT_BEFORE)?.and_then(|at| at.parse().ok()).map_or(now, Millis);
        let due = now.plus(SECOND).max(not_before).min(now.plus(DAY));
        jobs::ask(sql, JobKind::Scrub, "file", due, now)?;
        jobs::ask(sql, JobKind::Scrub, SCRUBBED_D1, due.plus(SECOND), now)
    }

    /// Writes zeros over the pages that were given free, before anything else takes them.
    pub(super) fn fill_freed(&self) -> Result<(), StoreError> {
        for megabytes in [FILLED_IN_PLACE, 1] {
            scrub::fill(self.ports.sql(), megabytes)?;
        }
        Ok(())
    }

    /// The same in the owner's D1, once it has heard of every deletion. Its rows are overwritten in their places; what is
    /// left is its log.
    pub(super) async fn scrub_d1(&self) -> Result<Worked, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let tables = self.ports.tables();
        let Some(table) = tables.get(rows::shard(&self.owner, tables.len())) else { return Ok(Worked::Done) };
        if mirrors::state(sql)?.iter().any(|state| state.mirror == Mirror::D1 && state.pending > 0) {
            return Ok(Worked::Later(now.plus(D1_LATE_MS)));
        }
        let [zeros, none] = [rows::zeros(&self.owner), rows::no_zeros(&self.owner)];
        let round = [none.clone(), zeros];
        for batch in std::iter::repeat_n(&round[..], SCRUB_D1_ROUNDS).chain([&[none][..]]) {
            let sent = pin!(table.batch(batch));
            let deadline = pin!(self.ports.sleep(SCRUB_D1_DEADLINE_MS));
            let answered = matches!(select(sent, deadline).await, Either::Left((Ok(_), _)));
            if !answered {
                return Ok(Worked::Failed("d1"));
            }
        }
        Ok(Worked::Done)
    }

    /// Compares the object with its mirrors, repairs what differs, and comes back in a week while there are facts.
    pub(super) async fn reconcile_by_and_by(&self) -> Result<Worked, StoreError> {
        let deadline = pin!(self.ports.sleep(RECONCILE_DEADLINE_MS));
        let found = match select(pin!(self.reconcile_mirrors()), deadline).await {
            Either::Left((found, _)) => Some(found?),
            Either::Right(_) => None,
        };
        let now = self.ports.now();
        let is_complete = found.as_ref().is_some_and(|found| found["complete"] == true);
        if let Some(found) = &found {
            self.ports.log("reconciled", &[("found", found["drift"].to_string())]);
        }
        if !is_complete {
            // The mirror's own error says why, in `/api/memory/mirrors`.
            return Ok(Worked::Later(now.plus(6 * HOUR + i64::from(self.dice()) % HOUR)));
        }
        if facts::count(self.ports.sql())? == 0 {
            return Ok(Worked::Done);
        }
        Ok(Worked::Later(now.plus(RECONCILED_EVERY_MS + i64::from(self.dice()) % DAY)))
    }

    /// Forgets everything, and then whose it was: settings, tokens, usage, tombstones. What stays until the mirrors
    /// are empty is the order to empty them.
    pub(super) fn close_account(&self) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        self.forget_everything()?;
        atomic(sql, || {
            for table in own_tables(sql)? {
                sql.exec(&format!("DELETE FROM \"{table}\""), &[])?;
            }
            settings::set(sql, "owner", self.owner.as_str())?;
            self.ask_to_scrub(true)
        })?;
        self.arm()
    }
}

/// Asks for the next comparison, if none is due. Call it where facts change.
pub(super) fn ask_to_reconcile(sql: &dyn Sql, now: Millis) -> Result<(), StoreError> {
    jobs::ask_once(sql, JobKind::Reconcile, "mirrors", now.plus(RECONCILED_EVERY_MS), now)
}

/// Tables that aren't emptied with an account: the schema's, and those that empty the mirrors.
const KEPT: &[&str] =
    &["schema_steps", "outbox", "mirrors", "mirror_epoch", "vectors", "left_shards", "receipts"];

/// Every table that can hold anything of the user's, whoever made it. The search index is emptied by its own words.
fn own_tables(sql: &dyn Sql) -> Result<Vec<String>, StoreError> {
    let rows = sql.exec(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
        &[],
    )?;
    let mut found = Vec::new();
    for row in &rows {
        let name = row.text(0)?;
        let is_engines = name.starts_with('_') || name.starts_with("sqlite_") || name.contains("_terms_");
        if !is_engines && !KEPT.contains(&name) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}
