//! Jobs: work that must happen after the reply, as rows, so that it survives whatever happens.
//!
//! Invariant: one row per (kind, key); asking again for what already waits changes only when it is due.

use super::sql::{Row, Sql, StoreError, atomic};
use crate::memory::model::words;
use crate::time::{MINUTE, Millis, SECOND};

pub const SCHEMA: &str = "
CREATE TABLE jobs (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    -- Given up, until somebody asks for it again.
    parked INTEGER NOT NULL DEFAULT 0,
    -- How often it was asked for: tells whether that happened again while it was being done. No time can, because
    -- clocks jump back.
    asked INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (due_at) WHERE parked = 0;
";

words!(
    /// What is to be done.
    JobKind {
        Extract = "extract",
        Fold = "fold",
        Index = "index",
        Embed = "embed",
        /// Makes imported messages searchable.
        IndexArchive = "index_archive",
        /// Extracts facts from the user's own imported messages.
        ExtractArchive = "extract_archive",
        Clean = "clean",
        /// Removes what is older than the user's retention period.
        Retain = "retain",
        /// Erases what was deleted and is out of sight.
        Erase = "erase",
        /// Overwrites what was forgotten where it still lies in the file.
        Scrub = "scrub",
        /// Compares the mirrors with the object.
        Reconcile = "reconcile",
        /// Merges episodes into their weeks.
        Consolidate = "consolidate",
    }
);

impl JobKind {
    /// Whether it calls a model.
    pub fn needs_model(self) -> bool {
        matches!(self, Self::Extract | Self::Fold | Self::Embed | Self::ExtractArchive)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub kind: JobKind,
    /// The thread, or another name of what it is about.
    pub key: String,
    pub due_at: Millis,
    pub attempts: u32,
    /// A code, never content.
    pub error: Option<String>,
    pub parked: bool,
    asked: i64,
}

const COLUMNS: &str = "kind, key, due_at, attempts, error, parked, asked";

/// A job that failed this often is parked: with the backoff below, after about six hours.
pub const MAX_ATTEMPTS: u32 = 12;
const FIRST_BACKOFF: i64 = 5 * SECOND;
const LONGEST_BACKOFF: i64 = 60 * MINUTE;

/// Asks for a job. A waiting one becomes due at `due_at`, unless it is due already; a failing one keeps its backoff unless
/// it was parked.
pub fn ask(sql: &dyn Sql, kind: JobKind, key: &str, due_at: Millis, now: Millis) -> Result<(), StoreError> {
    ask_when(sql, kind, key, due_at, now, "iif(due_at <= ?4, due_at, ?3)")
}

/// Asks for a job that becomes due at `by` at the latest, and earlier if it was to be.
pub fn ask_by(sql: &dyn Sql, kind: JobKind, key: &str, by: Millis, now: Millis) -> Result<(), StoreError> {
    ask_when(sql, kind, key, by, now, "min(due_at, ?3)")
}

/// `waiting` says when one becomes due that waits without having failed.
fn ask_when(
    sql: &dyn Sql,
    kind: JobKind,
    key: &str,
    due_at: Millis,
    now: Millis,
    waiting: &'static str,
) -> Result<(), StoreError> {
    sql.exec(
        &format!(
            "INSERT INTO jobs (kind, key, due_at, created_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (kind, key) DO UPDATE SET
                 due_at = CASE WHEN parked = 1 THEN ?3 WHEN attempts > 0 THEN max(due_at, ?3) ELSE {waiting} END,
                 attempts = CASE WHEN parked = 1 THEN 0 ELSE attempts END,
                 parked = 0, asked = asked + 1"
        ),
        &[kind.as_str().into(), key.into(), due_at.into(), now.into()],
    )?;
    Ok(())
}

/// Asks for a job unless it waits already.
pub fn ask_once(
    sql: &dyn Sql,
    kind: JobKind,
    key: &str,
    due_at: Millis,
    now: Millis,
) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO jobs (kind, key, due_at, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (kind, key) DO NOTHING",
        &[kind.as_str().into(), key.into(), due_at.into(), now.into()],
    )?;
    Ok(())
}

/// The job that has been due for longest.
pub fn due(sql: &dyn Sql, now: Millis) -> Result<Option<Job>, StoreError> {
    let rows = sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM jobs WHERE parked = 0 AND due_at <= ? ORDER BY due_at, kind, key LIMIT 1"
        ),
        &[now.into()],
    )?;
    rows.first().map(read).transpose()
}

/// When the next job is due.
pub fn next_due(sql: &dyn Sql) -> Result<Option<Millis>, StoreError> {
    let rows = sql.exec("SELECT min(due_at) FROM jobs WHERE parked = 0", &[])?;
    rows.first().map_or(Ok(None), |row| row.optional(0, Row::int)).map(|at| at.map(Millis))
}

/// The job is done, unless it was asked for again since it was read.
pub fn finish(sql: &dyn Sql, job: &Job) -> Result<(), StoreError> {
    atomic(sql, || {
        sql.exec(
            "DELETE FROM jobs WHERE kind = ? AND key = ? AND asked = ?",
            &[job.kind.as_str().into(), job.key.as_str().into(), job.asked.into()],
        )?;
        // Asked for again meanwhile: a new job, which has failed nothing yet.
        sql.exec(
            "UPDATE jobs SET attempts = 0, error = NULL WHERE kind = ? AND key = ?",
            &[job.kind.as_str().into(), job.key.as_str().into()],
        )?;
        Ok(())
    })
}

/// The job failed with `code`: it is tried again later, or parked. `dice` is any random number.
pub fn fail(sql: &dyn Sql, job: &Job, code: &str, now: Millis, dice: u32) -> Result<(), StoreError> {
    let attempts = job.attempts + 1;
    sql.exec(
        "UPDATE jobs SET attempts = ?, error = ?, due_at = ?, parked = ? WHERE kind = ? AND key = ?",
        &[
            i64::from(attempts).into(),
            code.into(),
            now.plus(backoff(attempts, dice)).into(),
            (attempts >= MAX_ATTEMPTS).into(),
            job.kind.as_str().into(),
            job.key.as_str().into(),
        ],
    )?;
    Ok(())
}

/// Puts it off without counting a failure.
pub fn postpone(sql: &dyn Sql, job: &Job, due_at: Millis) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE jobs SET due_at = ? WHERE kind = ? AND key = ?",
        &[due_at.into(), job.kind.as_str().into(), job.key.as_str().into()],
    )?;
    Ok(())
}

/// Waiting, failing and parked jobs, for the mirrors page.
pub fn list(sql: &dyn Sql) -> Result<Vec<Job>, StoreError> {
    sql.exec(&format!("SELECT {COLUMNS} FROM jobs ORDER BY parked DESC, due_at LIMIT 200"), &[])?
        .iter()
        .map(read)
        .collect()
}

pub fn drop_key(sql: &dyn Sql, key: &str) -> Result<(), StoreError> {
    sql.exec("DELETE FROM jobs WHERE key = ?", &[key.into()])?;
    Ok(())
}

pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM jobs", &[])?;
    Ok(())
}

/// Doubles from five seconds to an hour, with up to half as much again by chance, so that objects that failed
/// together don't come back together.
pub fn backoff(attempts: u32, dice: u32) -> i64 {
    let base = FIRST_BACKOFF.saturating_mul(1 << attempts.saturating_sub(1).min(20)).min(LONGEST_BACKOFF);
    base + i64::from(dice) % (base / 2)
}

fn read(row: &Row) -> Result<Job, StoreError> {
    Ok(Job {
        kind: JobKind::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("job kind"))?,
        key: row.string(1)?,
        due_at: Millis(row.int(2)?),
        attempts: row.int(3)? as u32,
        error: row.optional(4, Row::string)?,
        parked: row.flag(5)?,
        asked: row.int(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    fn store() -> Sqlite {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(0)).unwrap();
        sql
    }

    #[test]
    fn a_job_that_was_asked_for_again_while_it_ran_runs_again() {
        let sql = store();
        ask(&sql, JobKind::Fold, "main", Millis(10), Millis(10)).unwrap();
        let job = due(&sql, Millis(10)).unwrap().unwrap();
        ask(&sql, JobKind::Fold, "main", Millis(20), Millis(20)).unwrap();
        finish(&sql, &job).unwrap();
        assert_eq!(due(&sql, Millis(20)).unwrap().map(|job| job.due_at), Some(Millis(10)));
    }

    #[test]
    fn a_failing_job_is_parked_with_its_error_and_can_be_asked_for_again() {
        let sql = store();
        ask(&sql, JobKind::Extract, "main", Millis(0), Millis(0)).unwrap();
        let mut now = Millis(0);
        for _ in 0..MAX_ATTEMPTS {
            now = next_due(&sql).unwrap().unwrap();
            let job = due(&sql, now).unwrap().unwrap();
            fail(&sql, &job, "model_busy", now, 7).unwrap();
        }
        assert_eq!(next_due(&sql).unwrap(), None);
        let parked = &list(&sql).unwrap()[0];
        assert_eq!((parked.parked, parked.error.as_deref()), (true, Some("model_busy")));
        ask(&sql, JobKind::Extract, "main", now, now).unwrap();
        assert_eq!(due(&sql, now).unwrap().map(|job| job.attempts), Some(0));
    }

    #[test]
    fn asking_again_does_not_shorten_the_backoff_of_a_failing_job() {
        let sql = store();
        ask(&sql, JobKind::Extract, "main", Millis(0), Millis(0)).unwrap();
        let job = due(&sql, Millis(0)).unwrap().unwrap();
        fail(&sql, &job, "model_busy", Millis(0), 0).unwrap();
        ask(&sql, JobKind::Extract, "main", Millis(1), Millis(1)).unwrap();
        assert_eq!(next_due(&sql).unwrap(), Some(Millis(FIRST_BACKOFF)));
    }

    #[test]
    fn a_job_that_is_asked_for_again_and_again_is_not_put_off_for_ever() {
        let sql = store();
        ask(&sql, JobKind::Fold, "main", Millis(5_000), Millis(0)).unwrap();
        for now in [100, 200, 300] {
            ask_by(&sql, JobKind::Fold, "main", Millis(now + 1_000), Millis(now)).unwrap();
        }
        assert_eq!(next_due(&sql).unwrap(), Some(Millis(1_100)));
    }

    #[test]
    fn the_backoff_grows_and_is_bounded_whatever_the_dice() {
        for dice in [0, 1, u32::MAX] {
            assert!(backoff(1, dice) >= FIRST_BACKOFF);
            assert!((1..40).all(|n| backoff(n, dice) <= LONGEST_BACKOFF * 3 / 2));
        }
    }
}
