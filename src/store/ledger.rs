//! The ledger: every change to memory with what was before and after, so that each can be shown and undone.
//!
//! Invariant: [`commit`] is the only writer of facts; a fact and the entry that explains it are one transaction,
//! and the caller's mirrors are told inside it. Versions only grow, also through undo, so that a late mirror write
//! can't win over a newer one. Replaying the entries gives the facts that are stored.

use super::sql::{Row, Sql, StoreError, atomic};
use super::{facts, snapshot};
use crate::id::{ChangeId, FactId, TurnId};
use crate::memory::model::{Fact, Op, Status};
use crate::sorted::SortedMap;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    op TEXT NOT NULL,
    fact TEXT NOT NULL,
    reason TEXT NOT NULL,
    quote TEXT,
    turn TEXT,
    at INTEGER NOT NULL,
    undoes TEXT,
    undone_by TEXT,
    -- The content is gone because a fact in it was forgotten.
    wiped INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX changes_by_fact ON changes (fact);
CREATE TABLE change_items (
    change INTEGER NOT NULL,
    fact TEXT NOT NULL,
    before TEXT,
    after TEXT,
    -- The fact's version afterwards, also if the fact is gone.
    version INTEGER NOT NULL,
    PRIMARY KEY (change, fact)
) WITHOUT ROWID;
CREATE INDEX change_items_by_fact ON change_items (fact);
";

/// What the mirrors must learn about one fact.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    Changed(&'a Fact),
    Removed { fact: &'a FactId, version: u32 },
}

/// When, why and by whom memory changes; chance and mirrors are the caller's.
pub struct Act<'a> {
    pub now: Millis,
    pub turn: Option<&'a TurnId>,
    /// Ten fresh random bytes for each id.
    pub dice: &'a mut dyn FnMut() -> [u8; 10],
    /// Called inside the transaction for every fact that changed: the place for outbox rows.
    pub told: &'a mut dyn FnMut(Told<'_>) -> Result<(), StoreError>,
}

/// What one entry did. `fact` is the fact afterwards, the new one of a supersede; `None` if it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub change: ChangeId,
    pub op: Op,
    pub fact: Option<Fact>,
}

/// One fact in an entry. Both sides are `None` in an entry whose content was forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub fact: FactId,
    pub before: Option<Fact>,
    pub after: Option<Fact>,
    pub version: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the ledger; the cursor of the list.
    pub seq: i64,
    pub id: ChangeId,
    pub op: Op,
    /// The fact it is about, the new one of a supersede.
    pub fact: FactId,
    pub items: Vec<Item>,
    pub reason: String,
    pub quote: Option<String>,
    pub turn: Option<TurnId>,
    pub at: Millis,
    pub undoes: Option<ChangeId>,
    pub undone_by: Option<ChangeId>,
    /// Its content was forgotten, and with it the way back.
    pub wiped: bool,
}

/// Why an entry can't be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoRefused {
    Missing,
    /// It is a forgetting, or a fact in it was forgotten: there is nothing left to restore.
    Forgotten,
    AlreadyUndone,
    /// The fact has changed since, or another says what it would say; that change has to be undone first.
    Overtaken,
    /// It changed no fact, as a proposal does.
    Nothing,
}

/// What is to be written by [`commit`].
pub(super) struct Draft<'a> {
    pub op: Op,
    pub fact: &'a FactId,
    pub reason: &'a str,
    pub quote: Option<&'a str>,
    pub undoes: Option<&'a ChangeId>,
    /// Each fact and what becomes of it; `None` removes it.
    pub after: Vec<(FactId, Option<Fact>)>,
}

/// The entries before `before` (all, if `None`), newest first.
pub fn list(sql: &dyn Sql, before: Option<i64>, limit: u32) -> Result<Vec<Entry>, StoreError> {
    let rows = sql.exec(
        &format!("SELECT {COLUMNS} FROM changes WHERE seq < ? ORDER BY seq DESC LIMIT ?"),
        &[before.unwrap_or(1 << 52).into(), i64::from(limit).into()],
    )?;
    with_items(sql, &rows)
}

pub fn get(sql: &dyn Sql, id: &ChangeId) -> Result<Option<Entry>, StoreError> {
    let rows = sql.exec(&format!("SELECT {COLUMNS} FROM changes WHERE id = ?"), &[id.as_str().into()])?;
    Ok(with_items(sql, &rows)?.pop())
}

/// Restores what was before the entry, as a new entry, which can be undone in turn.
pub fn undo(
    sql: &dyn Sql,
    id: &ChangeId,
    act: &mut Act<'_>,
) -> Result<Result<Applied, UndoRefused>, StoreError> {
    atomic(sql, || {
        let Some(entry) = get(sql, id)? else { return Ok(Err(UndoRefused::Missing)) };
        if entry.wiped || entry.op == Op::Forgotten {
            return Ok(Err(UndoRefused::Forgotten));
        }
        if entry.undone_by.is_some() {
            return Ok(Err(UndoRefused::AlreadyUndone));
        }
        if entry.items.is_empty() {
            return Ok(Err(UndoRefused::Nothing));
        }
        for item in &entry.items {
            let now = facts::get(sql, &item.fact)?;
            if !is_untouched(now.as_ref(), item.after.as_ref(), entry.op == Op::Confirmed) {
                return Ok(Err(UndoRefused::Overtaken));
            }
        }
        for item in &entry.items {
            if let Some(restored) = item.before.as_ref().filter(|fact| is_back(fact, item.after.as_ref()))
                && is_taken(sql, restored, &entry)?
            {
                return Ok(Err(UndoRefused::Overtaken));
            }
        }
        let draft = Draft {
            op: Op::Undone,
            fact: &entry.fact,
            reason: "undone by the user",
            quote: None,
            undoes: Some(&entry.id),
            after: entry.items.iter().map(|item| (item.fact.clone(), item.before.clone())).collect(),
        };
        let applied = commit(sql, draft, act)?;
        sql.exec(
            "UPDATE changes SET undone_by = ? WHERE id = ?",
            &[applied.change.as_str().into(), entry.id.as_str().into()],
        )?;
        if let Some(undone) = &entry.undoes {
            sql.exec("UPDATE changes SET undone_by = NULL WHERE id = ?", &[undone.as_str().into()])?;
        }
        Ok(Ok(applied))
    })
}

/// Whether the undo makes the fact one that holds now.
fn is_back(before: &Fact, after: Option<&Fact>) -> bool {
    before.status == Status::Current && after.is_none_or(|after| after.status != Status::Current)
}

/// Whether another fact, which this entry doesn't change, holds the attribute of which there is one value at a time.
fn is_taken(sql: &dyn Sql, restored: &Fact, entry: &Entry) -> Result<bool, StoreError> {
    let holders = facts::same_attribute(sql, &restored.text)?;
    Ok(holders.iter().any(|holder| {
        holder.scope == restored.scope && !entry.items.iter().any(|item| item.fact == holder.id)
    }))
}

/// Whether a fact is what the entry left. A later confirmation takes nothing from it, unless the entry is one.
fn is_untouched(now: Option<&Fact>, left: Option<&Fact>, strict: bool) -> bool {
    match (now, left) {
        (None, None) => true,
        (Some(now), Some(left)) => {
            let mut now = now.clone();
            now.version = left.version;
            now.updated_at = left.updated_at;
            if !strict {
                now.observed_at = left.observed_at;
            }
            now == *left
        }
        _ => false,
    }
}

/// Writes facts and their entry, and tells the mirrors. The caller holds the transaction.
pub(super) fn commit(sql: &dyn Sql, draft: Draft<'_>, act: &mut Act<'_>) -> Result<Applied, StoreError> {
    let id = ChangeId::new((act.dice)());
    let rows = sql.exec(
        "INSERT INTO changes (id, op, fact, reason, quote, turn, at, undoes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         RETURNING seq",
        &[
            id.as_str().into(),
            draft.op.as_str().into(),
            draft.fact.as_str().into(),
            draft.reason.into(),
            draft.quote.into(),
            act.turn.map(TurnId::as_str).into(),
            act.now.into(),
            draft.undoes.map(ChangeId::as_str).into(),
        ],
    )?;
    let seq = rows.first().ok_or_else(|| StoreError::corrupt("inserted row"))?.int(0)?;
    let mut befores = Vec::with_capacity(draft.after.len());
    for (fact, _) in &draft.after {
        befores.push((facts::get(sql, fact)?, next_version(sql, fact)?));
    }
    for ((fact, after), (_, version)) in draft.after.iter().zip(&befores) {
        match after {
            Some(after) => {
                let mut after = after.clone();
                after.version = *version;
                after.updated_at = act.now;
                facts::put(sql, &after)?;
            }
            None => facts::delete(sql, fact)?,
        }
    }
    let mut main = None;
    for ((fact, _), (before, version)) in draft.after.iter().zip(befores) {
        // Read again, because links are derived from rows that were written after this one.
        let after = facts::get(sql, fact)?;
        let kept = |fact: Option<&Fact>| fact.map(snapshot::write).transpose();
        sql.exec(
            "INSERT INTO change_items (change, fact, before, after, version) VALUES (?, ?, ?, ?, ?)",
            &[
                seq.into(),
                fact.as_str().into(),
                kept(before.as_ref())?.as_ref().into(),
                kept(after.as_ref())?.as_ref().into(),
                i64::from(version).into(),
            ],
        )?;
        match &after {
            Some(after) => (act.told)(Told::Changed(after))?,
            None => (act.told)(Told::Removed { fact, version })?,
        }
        if fact == draft.fact {
            main = after;
        }
    }
    Ok(Applied { change: id, op: draft.op, fact: main })
}

/// One more than any version the fact ever had.
pub(super) fn next_version(sql: &dyn Sql, fact: &FactId) -> Result<u32, StoreError> {
    let rows = sql
        .exec("SELECT coalesce(max(version), 0) FROM change_items WHERE fact = ?", &[fact.as_str().into()])?;
    let last = rows.first().ok_or_else(|| StoreError::corrupt("version"))?.int(0)?;
    u32::try_from(last + 1).map_err(|_| StoreError::corrupt("version"))
}

/// What is being forgotten is told no more.
const COLUMNS: &str = "seq, id, op, fact, reason, iif(fact IN (SELECT id FROM leaving_facts), NULL, quote), turn, at, \
    undoes, undone_by, wiped";

fn with_items(sql: &dyn Sql, rows: &[Row]) -> Result<Vec<Entry>, StoreError> {
    let seqs = rows.iter().map(|row| row.int(0)).collect::<Result<Vec<_>, _>>()?;
    let seqs = serde_json::to_string(&seqs).unwrap_or_else(|_| "[]".to_owned());
    let mut items: SortedMap<i64, Vec<Item>> = SortedMap::new();
    for row in sql.exec(
        "SELECT change, fact, iif(gone, NULL, before), iif(gone, NULL, after), version
         FROM (SELECT *, fact IN (SELECT id FROM leaving_facts) AS gone FROM change_items)
         WHERE change IN (SELECT value FROM json_each(?)) ORDER BY change, fact",
        &[seqs.as_str().into()],
    )? {
        let side = |column| row.optional(column, |row, column| snapshot::read(row.text(column)?));
        items.or_default(row.int(0)?).push(Item {
            fact: fact_id(&row, 1)?,
            before: side(2)?,
            after: side(3)?,
            version: u32::try_from(row.int(4)?).map_err(|_| StoreError::corrupt("version"))?,
        });
    }
    rows.iter()
        .map(|row| {
            let change = |column| {
                row.optional(column, |row, column| {
                    ChangeId::parse(row.text(column)?).ok_or_else(|| StoreError::corrupt("change id"))
                })
            };
            let seq = row.int(0)?;
            Ok(Entry {
                seq,
                id: change(1)?.ok_or_else(|| StoreError::corrupt("change id"))?,
                op: Op::parse(row.text(2)?).ok_or_else(|| StoreError::corrupt("op"))?,
                fact: fact_id(row, 3)?,
                items: items.remove(&seq).unwrap_or_default(),
                reason: row.string(4)?,
                quote: row.optional(5, Row::string)?,
                turn: row.optional(6, Row::string)?.and_then(|id| TurnId::parse(&id)),
                at: Millis(row.int(7)?),
                undoes: change(8)?,
                undone_by: change(9)?,
                wiped: row.flag(10)?,
            })
        })
        .collect()
}

fn fact_id(row: &Row, column: usize) -> Result<FactId, StoreError> {
    FactId::parse(row.text(column)?).ok_or_else(|| StoreError::corrupt("fact id"))
}
