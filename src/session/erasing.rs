//! Deleting a conversation: out of sight when it is answered, erased behind the answer.
//!
//! Invariant: whatever is left to do is a row of [`leaving`] and one job, so that an eviction in between only delays it.

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::id::ThreadId;
use crate::store::jobs::{self, JobKind};
use crate::store::leaving::{self, Waiting};
use crate::store::sql::{StoreError, atomic};
use crate::store::{scrub, threads, turns};

/// Messages whose words leave the index in one step: a millisecond or two each.
const WORDS_AT_ONCE: i64 = 20;
/// Facts that are forgotten before the answer; each takes some milliseconds.
const FACTS_BEFORE_ANSWER: usize = 8;
/// Other events come in between two steps.
const PAUSE_MS: i64 = 5;
/// Some seconds of work, between which other jobs are done.
const STEPS_AT_ONCE: usize = 100;

impl<P: Ports> Session<P> {
    /// Ends a thread: its tabs are told, a turn that runs in it is stopped, its newest messages go at once and the others,
    /// with its facts if `with_facts`, by and by. Facts that were said in it stay otherwise.
    pub(in crate::session) fn drop_thread(&self, id: &ThreadId, with_facts: bool) -> Result<(), StoreError> {
        let (sql, now, random) = (self.ports.sql(), self.ports.now(), self.random_key());
        self.stop_running(|turn| turns::get(sql, turn).ok().flatten().is_some_and(|turn| turn.thread == *id));
        self.finished.borrow_mut().take();
        atomic(sql, || {
            scrub::measure(sql)?;
            leaving::begin(sql, id, with_facts, now)?;
            jobs::drop_key(sql, id.as_str())?;
            threads::delete(sql, id)?;
            leaving::hide(sql, &random, now)?;
            if leaving::drop_words(sql, WORDS_AT_ONCE)? || !leaving::waiting(sql)?.is_none() {
                jobs::ask(sql, JobKind::Erase, "all", now, now)?;
                self.fill_freed()
            } else {
                self.ask_to_scrub(true)
            }
        })?;
        // Told first: between what is durable and its telling nothing may fail.
        self.ports.peers().close(Some(id), 4004, "the thread was deleted");
        self.drop_listeners(Some(id));
        self.arm()
    }

    /// Waits until nothing of what was deleted is in sight, and gives what is still to be erased.
    pub(super) async fn out_of_sight(&self) -> Result<Waiting, StoreError> {
        while self.hide()? {
            self.ports.sleep(0).await;
        }
        for _ in 0..FACTS_BEFORE_ANSWER {
            if !self.forget_leaving()? {
                break;
            }
        }
        leaving::waiting(self.ports.sql())
    }

    /// Erases what was deleted.
    pub(super) async fn erase(&self) -> Result<Worked, StoreError> {
        for _ in 0..STEPS_AT_ONCE {
            self.let_turns_go_first().await;
            self.ports.sleep(PAUSE_MS).await;
            let is_more = self.hide()? || self.forget_leaving()? || self.drop_words()?;
            if !is_more {
                self.ask_to_scrub(true)?;
                return Ok(Worked::Done);
            }
        }
        Ok(Worked::More)
    }

    fn hide(&self) -> Result<bool, StoreError> {
        let (sql, random) = (self.ports.sql(), self.random_key());
        self.in_place(|| leaving::hide(sql, &random, self.ports.now()))
    }

    fn drop_words(&self) -> Result<bool, StoreError> {
        self.in_place(|| leaving::drop_words(self.ports.sql(), WORDS_AT_ONCE))
    }

    /// Forgets the next fact that is out of sight already.
    fn forget_leaving(&self) -> Result<bool, StoreError> {
        let sql = self.ports.sql();
        atomic(sql, || {
            let Some(fact) = leaving::next_fact(sql)? else { return Ok(false) };
            self.forget_fact(&fact, false)?;
            Ok(true)
        })
    }

    /// Deletes, and writes zeros over the pages that this gave free.
    fn in_place<T>(&self, delete: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let sql = self.ports.sql();
        atomic(sql, || {
            scrub::measure(sql)?;
            let deleted = delete()?;
            self.fill_freed()?;
            Ok(deleted)
        })
    }
}
