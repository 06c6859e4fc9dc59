//! What the mirrors have yet to be told.
//!
//! Invariant: a fact changes and its outbox rows are written in one transaction, one row per mirror and fact, so
//! no change can be missed and none is sent out of order: a newer change takes the older one's row. A row says
//! *that* a fact changed, not what it is now; whoever sends it reads the fact at that moment. Deliberately absent:
//! the text of any fact, and any knowledge of how a mirror is spoken to.

use super::mirrors::{self, MAX_ERROR_BYTES, Mirror};
use super::sql::{Arg, Row, Sql, StoreError, atomic};
use crate::id::FactId;
use crate::text::prefix;
use crate::time::{MINUTE, Millis, SECOND};

/// The tables of the outbox, of the mirrors' condition, of the vectors that may exist, and of receipts.
pub const SCHEMA: &str = "
CREATE TABLE outbox (
  mirror TEXT NOT NULL,
  fact TEXT NOT NULL,
  op TEXT NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  parked INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (mirror, fact)
) WITHOUT ROWID;
CREATE TABLE mirrors (
  mirror TEXT PRIMARY KEY,
  bound INTEGER NOT NULL DEFAULT 1,
  failures INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  error_at INTEGER,
  shard INTEGER,
  model TEXT
) WITHOUT ROWID;
CREATE TABLE mirror_epoch (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL);
CREATE TABLE left_shards (shard INTEGER PRIMARY KEY, due_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE vectors (
  id TEXT PRIMARY KEY,
  fact TEXT NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  model TEXT NOT NULL,
  digest TEXT,
  state TEXT NOT NULL,
  mutation TEXT,
  sent_at INTEGER NOT NULL,
  check_at INTEGER,
  checks INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX vectors_fact ON vectors (fact);
CREATE INDEX vectors_check ON vectors (check_at) WHERE check_at IS NOT NULL;
CREATE TABLE receipts (fact TEXT PRIMARY KEY, forgotten_at INTEGER NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID;
";

/// What happened to a fact, or to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Upsert,
    Delete,
    /// Everything older than the current epoch goes. Its row has the fact id `""`.
    Clear,
}

impl Change {
    fn as_str(self) -> &'static str {
        match self {
            Self::Upsert => "upsert",
            Self::Delete => "delete",
            Self::Clear => "clear",
        }
    }

    fn parse(word: &str) -> Result<Self, StoreError> {
        match word {
            "upsert" => Ok(Self::Upsert),
            "delete" => Ok(Self::Delete),
            "clear" => Ok(Self::Clear),
            _ => Err(StoreError::corrupt("outbox operation")),
        }
    }
}

/// One row that is to be sent. `revision` tells whether it changed while it was being sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// `None` for [`Change::Clear`].
    pub fact: Option<FactId>,
    pub change: Change,
    pub version: u32,
    /// How often the mirror refused it.
    pub attempts: u32,
    revision: i64,
}

/// How sending some rows ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<'a> {
    Done,
    /// The mirror couldn't be reached or didn't answer: everything for it waits.
    Unreachable(&'a str),
    /// The mirror answered no to these rows: only they wait.
    Refused(&'a str),
    /// The mirror wasn't asked, because something these rows need first wasn't there: only they wait, and are
    /// never parked.
    Later(&'a str),
}

/// A mirror that is down is asked this often at least, so that it is caught up soon after it is back.
const LONGEST_WAIT: i64 = 10 * MINUTE;
/// A row that is refused waits longer, because only a new version or a repair can change the answer.
const FIRST_REFUSED_WAIT: i64 = 10 * SECOND;
/// Refused this often (about 45 minutes), a row is parked.
const REFUSALS_UNTIL_PARKED: u32 = 9;

/// Records that a fact changed, for every mirror. Call it in the transaction that changes the fact.
///
/// `version` of a deletion is the last version the fact had, or more: a mirror lets a deletion win over an upsert
/// of the same version, and an upsert over a deletion only with a higher one.
pub fn enqueue(
    sql: &dyn Sql,
    fact: &FactId,
    version: u32,
    change: Change,
    now: Millis,
) -> Result<(), StoreError> {
    for mirror in Mirror::ALL {
        enqueue_for(sql, mirror, fact.as_str(), version, change, now)?;
    }
    Ok(())
}

/// Like [`enqueue`], for one mirror: repairs and rebuilds.
pub fn requeue(
    sql: &dyn Sql,
    mirror: Mirror,
    fact: &FactId,
    version: u32,
    change: Change,
    now: Millis,
) -> Result<(), StoreError> {
    enqueue_for(sql, mirror, fact.as_str(), version, change, now)
}

/// Forget everything: begins a new epoch and tells each mirror to drop what is older. Costs the rows that are
/// waiting, not the facts that were remembered.
pub fn clear(sql: &dyn Sql, now: Millis) -> Result<(), StoreError> {
    atomic(sql, || {
        begin_epoch(sql, now)?;
        sql.exec("DELETE FROM outbox", &[])?;
        for mirror in Mirror::ALL {
            enqueue_for(sql, mirror, "", 0, Change::Clear, now)?;
        }
        Ok(())
    })
}

fn enqueue_for(
    sql: &dyn Sql,
    mirror: Mirror,
    fact: &str,
    version: u32,
    change: Change,
    now: Millis,
) -> Result<(), StoreError> {
    epoch(sql, now)?;
    // D1's rows wait for its binding; vectors that were never sent are made when Vectorize is bound.
    if mirror == Mirror::Vectorize
        && !mirrors::is_bound(sql, mirror)?
        && (change == Change::Upsert || !super::vectors::may_exist(sql, fact)?)
    {
        return Ok(());
    }
    // A new change gives a parked row a new chance; the age of what is pending stays that of the oldest change.
    sql.exec(
        "INSERT INTO outbox (mirror, fact, op, version, revision, queued_at, due_at, attempts, parked)
         VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, 0, 0)
         ON CONFLICT (mirror, fact) DO UPDATE SET op = excluded.op, version = max(version, excluded.version),
           revision = revision + 1, due_at = excluded.due_at, attempts = 0, parked = 0, error = NULL",
        &[mirror.as_str().into(), fact.into(), change.as_str().into(), i64::from(version).into(), now.into()],
    )?;
    Ok(())
}

/// The memory's epoch: the instant at which it began or was last forgotten as a whole.
///
/// It is an instant and not a counter so that an object that is made anew has a later one than its predecessor.
pub fn epoch(sql: &dyn Sql, now: Millis) -> Result<i64, StoreError> {
    if let Some(row) = sql.exec("SELECT epoch FROM mirror_epoch", &[])?.first() {
        return row.int(0);
    }
    sql.exec("INSERT INTO mirror_epoch (one, epoch) VALUES (1, ?1)", &[now.into()])?;
    Ok(now.0)
}

/// Begins an epoch that is later than the present one and not before `at_least`.
pub fn begin_epoch(sql: &dyn Sql, at_least: Millis) -> Result<i64, StoreError> {
    let next = epoch(sql, at_least)?.saturating_add(1).max(at_least.0);
    sql.exec("UPDATE mirror_epoch SET epoch = ?1", &[next.into()])?;
    Ok(next)
}

/// The rows to send now, those for everything first; none while the mirror itself is waited for.
pub fn due(sql: &dyn Sql, mirror: Mirror, now: Millis, limit: usize) -> Result<Vec<Due>, StoreError> {
    let rows = sql.exec(
        "SELECT fact, op, version, attempts, revision FROM outbox
         WHERE mirror = ?1 AND parked = 0 AND due_at <= ?2
           AND NOT EXISTS (SELECT 1 FROM mirrors WHERE mirror = ?1 AND next_at > ?2)
         ORDER BY op = 'clear' DESC, op = 'delete' DESC, due_at, fact LIMIT ?3",
        &[mirror.as_str().into(), now.into(), (limit as i64).into()],
    )?;
    rows.iter().map(read_due).collect()
}

fn read_due(row: &Row) -> Result<Due, StoreError> {
    let id = row.text(0)?;
    Ok(Due {
        fact: (!id.is_empty())
            .then(|| FactId::parse(id).ok_or_else(|| StoreError::corrupt("fact id")))
            .transpose()?,
        change: Change::parse(row.text(1)?)?,
        version: u32::try_from(row.int(2)?).map_err(|_| StoreError::corrupt("version"))?,
        attempts: u32::try_from(row.int(3)?).map_err(|_| StoreError::corrupt("attempts"))?,
        revision: row.int(4)?,
    })
}

/// Records how sending `rows` ended. Idempotent: a row that changed while it was sent stays, and is sent again.
pub fn settle(
    sql: &dyn Sql,
    mirror: Mirror,
    rows: &[Due],
    outcome: Outcome<'_>,
    now: Millis,
    dice: u32,
) -> Result<(), StoreError> {
    atomic(sql, || {
        mirrors::note(sql, mirror, outcome, now, dice)?;
        let is_given_up = mirrors::is_given_up(sql, mirror)?;
        for row in rows {
            let key: [Arg<'_>; 5] = [
                mirror.as_str().into(),
                row.fact.as_ref().map_or("", FactId::as_str).into(),
                row.revision.into(),
                i64::from(row.version).into(),
                row.change.as_str().into(),
            ];
            match outcome {
                Outcome::Done => {
                    sql.exec(&format!("DELETE FROM outbox WHERE {UNCHANGED}"), &key)?;
                }
                // The mirror's own wait holds these rows back.
                Outcome::Unreachable(_) if is_given_up => {
                    sql.exec(&format!("UPDATE outbox SET parked = 1 WHERE {UNCHANGED}"), &key)?;
                }
                Outcome::Unreachable(_) => {}
                // The longer it has waited, the longer it waits.
                Outcome::Later(text) => {
                    let rest: [Arg<'_>; 4] = [
                        now.plus(i64::from(dice) % FIRST_REFUSED_WAIT).into(),
                        FIRST_REFUSED_WAIT.into(),
                        LONGEST_WAIT.into(),
                        prefix(text, MAX_ERROR_BYTES).into(),
                    ];
                    sql.exec(
                        &format!(
                            "UPDATE outbox SET due_at = ?6 + max(?7, min(?8, (?6 - queued_at) / 2)), error = ?9
                             WHERE {UNCHANGED}"
                        ),
                        &[&key[..], &rest[..]].concat(),
                    )?;
                }
                Outcome::Refused(text) => {
                    let attempts = row.attempts.saturating_add(1);
                    let due_at = now.plus(backoff(FIRST_REFUSED_WAIT, row.attempts, dice));
                    let rest: [Arg<'_>; 4] = [
                        i64::from(attempts).into(),
                        due_at.into(),
                        (attempts >= REFUSALS_UNTIL_PARKED).into(),
                        prefix(text, MAX_ERROR_BYTES).into(),
                    ];
                    sql.exec(
                        &format!(
                            "UPDATE outbox SET attempts = ?6, due_at = ?7, parked = ?8, error = ?9
                             WHERE {UNCHANGED}"
                        ),
                        &[&key[..], &rest[..]].concat(),
                    )?;
                }
            }
        }
        Ok(())
    })
}

/// The row is still the one that was sent.
const UNCHANGED: &str = "mirror = ?1 AND fact = ?2 AND revision = ?3 AND version = ?4 AND op = ?5";

/// The wait after `failed` earlier failures: doubled each time up to the longest, and between half and all of
/// that by chance, so that objects whose mirror failed together don't come back together.
pub(super) fn backoff(first: i64, failed: u32, dice: u32) -> i64 {
    let full = first.saturating_mul(1 << failed.min(20)).min(LONGEST_WAIT);
    full / 2 + i64::from(dice) % (full / 2 + 1)
}

/// Gives every waiting and parked row a new chance at once.
pub fn resume(sql: &dyn Sql, now: Millis) -> Result<(), StoreError> {
    sql.exec("UPDATE outbox SET parked = 0, attempts = 0, due_at = ?1", &[now.into()])?;
    sql.exec("UPDATE mirrors SET failures = 0, next_at = 0", &[])?;
    Ok(())
}

/// When the mirrors should next be looked after; `None` while there is nothing to do.
pub fn next_due(sql: &dyn Sql) -> Result<Option<Millis>, StoreError> {
    let rows = sql.known(
        "SELECT min(at) FROM (
           SELECT max(min(o.due_at), coalesce(max(m.next_at), 0)) AS at
           FROM outbox o LEFT JOIN mirrors m ON m.mirror = o.mirror WHERE o.parked = 0 AND coalesce(m.bound, 1) = 1
           GROUP BY o.mirror
           UNION ALL
           SELECT max(min(v.check_at), coalesce((SELECT next_at FROM mirrors WHERE mirror = 'vectorize'), 0))
           FROM vectors v WHERE v.check_at IS NOT NULL
             AND coalesce((SELECT bound FROM mirrors WHERE mirror = 'vectorize'), 1) = 1
           UNION ALL
           SELECT due_at FROM left_shards WHERE coalesce((SELECT bound FROM mirrors WHERE mirror = 'd1'), 1) = 1
         )",
        &[],
    )?;
    rows.first().map_or(Ok(None), |row| row.optional(0, |row, column| row.int(column).map(Millis)))
}

/// Whether a mirror has been told everything, so that a list may be read from it.
pub fn is_fresh(sql: &dyn Sql, mirror: Mirror) -> Result<bool, StoreError> {
    Ok(sql.exec("SELECT 1 FROM outbox WHERE mirror = ?1 LIMIT 1", &[mirror.as_str().into()])?.is_empty())
}

/// Whether something about this fact waits to be sent.
pub fn is_pending(sql: &dyn Sql, mirror: Mirror, fact: &str) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "SELECT 1 FROM outbox WHERE mirror = ?1 AND fact = ?2 LIMIT 1",
        &[mirror.as_str().into(), fact.into()],
    )?;
    Ok(!rows.is_empty())
}
