//! Which vectors of this memory may exist in Vectorize.
//!
//! Vectorize can't list ids and applies writes later, so the object keeps its own list: a vector's row is written
//! before the vector is sent and goes only when its absence was seen after its deletion was processed, and once
//! more an hour later, because a write whose answer was lost may arrive late. No vector can be left behind by a
//! crash at any point. Rows hold no text; the digest of a live one tells whether its text changed.

use super::mirrors::Mirror;
use super::outbox;
use super::sql::{Row, Sql, StoreError, counted};
use crate::id::FactId;
use crate::time::{HOUR, MINUTE, Millis, SECOND};

/// Which vectors each pass looks for: among thousands that are live.
pub const INDEXES: &str = "
CREATE INDEX vectors_moving ON vectors (state) WHERE state IN ('sent', 'doomed', 'dropped');
CREATE INDEX vectors_mutation ON vectors (mutation) WHERE mutation IS NOT NULL;
";
/// As the index has it: the engine compares the words.
const MOVING: &str = "state IN ('sent', 'doomed', 'dropped')";

/// A vector that was sent, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub id: String,
    pub fact: FactId,
    pub version: u32,
    pub epoch: i64,
    pub model: String,
    pub digest: String,
}

/// A vector whose presence or absence is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub id: String,
    pub fact: FactId,
    pub version: u32,
    /// Whether it should be there.
    pub wanted: bool,
    /// Whether its absence was seen before.
    pub buried: bool,
    pub mutation: Option<String>,
    pub sent_at: Millis,
}

/// How long the processing of a mutation is waited for before the index itself is believed.
pub const SETTLED_AFTER: i64 = 5 * MINUTE;
/// How long after its absence was seen a vector is looked for once more.
const LATE: i64 = HOUR;
/// Mutations take seconds; the first look comes after this and the next ones after twice as long each.
const FIRST_LOOK: i64 = 2 * SECOND;
const LONGEST_LOOK: i64 = MINUTE;

/// Whether a vector of this text by this model was accepted already. If so the row takes the new version: a fact
/// that was only confirmed or pinned needs no new embedding.
pub fn keep(
    sql: &dyn Sql,
    fact: &FactId,
    version: u32,
    epoch: i64,
    model: &str,
    digest: &str,
) -> Result<Option<String>, StoreError> {
    let rows = sql.exec(
        "UPDATE vectors SET version = max(version, ?2)
         WHERE fact = ?1 AND epoch = ?3 AND model = ?4 AND digest = ?5
           AND (state = 'live' OR (state = 'sent' AND mutation IS NOT NULL))
         RETURNING id",
        &[fact.as_str().into(), i64::from(version).into(), epoch.into(), model.into(), digest.into()],
    )?;
    rows.first().map(|row| row.string(0)).transpose()
}

/// Records a vector before it is sent. Idempotent.
pub fn sending(sql: &dyn Sql, vector: &Sent, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO vectors (id, fact, version, epoch, model, digest, state, mutation, sent_at, check_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'sent', NULL, ?7, ?8)
         ON CONFLICT (id) DO UPDATE SET epoch = ?4, digest = ?6, state = 'sent', mutation = NULL, sent_at = ?7,
           check_at = ?8, checks = 0",
        &[
            (&vector.id).into(),
            vector.fact.as_str().into(),
            i64::from(vector.version).into(),
            vector.epoch.into(),
            (&vector.model).into(),
            (&vector.digest).into(),
            now.into(),
            now.plus(SETTLED_AFTER).into(),
        ],
    )?;
    Ok(())
}

/// Records that an upsert (`wanted`) or a deletion was accepted. A vector whose fate changed meanwhile keeps it.
pub fn accepted(
    sql: &dyn Sql,
    ids: &[String],
    wanted: bool,
    mutation: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let statement = if wanted {
        "UPDATE vectors SET mutation = ?2, sent_at = ?3, check_at = ?4, checks = 0
         WHERE id = ?1 AND state = 'sent'"
    } else {
        "UPDATE vectors SET state = 'dropped', mutation = ?2, sent_at = ?3, check_at = ?4, checks = 0
         WHERE id = ?1 AND state = 'doomed'"
    };
    for id in ids {
        sql.exec(statement, &[id.into(), mutation.into(), now.into(), now.plus(FIRST_LOOK).into()])?;
    }
    Ok(())
}

/// Every vector of a fact but `except` is to go.
pub fn doom(sql: &dyn Sql, fact: &FactId, except: Option<&str>) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE vectors SET state = 'doomed', digest = NULL, mutation = NULL, check_at = NULL
         WHERE fact = ?1 AND id <> ?2 AND state IN ('sent', 'live')",
        &[fact.as_str().into(), except.unwrap_or("").into()],
    )?;
    Ok(())
}

/// Dooms up to `limit` vectors of epochs that are over. Gives how many.
pub fn doom_before(sql: &dyn Sql, epoch: i64, limit: usize) -> Result<usize, StoreError> {
    let rows = sql.exec(
        "UPDATE vectors SET state = 'doomed', digest = NULL, mutation = NULL, check_at = NULL
         WHERE id IN (SELECT id FROM vectors WHERE epoch < ?1 AND state IN ('sent', 'live') LIMIT ?2)
         RETURNING 1",
        &[epoch.into(), (limit as i64).into()],
    )?;
    Ok(rows.len())
}

/// Records a vector that is in the index but was never sent, so that it is deleted. Gives the name under which
/// such vectors are kept, which is no fact's.
pub fn doom_stranger(sql: &dyn Sql, id: &str, now: Millis) -> Result<FactId, StoreError> {
    sql.exec(
        "INSERT INTO vectors (id, fact, version, epoch, model, state, sent_at)
         VALUES (?1, 'stranger', 0, 0, '', 'doomed', ?2)
         ON CONFLICT (id) DO UPDATE SET state = 'doomed', digest = NULL, mutation = NULL, check_at = NULL
           WHERE state NOT IN ('sent', 'live')",
        &[id.into(), now.into()],
    )?;
    FactId::parse("stranger").ok_or_else(|| StoreError::corrupt("fact id"))
}

/// Vectors whose deletion is to be asked for.
pub fn doomed(sql: &dyn Sql, limit: usize) -> Result<Vec<String>, StoreError> {
    let rows = sql.exec(
        &format!("SELECT id FROM vectors WHERE {MOVING} AND state = 'doomed' ORDER BY id LIMIT ?1"),
        &[(limit as i64).into()],
    )?;
    rows.iter().map(|row| row.string(0)).collect()
}

/// Whether the deletion of some vector of this fact hasn't been accepted yet.
pub fn has_doomed(sql: &dyn Sql, fact: &FactId) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "SELECT 1 FROM vectors WHERE fact = ?1 AND state = 'doomed' LIMIT 1",
        &[fact.as_str().into()],
    )?;
    Ok(!rows.is_empty())
}

/// Whether the deletion of some vector of an epoch that is over hasn't been accepted yet.
pub fn has_before(sql: &dyn Sql, epoch: i64) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "SELECT 1 FROM vectors WHERE epoch < ?1 AND state IN ('sent', 'live', 'doomed') LIMIT 1",
        &[epoch.into()],
    )?;
    Ok(!rows.is_empty())
}

/// The vectors to look at now.
pub fn to_check(sql: &dyn Sql, now: Millis, limit: usize) -> Result<Vec<Check>, StoreError> {
    let rows = sql.exec(
        "SELECT id, fact, version, state, mutation, sent_at FROM vectors
         WHERE check_at <= ?1 ORDER BY check_at, id LIMIT ?2",
        &[now.into(), (limit as i64).into()],
    )?;
    rows.iter().map(read_check).collect()
}

/// When a mutation of ours was sent; `None` for another's.
pub fn sent_at(sql: &dyn Sql, mutation: &str) -> Result<Option<Millis>, StoreError> {
    let rows = sql.exec("SELECT max(sent_at) FROM vectors WHERE mutation = ?1", &[mutation.into()])?;
    rows.first().map_or(Ok(None), |row| Ok(row.optional(0, Row::int)?.map(Millis)))
}

/// A page of the vectors that should be in the index, by id, for reconciling.
pub fn live_after(sql: &dyn Sql, after: &str, limit: usize) -> Result<Vec<Check>, StoreError> {
    let rows = sql.exec(
        "SELECT id, fact, version, state, mutation, sent_at FROM vectors
         WHERE id > ?1 AND state = 'live' ORDER BY id LIMIT ?2",
        &[after.into(), (limit as i64).into()],
    )?;
    rows.iter().map(read_check).collect()
}

fn read_check(row: &Row) -> Result<Check, StoreError> {
    let state = row.text(3)?;
    Ok(Check {
        id: row.string(0)?,
        fact: FactId::parse(row.text(1)?).ok_or_else(|| StoreError::corrupt("fact id"))?,
        version: u32::try_from(row.int(2)?).map_err(|_| StoreError::corrupt("version"))?,
        wanted: state == "sent" || state == "live",
        buried: state == "buried",
        mutation: row.optional(4, Row::string)?,
        sent_at: Millis(row.int(5)?),
    })
}

/// It is as it should be: a wanted vector is live, an unwanted one is looked for once more and then forgotten.
pub fn confirm(sql: &dyn Sql, check: &Check, now: Millis) -> Result<(), StoreError> {
    let id = &check.id;
    if check.wanted {
        sql.exec(
            "UPDATE vectors SET state = 'live', check_at = NULL WHERE id = ?1 AND state = 'sent'",
            &[id.into()],
        )?;
    } else if check.buried {
        sql.exec("DELETE FROM vectors WHERE id = ?1 AND state = 'buried'", &[id.into()])?;
    } else {
        sql.exec(
            "UPDATE vectors SET state = 'buried', check_at = ?2, checks = 0 WHERE id = ?1 AND state = 'dropped'",
            &[id.into(), now.plus(LATE).into()],
        )?;
    }
    Ok(())
}

/// It isn't as it should be: it will be sent, or deleted, again.
pub fn redo(sql: &dyn Sql, check: &Check) -> Result<(), StoreError> {
    let statement = if check.wanted {
        "UPDATE vectors SET state = 'sent', mutation = NULL, check_at = NULL
         WHERE id = ?1 AND state IN ('sent', 'live')"
    } else {
        "UPDATE vectors SET state = 'doomed', mutation = NULL, check_at = NULL
         WHERE id = ?1 AND state IN ('dropped', 'buried')"
    };
    sql.exec(statement, &[(&check.id).into()])?;
    Ok(())
}

/// The mutation isn't processed yet: look again later.
pub fn look_later(sql: &dyn Sql, check: &Check, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE vectors SET checks = checks + 1,
           check_at = ?2 + min(?3, ?4 << min(checks, 10)) WHERE id = ?1 AND check_at IS NOT NULL",
        &[(&check.id).into(), now.into(), LONGEST_LOOK.into(), FIRST_LOOK.into()],
    )?;
    Ok(())
}

/// The fact a match of a search belongs to; `None` for one that shouldn't be there, whoever put it there.
pub fn fact_of(sql: &dyn Sql, vector: &str) -> Result<Option<(FactId, u32)>, StoreError> {
    let rows = sql.exec(
        "SELECT fact, version FROM vectors WHERE id = ?1 AND state IN ('sent', 'live')
           AND epoch = (SELECT epoch FROM mirror_epoch)",
        &[vector.into()],
    )?;
    let Some(row) = rows.first() else { return Ok(None) };
    let fact = FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id"))?;
    Ok(Some((fact, u32::try_from(row.int(1)?).map_err(|_| StoreError::corrupt("version"))?)))
}

/// Whether the object knows this vector, in whatever state.
pub fn is_known(sql: &dyn Sql, vector: &str) -> Result<bool, StoreError> {
    Ok(!sql.exec("SELECT 1 FROM vectors WHERE id = ?1", &[vector.into()])?.is_empty())
}

/// Whether vectors of this fact, or any for `""`, may still be in the index.
pub fn may_exist(sql: &dyn Sql, fact: &str) -> Result<bool, StoreError> {
    let which = if fact.is_empty() { "fact <> ?" } else { "fact = ?" };
    is_left(sql, which, fact)
}

/// Whether vectors of this fact, or for `""` any from before everything was forgotten, may still be in the index.
pub fn outlives(sql: &dyn Sql, fact: &str) -> Result<bool, StoreError> {
    let which =
        if fact.is_empty() { "fact <> ? AND epoch < (SELECT epoch FROM mirror_epoch)" } else { "fact = ?" };
    is_left(sql, which, fact)
}

fn is_left(sql: &dyn Sql, which: &str, fact: &str) -> Result<bool, StoreError> {
    let statement = format!("SELECT 1 FROM vectors WHERE {which} AND state <> 'buried' LIMIT 1");
    Ok(!sql.exec(&statement, &[fact.into()])?.is_empty())
}

/// How many vectors were sent or deleted but aren't seen to be so yet.
pub fn unconfirmed(sql: &dyn Sql) -> Result<u64, StoreError> {
    let moving = sql.exec(&format!("SELECT count(*) FROM vectors WHERE {MOVING}"), &[])?;
    let mut count = counted(&moving)?.int(0)?;
    // Only while everything is being forgotten there are others, and only then all are looked at.
    if outbox::is_pending(sql, Mirror::Vectorize, "")? {
        let left = sql.exec(
            "SELECT count(*) FROM vectors WHERE state = 'live' AND epoch < (SELECT epoch FROM mirror_epoch)",
            &[],
        )?;
        count += counted(&left)?.int(0)?;
    }
    Ok(count.unsigned_abs())
}
