//! What was said elsewhere, in the archive of what was said here.
//!
//! Invariant: an imported message never stands behind one of a conversation here, because it was said before; so it
//! isn't among the newest that a prompt quotes, and no fold takes it for overflow. It waits for the index and, if the
//! user asked for that, for extraction, as columns of its row.

use super::messages::{COLUMNS, Message, read};
use super::sql::{Sql, StoreError, counted};
use crate::id::{MessageId, ThreadId};
use crate::import::Said;
use crate::time::Millis;

pub const SCHEMA: &str = "
-- 0 was said here, 1 was imported and waits for the index, 2 was imported.
ALTER TABLE messages ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
CREATE INDEX messages_to_index ON messages (seq) WHERE imported = 1;
-- Imported messages of the user that may teach facts are marked with 2, so that what is said here doesn't wait.
CREATE INDEX messages_to_study ON messages (thread, seq) WHERE teaches = 2;
-- The same id may come from two conversations.
DROP INDEX messages_imported;
";

/// Places that one import may take in front of everything that is there.
const BLOCK: i64 = 1 << 28;

/// The first place of an import whose messages belong in front of a conversation.
pub fn block(sql: &dyn Sql) -> Result<i64, StoreError> {
    let rows = sql.exec(
        "SELECT min(0, (SELECT coalesce(min(seq), 0) FROM messages), (SELECT coalesce(min(doc), 0) FROM leaving_messages))",
        &[],
    )?;
    Ok(rows.first().ok_or_else(|| StoreError::corrupt("place"))?.int(0)? - BLOCK)
}

/// Whether something was said here in a thread. What is imported stands before that, so the newest message tells.
pub fn is_conversation(sql: &dyn Sql, thread: &ThreadId) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "SELECT imported FROM messages WHERE thread = ? ORDER BY seq DESC LIMIT 1",
        &[thread.as_str().into()],
    )?;
    rows.first().map_or(Ok(false), |row| Ok(row.int(0)? == 0))
}

/// How an imported message is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placing {
    /// Its place; `None` behind everything.
    pub seq: Option<i64>,
    /// It says something that was forgotten since.
    pub excluded: bool,
    /// Facts may be extracted from it.
    pub teaches: bool,
}

/// Writes an imported message; false if it is there already. Idempotent.
pub fn put(sql: &dyn Sql, thread: &ThreadId, said: &Said, placing: Placing) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "INSERT INTO messages (seq, id, thread, role, text, created_at, excluded, teaches, external_id, imported)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING seq",
        &[
            placing.seq.into(),
            said.id.as_str().into(),
            thread.as_str().into(),
            said.role.as_str().into(),
            said.text.as_str().into(),
            said.said_at.into(),
            placing.excluded.into(),
            if placing.teaches && !placing.excluded { 2 } else { 0 }.into(),
            said.external_id.as_deref().into(),
            if placing.excluded { 2 } else { 1 }.into(),
        ],
    )?;
    Ok(!rows.is_empty())
}

/// Makes the thread of imported messages, or gives one that has no title this one. Its times are those of what was
/// said, so that it takes its place among the others.
pub fn put_thread(
    sql: &dyn Sql,
    id: &ThreadId,
    title: &str,
    first: Millis,
    last: Millis,
) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO threads (id, title, temporary, created_at, updated_at) VALUES (?1, ?2, 0, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET title = CASE title WHEN '' THEN ?2 ELSE title END,
             created_at = min(created_at, ?3), updated_at = max(updated_at, ?4)",
        &[id.as_str().into(), title.into(), first.into(), last.into()],
    )?;
    Ok(())
}

/// Lets no fold begin with imported messages, except those that are among the newest when the thread goes on here.
pub fn pass_over(sql: &dyn Sql, thread: &ThreadId, recent: usize) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE threads SET folded_seq = max(folded_seq, coalesce(
             (SELECT seq FROM messages WHERE thread = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2), 0)) WHERE id = ?1",
        &[thread.as_str().into(), (recent as i64).into()],
    )?;
    Ok(())
}

/// Imported messages that wait for the index, in their order.
pub fn to_index(sql: &dyn Sql, limit: u32) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!("SELECT {COLUMNS} FROM messages WHERE imported = 1 ORDER BY seq LIMIT ?"),
        &[i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// The message is in the index, or shall never be.
pub fn indexed(sql: &dyn Sql, id: &MessageId) -> Result<(), StoreError> {
    sql.exec("UPDATE messages SET imported = 2 WHERE id = ? AND imported = 1", &[id.as_str().into()])?;
    Ok(())
}

/// Imported messages of one thread that may still teach facts, in their order.
pub fn to_study(sql: &dyn Sql, limit: u32) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE teaches = 2 AND thread =
                 (SELECT thread FROM messages WHERE teaches = 2 ORDER BY thread, seq LIMIT 1)
             ORDER BY thread, seq LIMIT ?"
        ),
        &[i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// What imports have left to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub to_index: i64,
    pub to_study: i64,
}

pub fn waiting(sql: &dyn Sql) -> Result<Waiting, StoreError> {
    let rows = sql.exec(
        "SELECT (SELECT count(*) FROM messages WHERE imported = 1), (SELECT count(*) FROM messages WHERE teaches = 2)",
        &[],
    )?;
    let row = counted(&rows)?;
    Ok(Waiting { to_index: row.int(0)?, to_study: row.int(1)? })
}
