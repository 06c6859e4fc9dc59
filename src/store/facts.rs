//! Facts: what is known about the user now, what was known once, and what awaits approval.
//!
//! Invariant: rows are only written by [`super::ledger`], together with the entry that tells what changed, so
//! nothing about the user changes unseen. Only `superseded_by` is stored; `supersedes` is read from it, so the two
//! can't disagree.

use super::sql::{Arg, Row, Sql, StoreError, counted};
use crate::id::{FactId, MessageId, ThreadId, TurnId};
use crate::json;
use crate::memory::claim::{Count, claim, normal};
use crate::memory::model::{Fact, Kind, Scope, Source, Status};
use crate::text::fold::fold_kana;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE facts (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    -- The text without what doesn't change its meaning: equal forms are the same fact.
    normal TEXT NOT NULL,
    -- Whose and which attribute the text states, where it can have one value only.
    about TEXT,
    -- Text and quote as they are searched.
    search TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    edited INTEGER NOT NULL,
    observed_at INTEGER NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    superseded_by TEXT,
    message TEXT,
    thread TEXT,
    quote TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    turn TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX facts_by_age ON facts (created_at, id);
CREATE INDEX facts_by_status ON facts (status, pinned, observed_at);
CREATE INDEX facts_by_normal ON facts (normal);
CREATE INDEX facts_by_attribute ON facts (about) WHERE about IS NOT NULL;
CREATE INDEX facts_by_successor ON facts (superseded_by) WHERE superseded_by IS NOT NULL;
-- Messages that said or confirmed a fact: they are left out of prompts when it is forgotten.
CREATE TABLE fact_sources (
    fact TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (fact, message)
) WITHOUT ROWID;
CREATE INDEX fact_sources_by_message ON fact_sources (message);
-- Why a fact is held, and which fact it would replace.
CREATE TABLE holds (
    fact TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    contests TEXT
) WITHOUT ROWID;
";

const COLUMNS: &str = "id, text, kind, scope, status, pinned, edited, observed_at, valid_from, valid_until, \
    superseded_by, message, thread, quote, said_at, turn, created_at, updated_at, version, \
    (SELECT json_group_array(old.id) FROM (SELECT o.id FROM facts o WHERE o.superseded_by = facts.id \
     ORDER BY o.created_at, o.id) old)";

/// Which facts are listed. The default is all of them.
#[derive(Clone, Debug, Default)]
pub struct Filter<'a> {
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    /// Facts said in this thread, or only recalled in it.
    pub thread: Option<&'a ThreadId>,
    /// Each of these occurs in the text or the quote, whatever its spelling.
    pub contains: &'a [String],
}

/// Text terms beyond this are ignored: the runtime takes 100 arguments.
const MAX_TERMS: usize = 20;

pub fn get(sql: &dyn Sql, id: &FactId) -> Result<Option<Fact>, StoreError> {
    let rows = sql.exec(&format!("SELECT {COLUMNS} FROM facts WHERE id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

/// The facts of these ids that exist, newest first.
pub fn by_ids(sql: &dyn Sql, ids: &[FactId]) -> Result<Vec<Fact>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = serde_json::to_string(ids).unwrap_or_else(|_| "[]".to_owned());
    read_all(&sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM facts WHERE id IN (SELECT value FROM json_each(?))
             ORDER BY created_at DESC, id DESC"
        ),
        &[ids.as_str().into()],
    )?)
}

/// Every fact, newest first.
pub fn all(sql: &dyn Sql) -> Result<Vec<Fact>, StoreError> {
    list(sql, &Filter::default(), None, u32::MAX)
}

/// One page, newest first by `(created_at, id)`; `after` is the last fact of the page before.
pub fn list(
    sql: &dyn Sql,
    filter: &Filter<'_>,
    after: Option<(Millis, &FactId)>,
    limit: u32,
) -> Result<Vec<Fact>, StoreError> {
    let mut query = format!("SELECT {COLUMNS} FROM facts WHERE 1");
    let mut args: Vec<Arg<'_>> = Vec::new();
    if let Some(status) = filter.status {
        query.push_str(" AND status = ?");
        args.push(status.as_str().into());
    }
    if let Some(kind) = filter.kind {
        query.push_str(" AND kind = ?");
        args.push(kind.as_str().into());
    }
    let scope = filter.thread.map(|thread| Scope::Thread(thread.clone()).to_word());
    if let (Some(thread), Some(scope)) = (filter.thread, &scope) {
        query.push_str(" AND (thread = ? OR scope = ?)");
        args.push(thread.as_str().into());
        args.push(scope.into());
    }
    let terms: Vec<String> = filter.contains.iter().take(MAX_TERMS).map(|term| fold_kana(term)).collect();
    for term in &terms {
        query.push_str(" AND instr(search, ?) > 0");
        args.push(term.into());
    }
    if let Some((created_at, id)) = after {
        query.push_str(" AND (created_at, id) < (?, ?)");
        args.push(created_at.into());
        args.push(id.as_str().into());
    }
    query.push_str(" ORDER BY created_at DESC, id DESC LIMIT ?");
    args.push(i64::from(limit).into());
    read_all(&sql.exec(&query, &args)?)
}

/// Current facts that may be recalled: pinned ones first, then those said or confirmed last.
pub fn current(sql: &dyn Sql, limit: u32) -> Result<Vec<Fact>, StoreError> {
    read_all(&sql.known(
        &format!(
            "SELECT {COLUMNS} FROM facts WHERE status = 'current'
             ORDER BY pinned DESC, observed_at DESC, id DESC LIMIT ?"
        ),
        &[i64::from(limit).into()],
    )?)
}

/// What current facts were taken from, the pinned and then the newest ones first.
pub fn quotes(sql: &dyn Sql, limit: u32) -> Result<Vec<String>, StoreError> {
    sql.exec(
        "SELECT quote FROM facts WHERE status = 'current'
         ORDER BY pinned DESC, observed_at DESC, id DESC LIMIT ?",
        &[i64::from(limit).into()],
    )?
    .iter()
    .map(|row| row.string(0))
    .collect()
}

/// Whether there are more current facts than `limit`.
pub fn exceed(sql: &dyn Sql, limit: u32) -> Result<bool, StoreError> {
    let rows = sql
        .known("SELECT 1 FROM facts WHERE status = 'current' LIMIT 1 OFFSET ?", &[i64::from(limit).into()])?;
    Ok(!rows.is_empty())
}

/// Current facts that are given whatever is asked.
pub fn pinned(sql: &dyn Sql, limit: u32) -> Result<Vec<Fact>, StoreError> {
    read_all(&sql.known(
        &format!(
            "SELECT {COLUMNS} FROM facts WHERE status = 'current' AND pinned = 1
             ORDER BY observed_at DESC, id DESC LIMIT ?"
        ),
        &[i64::from(limit).into()],
    )?)
}

/// Facts whose text means the same by its normal form, any status and scope.
pub fn same_text(sql: &dyn Sql, text: &str) -> Result<Vec<Fact>, StoreError> {
    read_all(&sql.exec(
        &format!("SELECT {COLUMNS} FROM facts WHERE normal = ? ORDER BY created_at DESC, id DESC LIMIT 50"),
        &[normal(text).as_str().into()],
    )?)
}

/// The newest current facts, with their versions.
pub fn newest(sql: &dyn Sql, limit: u32) -> Result<Vec<(FactId, u32)>, StoreError> {
    let rows = sql.known(
        "SELECT id, version FROM facts WHERE status = 'current'
         ORDER BY pinned DESC, observed_at DESC, id DESC LIMIT ?",
        &[i64::from(limit).into()],
    )?;
    rows.iter().map(read_version).collect()
}

/// Those of the facts that exist, with their versions.
pub fn versions(sql: &dyn Sql, ids: &[FactId]) -> Result<Vec<(FactId, u32)>, StoreError> {
    let ids = serde_json::to_string(ids).unwrap_or_default();
    let rows = sql.exec(
        "SELECT id, version FROM facts WHERE id IN (SELECT value FROM json_each(?))",
        &[ids.as_str().into()],
    )?;
    rows.iter().map(read_version).collect()
}

fn read_version(row: &Row) -> Result<(FactId, u32), StoreError> {
    let id = FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id"))?;
    Ok((id, u32::try_from(row.int(1)?).map_err(|_| StoreError::corrupt("version"))?))
}

/// Current facts about the attribute that the text states, if it can have one value only: a home is compared with
/// the home however long ago it was said and whatever words the two share. Any scope, those said last first.
pub fn same_attribute(sql: &dyn Sql, text: &str) -> Result<Vec<Fact>, StoreError> {
    let Some(about) = about(text) else { return Ok(Vec::new()) };
    read_all(&sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM facts WHERE about = ? AND status = 'current'
             ORDER BY observed_at DESC, id DESC LIMIT 20"
        ),
        &[(&about).into()],
    )?)
}

fn about(text: &str) -> Option<String> {
    let claim = claim(text).filter(|claim| matches!(claim.count, Count::One | Count::Fixed))?;
    Some(format!("{}/{}", claim.attribute, claim.subject))
}

pub fn count(sql: &dyn Sql) -> Result<i64, StoreError> {
    counted(&sql.exec("SELECT count(*) FROM facts", &[])?)?.int(0)
}

/// The messages that said or confirmed a fact.
pub fn sources(sql: &dyn Sql, fact: &FactId) -> Result<Vec<MessageId>, StoreError> {
    sql.exec("SELECT message FROM fact_sources WHERE fact = ? ORDER BY message", &[fact.as_str().into()])?
        .iter()
        .map(|row| MessageId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("message id")))
        .collect()
}

/// The facts that rest on any of these messages.
pub fn resting_on(sql: &dyn Sql, messages: &[MessageId]) -> Result<Vec<FactId>, StoreError> {
    sql.exec(
        "SELECT DISTINCT fact FROM fact_sources WHERE message IN (SELECT value FROM json_each(?)) ORDER BY fact",
        &[super::messages::id_list(messages).as_str().into()],
    )?
    .iter()
    .map(|row| FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id")))
    .collect()
}

/// Why a held fact is held, and which fact it would replace.
pub fn hold(sql: &dyn Sql, fact: &FactId) -> Result<Option<(String, Option<FactId>)>, StoreError> {
    let rows = sql.exec("SELECT reason, contests FROM holds WHERE fact = ?", &[fact.as_str().into()])?;
    rows.first()
        .map(|row| Ok((row.string(0)?, row.optional(1, Row::string)?.and_then(|id| FactId::parse(&id)))))
        .transpose()
}

pub(super) fn add_source(sql: &dyn Sql, fact: &FactId, message: &MessageId) -> Result<(), StoreError> {
    sql.exec(
        "INSERT OR IGNORE INTO fact_sources (fact, message) VALUES (?, ?)",
        &[fact.as_str().into(), message.as_str().into()],
    )?;
    Ok(())
}

pub(super) fn set_hold(
    sql: &dyn Sql,
    fact: &FactId,
    reason: &str,
    contests: Option<&FactId>,
) -> Result<(), StoreError> {
    sql.exec(
        "INSERT OR REPLACE INTO holds (fact, reason, contests) VALUES (?, ?, ?)",
        &[fact.as_str().into(), reason.into(), contests.map(FactId::as_str).into()],
    )?;
    Ok(())
}

/// Writes the row as it is; everything but `supersedes`, which other rows hold.
pub(super) fn put(sql: &dyn Sql, fact: &Fact) -> Result<(), StoreError> {
    let search = format!("{}\n{}", fold_kana(&fact.text), fold_kana(&fact.source.quote));
    sql.exec(
        "INSERT OR REPLACE INTO facts (id, text, normal, about, search, kind, scope, status, pinned, edited, observed_at,
             valid_from, valid_until, superseded_by, message, thread, quote, said_at, turn, created_at, updated_at,
             version)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &[
            fact.id.as_str().into(),
            (&fact.text).into(),
            normal(&fact.text).as_str().into(),
            about(&fact.text).as_ref().into(),
            (&search).into(),
            fact.kind.as_str().into(),
            fact.scope.to_word().as_str().into(),
            fact.status.as_str().into(),
            fact.pinned.into(),
            fact.edited.into(),
            fact.observed_at.into(),
            fact.valid_from.as_ref().into(),
            fact.valid_until.as_ref().into(),
            fact.superseded_by.as_ref().map(FactId::as_str).into(),
            fact.source.message.as_ref().map(MessageId::as_str).into(),
            fact.source.thread.as_ref().map(ThreadId::as_str).into(),
            (&fact.source.quote).into(),
            fact.source.said_at.into(),
            fact.turn.as_ref().map(TurnId::as_str).into(),
            fact.created_at.into(),
            fact.updated_at.into(),
            i64::from(fact.version).into(),
        ],
    )?;
    if let Some(message) = &fact.source.message {
        add_source(sql, &fact.id, message)?;
    }
    Ok(())
}

pub(super) fn delete(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    sql.exec("DELETE FROM facts WHERE id = ?", &[id.as_str().into()])?;
    Ok(())
}

fn read_all(rows: &[Row]) -> Result<Vec<Fact>, StoreError> {
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Fact, StoreError> {
    let id = |column: usize| -> Result<Option<FactId>, StoreError> {
        row.optional(column, Row::string)?
            .map(|id| FactId::parse(&id).ok_or_else(|| StoreError::corrupt("fact id")))
            .transpose()
    };
    Ok(Fact {
        id: id(0)?.ok_or_else(|| StoreError::corrupt("fact id"))?,
        text: row.string(1)?,
        kind: Kind::parse(row.text(2)?).ok_or_else(|| StoreError::corrupt("kind"))?,
        scope: Scope::parse(row.text(3)?).ok_or_else(|| StoreError::corrupt("scope"))?,
        status: Status::parse(row.text(4)?).ok_or_else(|| StoreError::corrupt("status"))?,
        pinned: row.flag(5)?,
        edited: row.flag(6)?,
        observed_at: Millis(row.int(7)?),
        valid_from: row.optional(8, Row::string)?,
        valid_until: row.optional(9, Row::string)?,
        superseded_by: id(10)?,
        source: Source {
            message: row.optional(11, Row::string)?.and_then(|id| MessageId::parse(&id)),
            thread: row.optional(12, Row::string)?.and_then(|id| ThreadId::parse(&id)),
            quote: row.string(13)?,
            said_at: Millis(row.int(14)?),
        },
        turn: row.optional(15, Row::string)?.and_then(|id| TurnId::parse(&id)),
        created_at: Millis(row.int(16)?),
        updated_at: Millis(row.int(17)?),
        version: u32::try_from(row.int(18)?).map_err(|_| StoreError::corrupt("version"))?,
        supersedes: json::read(row.text(19)?.as_bytes()).map_err(|_| StoreError::corrupt("fact id"))?,
    })
}
