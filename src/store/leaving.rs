//! What is being deleted: out of sight at once, erased in steps of bounded size.
//!
//! Taking a message's words out of the search index and finding everything that says a fact take milliseconds each, so a
//! long conversation can't go in one transaction. Its rows go first, some hundreds at a time; what takes long is noted here
//! and done behind the answer.
//!
//! Invariant: a message whose place is noted here is in no other table but the index, whose hits nothing confirms any more;
//! a fact that is here is not among the facts, its text is buried, and its entries in the ledger tell nothing.

use super::receipts::{self, Summary};
use super::sql::{Row, Sql, StoreError, atomic, counted};
use super::{forget, index, tombstones, turns};
use crate::id::{FactId, ThreadId, TurnId};
use crate::time::Millis;

pub const SCHEMA: &str = "
-- Conversations whose rows aren't all gone: messages from `first` to `last`, and the facts from before `at` if they go too.
CREATE TABLE leaving_threads (
    thread TEXT PRIMARY KEY,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    facts INTEGER NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
-- Places whose words the index still has.
CREATE TABLE leaving_messages (doc INTEGER PRIMARY KEY);
-- Rows of `facts`, column for column.
CREATE TABLE leaving_facts (
    id TEXT PRIMARY KEY, text, normal, about, search, kind, scope, status, pinned, edited, observed_at, valid_from,
    valid_until, superseded_by, message, thread, quote, said_at, turn, created_at, updated_at, version
) WITHOUT ROWID;
";

/// Rows of messages that go in one transaction, some ten milliseconds.
const MESSAGES_AT_ONCE: i64 = 500;
const FACTS_AT_ONCE: u32 = 25;

/// What is still to be erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub messages: i64,
    pub facts: i64,
}

impl Waiting {
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// Begins to delete a conversation, with the facts of [`facts_of_thread`] if `with_facts`.
pub fn begin(sql: &dyn Sql, thread: &ThreadId, with_facts: bool, now: Millis) -> Result<(), StoreError> {
    // Whoever answers in it finds no turn to end.
    turns::delete_open(sql, thread)?;
    sql.exec(
        "INSERT INTO leaving_threads SELECT ?1, coalesce(min(seq), 0), coalesce(max(seq), 0), ?2, ?3
         FROM messages WHERE thread = ?1
         ON CONFLICT (thread) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
             facts = max(facts, excluded.facts), at = excluded.at",
        &[thread.as_str().into(), with_facts.into(), now.into()],
    )?;
    Ok(())
}

/// Takes the next rows out of sight; `false` once there are none. `random` is for [`tombstones`].
pub fn hide(sql: &dyn Sql, random: &[u8; 32], now: Millis) -> Result<bool, StoreError> {
    atomic(sql, || {
        let rows = sql.exec("SELECT thread, first, last, facts, at FROM leaving_threads LIMIT 1", &[])?;
        let Some(row) = rows.first() else { return Ok(false) };
        let thread = ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id"))?;
        let facts = if row.flag(3)? {
            facts_of_thread(sql, &thread, Millis(row.int(4)?), FACTS_AT_ONCE)?
        } else {
            Vec::new()
        };
        for fact in &facts {
            hide_fact(sql, fact, random, now)?;
        }
        // The newest first: what is shown and quoted.
        let going = sql.exec(
            "SELECT seq, turn FROM messages WHERE thread = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?",
            &[thread.as_str().into(), row.int(1)?.into(), row.int(2)?.into(), MESSAGES_AT_ONCE.into()],
        )?;
        remove_messages(sql, &going)?;
        if facts.len() < FACTS_AT_ONCE as usize && going.len() < MESSAGES_AT_ONCE as usize {
            sql.exec("DELETE FROM leaving_threads WHERE thread = ?", &[thread.as_str().into()])?;
        }
        Ok(!sql.exec("SELECT 1 FROM leaving_threads LIMIT 1", &[])?.is_empty())
    })
}

/// Removes messages, by rows of their places and turns, with those turns and all that is known of them.
pub fn remove_messages(sql: &dyn Sql, going: &[Row]) -> Result<(), StoreError> {
    let places = going.iter().map(|row| row.int(0)).collect::<Result<Vec<_>, _>>()?;
    let places = serde_json::to_string(&places).unwrap_or_default();
    let mut asked: Vec<TurnId> = Vec::new();
    for row in going {
        asked.extend(row.optional(1, Row::string)?.and_then(|id| TurnId::parse(&id)));
    }
    let asked = serde_json::to_string(&asked).unwrap_or_default();
    sql.exec(
        "INSERT OR IGNORE INTO leaving_messages
         SELECT doc FROM indexed_messages WHERE doc IN (SELECT value FROM json_each(?))",
        &[places.as_str().into()],
    )?;
    for (statement, ids) in [
        // No model is sent them any more.
        ("DELETE FROM embedding_queue WHERE corpus = 1 AND doc IN (SELECT value FROM json_each(?))", &places),
        ("DELETE FROM messages WHERE seq IN (SELECT value FROM json_each(?))", &places),
        ("DELETE FROM chunks WHERE turn IN (SELECT value FROM json_each(?))", &asked),
        ("DELETE FROM traces WHERE turn IN (SELECT value FROM json_each(?))", &asked),
        ("DELETE FROM rewrites WHERE turn IN (SELECT value FROM json_each(?))", &asked),
        ("DELETE FROM turns WHERE id IN (SELECT value FROM json_each(?))", &asked),
    ] {
        sql.exec(statement, &[ids.as_str().into()])?;
    }
    Ok(())
}

fn hide_fact(sql: &dyn Sql, fact: &FactId, random: &[u8; 32], now: Millis) -> Result<(), StoreError> {
    let texts: Vec<String> = forget::texts(sql, fact)?.into_iter().collect();
    tombstones::bury(sql, &texts, now, random)?;
    forget::seal(sql, fact)?;
    for statement in
        ["INSERT INTO leaving_facts SELECT * FROM facts WHERE id = ?", "DELETE FROM facts WHERE id = ?"]
    {
        sql.exec(statement, &[fact.as_str().into()])?;
    }
    receipts::forgotten(sql, fact, Summary::Pending, now)
}

/// The next fact to be forgotten, back among the facts: only in the transaction that forgets it.
pub fn next_fact(sql: &dyn Sql) -> Result<Option<FactId>, StoreError> {
    let rows = sql.exec("SELECT id FROM leaving_facts LIMIT 1", &[])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let fact = FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id"))?;
    for statement in [
        "INSERT INTO facts SELECT * FROM leaving_facts WHERE id = ?",
        "DELETE FROM leaving_facts WHERE id = ?",
    ] {
        sql.exec(statement, &[fact.as_str().into()])?;
    }
    Ok(Some(fact))
}

/// Takes the words of so many messages out of the index; `false` once there are none.
pub fn drop_words(sql: &dyn Sql, limit: i64) -> Result<bool, StoreError> {
    atomic(sql, || {
        let rows = sql.exec("SELECT doc FROM leaving_messages LIMIT ?", &[limit.into()])?;
        for row in &rows {
            index::drop_message(sql, row.int(0)?)?;
            sql.exec("DELETE FROM leaving_messages WHERE doc = ?", &[row.int(0)?.into()])?;
        }
        Ok(!sql.exec("SELECT 1 FROM leaving_messages LIMIT 1", &[])?.is_empty())
    })
}

pub fn waiting(sql: &dyn Sql) -> Result<Waiting, StoreError> {
    let rows = sql.exec(
        "SELECT (SELECT count(*) FROM leaving_messages) + (SELECT count(*) FROM messages m JOIN leaving_threads l
             ON l.thread = m.thread AND m.seq BETWEEN l.first AND l.last), (SELECT count(*) FROM leaving_facts)",
        &[],
    )?;
    let row = counted(&rows)?;
    Ok(Waiting { messages: row.int(0)?, facts: row.int(1)? })
}

/// Whether a fact, or any for `""`, is still to be forgotten.
pub fn is_leaving(sql: &dyn Sql, fact: &str) -> Result<bool, StoreError> {
    let rows = sql.exec("SELECT 1 FROM leaving_facts WHERE ?1 IN ('', id) LIMIT 1", &[fact.into()])?;
    Ok(!rows.is_empty())
}

/// Facts from before `before` that were said in a thread, or are only recalled in it.
pub fn facts_of_thread(
    sql: &dyn Sql,
    thread: &ThreadId,
    before: Millis,
    limit: u32,
) -> Result<Vec<FactId>, StoreError> {
    sql.exec(
        "SELECT id FROM facts WHERE (thread = ?1 OR scope = 'thread:' || ?1) AND created_at <= ?2 ORDER BY id LIMIT ?3",
        &[thread.as_str().into(), before.into(), i64::from(limit).into()],
    )?
    .iter()
    .map(|row| FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id")))
    .collect()
}

/// Nothing waits any more, because everything else goes too.
pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    for table in ["leaving_threads", "leaving_messages", "leaving_facts"] {
        sql.exec(&format!("DELETE FROM {table}"), &[])?;
    }
    Ok(())
}
