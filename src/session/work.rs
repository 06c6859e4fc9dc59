//! Memory work: jobs that are due, one after the other, never on a reply's path.
//!
//! Invariant: work that must happen is a row; a failing job keeps its row, with its error, until it is parked.

use std::pin::pin;

use futures::future::{Either, select};
use serde_json::json;

use super::Session;
use super::ports::Ports;
use super::upkeep::SCRUBBED_D1;
use crate::config::Provider;
use crate::id::ThreadId;
use crate::memory::calls::BATCH;
use crate::memory::chatter::teaches_nothing;
use crate::memory::intent::{Intent, intent};
use crate::store::jobs::{self, Job, JobKind};
use crate::store::messages::Message;
use crate::store::sql::{StoreError, atomic};
use crate::store::turns::Turn;
use crate::store::{index, messages, outbox, rewrites, threads, traces};
use crate::time::{DAY, MINUTE, Millis, SECOND};

/// Memory work waits until the conversation has paused for this long, all of it for the same alarm, or until enough has
/// gathered: each piece of it costs a call of a model, for one message or for many.
pub(super) const PAUSE_MS: i64 = 5 * SECOND;
/// What has gathered in a talk without a pause is done this much later: a call that begins when an answer has just ended
/// meets the next turn, is given up for it and costs another one.
const BREATH_MS: i64 = SECOND;
/// So many messages of the user are extracted from without a pause: what one call takes.
pub(super) const EXTRACTED_AT_ONCE: u32 = BATCH;
/// So many messages that overflow are folded without a pause; until then the prompt gives them word for word.
pub(super) const FOLDED_AT_ONCE: usize = 12;
/// An alarm runs at most this many jobs and asks for the next one, so that an event stays far from the CPU limit.
const JOBS_AN_ALARM: usize = 20;
/// While no model may be called, jobs that need one look again this often.
const SWITCHED_OFF_MS: i64 = 5 * MINUTE;
const TRACES_KEPT_MS: i64 = 30 * DAY;
const TEMPORARY_IDLE_MS: i64 = DAY;
const CLEANING_EVERY_MS: i64 = DAY;

/// A pass over the mirrors takes seconds; no alarm, and so no other memory work, waits longer for one.
const MIRROR_DEADLINE_MS: i64 = 30 * SECOND;

/// How a piece of work ended.
pub(super) enum Worked {
    Done,
    /// This much is done, and there may be more of the same.
    More,
    /// To be tried again later; the code is for people who look why.
    Failed(&'static str),
    /// It may go on then.
    Later(Millis),
}

impl<P: Ports> Session<P> {
    /// Asks, in the transaction that ends a turn, for what should follow it.
    pub(super) fn ask_for_memory_work(&self, turn: &Turn, now: Millis) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        let key = turn.thread.as_str();
        let paused = now.plus(PAUSE_MS);
        let newest = messages::teaching(sql, &turn.user_message)?;
        let is_chatter = match &newest {
            Some(newest) => self.settle_chatter(turn, newest)?,
            None => false,
        };
        let waiting = messages::count_to_learn(sql, &turn.thread, EXTRACTED_AT_ONCE)?;
        if waiting > 0 {
            if newest.is_some_and(|newest| !is_chatter && asks_to_remember(&newest)) {
                jobs::ask(sql, JobKind::Extract, key, now, now)?;
            } else if waiting >= EXTRACTED_AT_ONCE {
                jobs::ask_by(sql, JobKind::Extract, key, now.plus(BREATH_MS), now)?;
            } else {
                jobs::ask(sql, JobKind::Extract, key, paused, now)?;
            }
        }
        jobs::ask(sql, JobKind::Index, key, paused, now)?;
        // Programs keep their conversations themselves.
        if turn.thread != ThreadId::programs()
            && let Some(thread) = threads::get(sql, &turn.thread, now)?
            && let Some(overflow) = self.overflowing(&thread)?
        {
            if !overflow.must_not_wait {
                jobs::ask(sql, JobKind::Fold, key, paused, now)?;
            } else if self.config.model == Provider::Embedded {
                jobs::ask(sql, JobKind::Fold, key, now, now)?;
            } else {
                jobs::ask_by(sql, JobKind::Fold, key, now.plus(BREATH_MS), now)?;
            }
        }
        jobs::ask_once(sql, JobKind::Clean, "daily", now.plus(CLEANING_EVERY_MS), now)
    }

    /// Settles a message that can teach nothing; the trace tells why. `false` if it may teach something.
    fn settle_chatter(&self, turn: &Turn, message: &Message) -> Result<bool, StoreError> {
        let sql = self.ports.sql();
        if teaches_nothing(&message.text, "").is_none() {
            return Ok(false);
        }
        let before = messages::before(sql, &message.thread, message.seq, 2)?;
        let before = before.iter().rfind(|message| message.role.is_user());
        let Some(reason) = teaches_nothing(&message.text, before.map_or("", |before| &before.text)) else {
            return Ok(false);
        };
        messages::settle(sql, std::slice::from_ref(&message.id))?;
        let part = json!({"stored": [], "refused": [{"reason": reason.code()}]});
        traces::put(sql, &turn.id, "memory", &part, self.ports.now())?;
        Ok(true)
    }

    /// Does what is due. Returns at once if that is happening already.
    pub(super) async fn work(&self) -> Result<(), StoreError> {
        if self.working.replace(true) {
            return Ok(());
        }
        let result = self.work_off().await;
        self.working.set(false);
        result
    }

    async fn work_off(&self) -> Result<(), StoreError> {
        // Side by side: a mirror that doesn't answer must not hold up what memory learns.
        let (mirrored, worked) = futures::future::join(self.mirror_due(), self.work_jobs()).await;
        mirrored.and(worked)
    }

    /// Sends to the mirrors what is due; a pass that hangs is given up, and what it sent is sent again.
    async fn mirror_due(&self) -> Result<(), StoreError> {
        if outbox::next_due(self.ports.sql())?.is_none_or(|at| at > self.ports.now()) {
            return Ok(());
        }
        let deadline = pin!(self.ports.sleep(MIRROR_DEADLINE_MS));
        let mirrored = match select(pin!(self.mirror()), deadline).await {
            Either::Left((mirrored, _)) => mirrored.map(|_| ()),
            Either::Right(_) => {
                self.ports.log("mirror_hangs", &[]);
                Ok(())
            }
        };
        self.count_mirrors()?;
        mirrored
    }

    async fn work_jobs(&self) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        for _ in 0..JOBS_AN_ALARM {
            self.going_first.begin();
            self.let_turns_go_first().await;
            let Some(job) = jobs::due(sql, self.ports.now())? else { return Ok(()) };
            // Waiting for the operator is no failure, after some of which a job is given up.
            if self.model_is_off() && job.kind.needs_model() {
                jobs::postpone(sql, &job, self.ports.now().plus(SWITCHED_OFF_MS))?;
                continue;
            }
            let worked = self.do_job(&job).await;
            let now = self.ports.now();
            match worked {
                Ok(Worked::Done) => jobs::finish(sql, &job)?,
                Ok(Worked::More) => jobs::postpone(sql, &job, now)?,
                Ok(Worked::Later(at)) => jobs::postpone(sql, &job, at)?,
                Ok(Worked::Failed(code)) => {
                    self.ports.log(
                        "job_failed",
                        &[("kind", job.kind.as_str().to_owned()), ("code", code.to_owned())],
                    );
                    self.count_failed_job(job.kind.as_str(), code);
                    jobs::fail(sql, &job, code, now, self.dice())?;
                }
                Err(error) => {
                    self.ports.log(
                        "job_failed",
                        &[("kind", job.kind.as_str().to_owned()), ("error", error.to_string())],
                    );
                    self.count_failed_job(job.kind.as_str(), "storage");
                    jobs::fail(sql, &job, "storage", now, self.dice())?;
                }
            }
        }
        Ok(())
    }

    async fn do_job(&self, job: &Job) -> Result<Worked, StoreError> {
        let thread = ThreadId::parse(&job.key);
        match (job.kind, thread) {
            (JobKind::Extract, Some(thread)) => {
                self.give_way(pin!(self.extract(&thread, job.attempts))).await
            }
            (JobKind::Fold, Some(thread)) => self.give_way(pin!(self.fold(&thread, job.attempts))).await,
            (JobKind::Index, Some(thread)) => self.index_messages(&thread),
            (JobKind::Embed, _) => self.embed_waiting().await,
            (JobKind::IndexArchive, _) => self.index_archive().await,
            (JobKind::ExtractArchive, _) => self.give_way(pin!(self.extract_archive())).await,
            (JobKind::Clean, _) => self.clean(),
            (JobKind::Erase, _) => self.erase().await,
            (JobKind::Retain, _) => self.retain().await,
            (JobKind::Scrub, _) if job.key == SCRUBBED_D1 => self.scrub_d1().await,
            (JobKind::Scrub, _) => self.scrub().await,
            (JobKind::Reconcile, _) => self.reconcile_by_and_by().await,
            (JobKind::Consolidate, _) => self.consolidate_by_and_by(),
            // Nothing asks for a job of a thread that can't be named.
            (JobKind::Extract | JobKind::Fold | JobKind::Index, None) => Ok(Worked::Done),
        }
    }

    /// Makes a thread's newest messages searchable.
    pub(super) fn index_messages(&self, thread: &ThreadId) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let Some(known) = threads::get(sql, thread, self.ports.now())? else { return Ok(Worked::Done) };
        if known.temporary {
            return Ok(Worked::Done);
        }
        let unindexed = messages::unindexed(sql, thread, 50)?;
        // Outside, because what a session knows of it isn't rolled back.
        self.name_the_model()?;
        let at_once = self.config.embedding == Provider::Embedded;
        let put = if at_once { index::put_words } else { index::put_message };
        atomic(sql, || {
            for message in &unindexed {
                put(sql, message.seq, thread, message.created_at, &message.text)?;
            }
            if at_once {
                let texts = unindexed.iter().map(|message| (message.seq, message.text.as_str()));
                self.embed_messages(texts)
            } else if unindexed.is_empty() {
                Ok(())
            } else {
                self.ask_for_vectors(self.ports.now().plus(PAUSE_MS))
            }
        })?;
        Ok(if unindexed.len() == 50 { Worked::More } else { Worked::Done })
    }

    /// Ends idle temporary threads and removes old traces.
    fn clean(&self) -> Result<Worked, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        for thread in threads::idle_temporary(sql, now.plus(-TEMPORARY_IDLE_MS))? {
            self.drop_thread(&thread, false)?;
        }
        rewrites::clean(sql, now.plus(-TRACES_KEPT_MS))?;
        if traces::clean(sql, now.plus(-TRACES_KEPT_MS))? {
            return Ok(Worked::More);
        }
        Ok(Worked::Done)
    }

    /// Asks to be woken for whatever is due next.
    pub(super) fn arm(&self) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        let now = self.ports.now();
        let guard = if self.running.borrow().is_some() {
            Some(now.plus(self.config.limits.model_stall_ms + 5 * SECOND))
        } else {
            None
        };
        let temporary = threads::oldest_temporary(sql)?.map(|at| at.plus(TEMPORARY_IDLE_MS + SECOND));
        if temporary.is_some_and(|at| at <= now) {
            jobs::ask(sql, JobKind::Clean, "daily", now, now)?;
        }
        // Once it is due it is the job's, which may have to wait after a failure.
        let temporary = temporary.filter(|at| *at > now);
        let wishes = [jobs::next_due(sql)?, outbox::next_due(sql)?, temporary, guard];
        if let Some(at) = wishes.into_iter().flatten().min() {
            self.arm_at(at.max(now));
        }
        Ok(())
    }
}

/// Whether messages are extracted from although the conversation goes on.
pub(super) fn must_not_wait(waiting: &[Message]) -> bool {
    waiting.len() >= EXTRACTED_AT_ONCE as usize || waiting.iter().any(asks_to_remember)
}

fn asks_to_remember(message: &Message) -> bool {
    matches!(intent(&message.text), Intent::Remember { .. })
}
