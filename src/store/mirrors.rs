//! The condition of each mirror: whether it is bound, answers, and belongs to the present model and database.
//!
//! A mirror that can't be reached is waited for as a whole, with doubled waits and by chance, and after a day or
//! so of that stops waking the object. Error texts are for operators and hold no user content.

use super::outbox::{Outcome, backoff};
use super::sql::{Row, Sql, StoreError, counted};
use crate::text::prefix;
use crate::time::{MINUTE, Millis, SECOND};

pub const LAYOUT: &str = "ALTER TABLE mirrors ADD COLUMN layout INTEGER NOT NULL DEFAULT 0";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mirror {
    D1,
    Vectorize,
}

impl Mirror {
    pub const ALL: [Self; 2] = [Self::D1, Self::Vectorize];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::D1 => "d1",
            Self::Vectorize => "vectorize",
        }
    }
}

/// The first wait after a mirror failed; it doubles with every failure in a row.
const FIRST_WAIT: i64 = 2 * SECOND;
/// After so many failures in a row (about 12 hours of being down), what wakes the object for a mirror is parked.
const FAILURES_UNTIL_PARKED: i64 = 100;
/// Error texts are never long.
pub(super) const MAX_ERROR_BYTES: usize = 200;

/// Records the condition of a mirror after it was spoken to, with or without rows. A mirror that answers again
/// gets what was given up while it was down.
pub fn note(
    sql: &dyn Sql,
    mirror: Mirror,
    outcome: Outcome<'_>,
    now: Millis,
    dice: u32,
) -> Result<(), StoreError> {
    let failed = failures(sql, mirror)?;
    let (failures, next_at, error) = match outcome {
        Outcome::Done if failed == 0 => return Ok(()),
        Outcome::Done => (0, Millis(0), None),
        Outcome::Refused(text) => (0, Millis(0), Some(text)),
        Outcome::Later(text) => {
            return sql
                .exec(
                    "INSERT INTO mirrors (mirror, error, error_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (mirror) DO UPDATE SET error = ?2, error_at = ?3",
                    &[mirror.as_str().into(), prefix(text, MAX_ERROR_BYTES).into(), now.into()],
                )
                .map(|_| ());
        }
        Outcome::Unreachable(text) => {
            let wait = backoff(FIRST_WAIT, u32::try_from(failed).unwrap_or(u32::MAX), dice);
            (failed + 1, now.plus(wait), Some(text))
        }
    };
    if failures == 0 && failed >= FAILURES_UNTIL_PARKED {
        sql.exec(
            "UPDATE outbox SET parked = 0 WHERE mirror = ?1 AND attempts = 0",
            &[mirror.as_str().into()],
        )?;
    }
    sql.exec(
        "INSERT INTO mirrors (mirror, failures, next_at, error, error_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (mirror) DO UPDATE SET failures = ?2, next_at = ?3,
           error = coalesce(?4, error), error_at = coalesce(?5, error_at)",
        &[
            mirror.as_str().into(),
            failures.into(),
            next_at.into(),
            error.map(|text| prefix(text, MAX_ERROR_BYTES)).into(),
            error.map(|_| now).into(),
        ],
    )?;
    Ok(())
}

/// How often in a row the mirror couldn't be reached.
fn failures(sql: &dyn Sql, mirror: Mirror) -> Result<i64, StoreError> {
    let rows = sql.exec("SELECT failures FROM mirrors WHERE mirror = ?1", &[mirror.as_str().into()])?;
    rows.first().map_or(Ok(0), |row| row.int(0))
}

/// Whether it has been down so long that it shouldn't wake the object any more.
pub(super) fn is_given_up(sql: &dyn Sql, mirror: Mirror) -> Result<bool, StoreError> {
    Ok(failures(sql, mirror)? >= FAILURES_UNTIL_PARKED)
}

/// Whether a mirror's binding was there when it was last looked for. Until then it is taken to be.
pub fn is_bound(sql: &dyn Sql, mirror: Mirror) -> Result<bool, StoreError> {
    let rows = sql.exec("SELECT bound FROM mirrors WHERE mirror = ?1", &[mirror.as_str().into()])?;
    rows.first().map_or(Ok(true), |row| row.flag(0))
}

/// Records whether a mirror is bound; true if that changed. What can't be sent to an unbound Vectorize is dropped,
/// but not the deletions it still owes.
pub fn set_bound(sql: &dyn Sql, mirror: Mirror, bound: bool) -> Result<bool, StoreError> {
    if is_bound(sql, mirror)? == bound {
        return Ok(false);
    }
    sql.exec(
        "INSERT INTO mirrors (mirror, bound) VALUES (?1, ?2) ON CONFLICT (mirror) DO UPDATE SET bound = ?2",
        &[mirror.as_str().into(), bound.into()],
    )?;
    if !bound && mirror == Mirror::Vectorize {
        sql.exec(
            "DELETE FROM outbox WHERE mirror = ?1
               AND fact NOT IN (SELECT fact FROM vectors WHERE state <> 'buried')
               AND (fact <> '' OR NOT EXISTS (SELECT 1 FROM vectors WHERE state <> 'buried'))",
            &[mirror.as_str().into()],
        )?;
    }
    Ok(true)
}

/// Records the embedding model; true if vectors of another one may exist.
pub fn set_model(sql: &dyn Sql, model: &str) -> Result<bool, StoreError> {
    let mirror = Mirror::Vectorize.as_str();
    let rows = sql.exec("SELECT model FROM mirrors WHERE mirror = ?1", &[mirror.into()])?;
    let known = rows.first().map_or(Ok(None), |row| row.optional(0, Row::string))?;
    if known.as_deref() == Some(model) {
        return Ok(false);
    }
    sql.exec(
        "INSERT INTO mirrors (mirror, model) VALUES (?1, ?2) ON CONFLICT (mirror) DO UPDATE SET model = ?2",
        &[mirror.into(), model.into()],
    )?;
    Ok(known.is_some())
}

/// Records which D1 database this memory belongs to; true if it was another one until now, which is then emptied.
pub fn set_shard(sql: &dyn Sql, shard: usize) -> Result<bool, StoreError> {
    let mirror = Mirror::D1.as_str();
    let shard = shard as i64;
    let known = known_shard(sql)?;
    if known == Some(shard) {
        return Ok(false);
    }
    sql.exec(
        "INSERT INTO mirrors (mirror, shard) VALUES (?1, ?2) ON CONFLICT (mirror) DO UPDATE SET shard = ?2",
        &[mirror.into(), shard.into()],
    )?;
    sql.exec("DELETE FROM left_shards WHERE shard = ?1", &[shard.into()])?;
    if let Some(left) = known {
        sql.exec("INSERT OR IGNORE INTO left_shards (shard) VALUES (?1)", &[left.into()])?;
    }
    Ok(known.is_some())
}

/// The D1 database this memory is in, or moving into; `None` before the first pass.
pub fn known_shard(sql: &dyn Sql) -> Result<Option<i64>, StoreError> {
    let rows = sql.exec("SELECT shard FROM mirrors WHERE mirror = ?1", &[Mirror::D1.as_str().into()])?;
    rows.first().map_or(Ok(None), |row| row.optional(0, Row::int))
}

/// The layout of D1's tables that this memory was sent in.
pub fn known_layout(sql: &dyn Sql) -> Result<i64, StoreError> {
    let rows = sql.exec("SELECT layout FROM mirrors WHERE mirror = ?1", &[Mirror::D1.as_str().into()])?;
    rows.first().map_or(Ok(0), |row| row.int(0))
}

/// Records the layout of D1's tables; true if they had another one, and lost what was in them. What was given up
/// because D1 refused it gets a new chance.
pub fn set_layout(sql: &dyn Sql, layout: i64) -> Result<bool, StoreError> {
    if known_layout(sql)? == layout {
        return Ok(false);
    }
    if known_shard(sql)?.is_some() {
        sql.exec("INSERT OR IGNORE INTO left_shards (shard) VALUES (?1)", &[FORMER_TABLE.into()])?;
    }
    let mirror = Mirror::D1.as_str();
    sql.exec(
        "INSERT INTO mirrors (mirror, layout) VALUES (?1, ?2) ON CONFLICT (mirror) DO UPDATE SET layout = ?2",
        &[mirror.into(), layout.into()],
    )?;
    sql.exec("UPDATE outbox SET parked = 0, attempts = 0 WHERE mirror = ?1", &[mirror.into()])?;
    Ok(true)
}

/// Stands among the databases that were left for the table of the former layout in the present one.
pub const FORMER_TABLE: i64 = -1;

/// A D1 database that this memory moved out of and that is to be emptied now.
pub fn left_shard(sql: &dyn Sql, now: Millis) -> Result<Option<i64>, StoreError> {
    let rows =
        sql.exec("SELECT shard FROM left_shards WHERE due_at <= ?1 ORDER BY shard LIMIT 1", &[now.into()])?;
    rows.first().map(|row| row.int(0)).transpose()
}

/// The database that was moved out of couldn't be emptied: later, whatever the one moved into answers.
pub fn empty_later(sql: &dyn Sql, shard: i64, now: Millis, dice: u32) -> Result<(), StoreError> {
    let due_at = now.plus(5 * MINUTE + i64::from(dice) % (5 * MINUTE));
    sql.exec("UPDATE left_shards SET due_at = ?2 WHERE shard = ?1", &[shard.into(), due_at.into()])?;
    Ok(())
}

/// The database that was moved out of is empty, or gone.
pub fn emptied(sql: &dyn Sql, shard: i64) -> Result<(), StoreError> {
    sql.exec("DELETE FROM left_shards WHERE shard = ?1", &[shard.into()])?;
    Ok(())
}

/// Whether a mirror that failed is still waited for.
pub fn is_held_back(sql: &dyn Sql, mirror: Mirror, now: Millis) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "SELECT 1 FROM mirrors WHERE mirror = ?1 AND next_at > ?2",
        &[mirror.as_str().into(), now.into()],
    )?;
    Ok(!rows.is_empty())
}

/// What `GET /api/memory/mirrors` shows of one mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub mirror: Mirror,
    pub bound: bool,
    /// Changes that wait to be sent, without the parked ones.
    pub pending: u64,
    /// Changes that were given up until they are resumed.
    pub parked: u64,
    /// Vectors that were sent or deleted but aren't seen to be so yet.
    pub unconfirmed: u64,
    /// When the oldest change that isn't in the mirror was made.
    pub oldest: Option<Millis>,
    pub last_error: Option<String>,
    pub last_error_at: Option<Millis>,
    /// While the mirror can't be reached: when it is tried again.
    pub next_at: Option<Millis>,
}

/// The condition of every mirror.
pub fn state(sql: &dyn Sql) -> Result<Vec<Condition>, StoreError> {
    Mirror::ALL.into_iter().map(|mirror| condition(sql, mirror)).collect()
}

fn condition(sql: &dyn Sql, mirror: Mirror) -> Result<Condition, StoreError> {
    let name = mirror.as_str();
    let counts = sql.exec(
        "SELECT count(*) - coalesce(sum(parked), 0), coalesce(sum(parked), 0), min(queued_at),
                max(CASE WHEN parked THEN error END)
         FROM outbox WHERE mirror = ?1",
        &[name.into()],
    )?;
    let counts = counted(&counts)?;
    let unconfirmed = if mirror == Mirror::Vectorize { super::vectors::unconfirmed(sql)? } else { 0 };
    let known = sql.exec("SELECT error, error_at, next_at FROM mirrors WHERE mirror = ?1", &[name.into()])?;
    let known = known.first();
    let recorded = known.map_or(Ok(None), |row| row.optional(0, Row::string))?;
    Ok(Condition {
        mirror,
        bound: is_bound(sql, mirror)?,
        pending: counts.int(0)?.unsigned_abs(),
        parked: counts.int(1)?.unsigned_abs(),
        unconfirmed,
        oldest: counts.optional(2, Row::int)?.map(Millis),
        last_error: recorded.or(counts.optional(3, Row::string)?),
        last_error_at: known.map_or(Ok(None), |row| row.optional(1, Row::int))?.map(Millis),
        next_at: known.map_or(Ok(None), |row| row.optional(2, Row::int))?.filter(|&at| at > 0).map(Millis),
    })
}
