//! Threads: the user's conversations, each with its rolling summary.

use super::sql::{Arg, Row, Sql, StoreError, counted};
use crate::id::ThreadId;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    temporary INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    summary_updated_at INTEGER,
    -- Messages up to this one are in the summary, or left out of it for good.
    folded_seq INTEGER NOT NULL DEFAULT 0,
    -- Something in the summary was forgotten: it may not be used before it is folded again.
    summary_stale INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX threads_by_update ON threads (updated_at, id);
";

/// Every turn asks when the longest idle temporary thread ends.
pub const IDLE: &str = "CREATE INDEX threads_temporary ON threads (updated_at) WHERE temporary = 1;";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub id: ThreadId,
    pub title: String,
    /// No memory is read or written in it, and it ends when it is deleted or idle for a day.
    pub temporary: bool,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub summary: String,
    pub summary_updated_at: Option<Millis>,
    pub folded_seq: i64,
    pub summary_stale: bool,
}

const COLUMNS: &str =
    "id, title, temporary, created_at, updated_at, summary, summary_updated_at, folded_seq, summary_stale";

/// The thread, if there is one. `main` is there from the first look.
pub fn get(sql: &dyn Sql, id: &ThreadId, now: Millis) -> Result<Option<Thread>, StoreError> {
    let found = find(sql, id)?;
    if found.is_none() && *id == ThreadId::main() {
        create(sql, id, "", false, now)?;
        return find(sql, id);
    }
    Ok(found)
}

fn find(sql: &dyn Sql, id: &ThreadId) -> Result<Option<Thread>, StoreError> {
    let rows = sql.known(&format!("SELECT {COLUMNS} FROM threads WHERE id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

pub fn create(
    sql: &dyn Sql,
    id: &ThreadId,
    title: &str,
    temporary: bool,
    now: Millis,
) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO threads (id, title, temporary, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING",
        &[id.as_str().into(), title.into(), temporary.into(), now.into(), now.into()],
    )?;
    Ok(())
}

/// Newest first, those after `before` = (updated_at, id) of the last one seen.
pub fn list(sql: &dyn Sql, before: Option<(Millis, &str)>, limit: u32) -> Result<Vec<Thread>, StoreError> {
    let (at, id) = before.unwrap_or((Millis(i64::MAX >> 11), ""));
    sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM threads WHERE (updated_at, id) < (?, ?)
             ORDER BY updated_at DESC, id DESC LIMIT ?"
        ),
        &[at.into(), id.into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

pub fn count(sql: &dyn Sql) -> Result<i64, StoreError> {
    let rows = sql.exec("SELECT count(*) FROM threads", &[])?;
    counted(&rows)?.int(0)
}

pub fn rename(sql: &dyn Sql, id: &ThreadId, title: &str, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE threads SET title = ?, updated_at = ? WHERE id = ?",
        &[title.into(), now.into(), id.as_str().into()],
    )?;
    Ok(())
}

/// Temporary threads that nobody has used since `before`.
pub fn idle_temporary(sql: &dyn Sql, before: Millis) -> Result<Vec<ThreadId>, StoreError> {
    sql.exec("SELECT id FROM threads WHERE temporary = 1 AND updated_at < ? LIMIT 100", &[before.into()])?
        .iter()
        .map(|row| ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id")))
        .collect()
}

/// When the longest idle temporary thread was used last.
pub fn oldest_temporary(sql: &dyn Sql) -> Result<Option<Millis>, StoreError> {
    let rows = sql.known("SELECT min(updated_at) FROM threads WHERE temporary = 1", &[])?;
    rows.first().map_or(Ok(None), |row| row.optional(0, Row::int)).map(|at| at.map(Millis))
}

/// Replaces the summary by one that holds everything up to `folded_seq`.
pub fn set_summary(
    sql: &dyn Sql,
    id: &ThreadId,
    summary: &str,
    folded_seq: i64,
    now: Millis,
) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE threads SET summary = ?, folded_seq = max(folded_seq, ?), summary_updated_at = ?, summary_stale = 0
         WHERE id = ?",
        &[summary.into(), folded_seq.into(), now.into(), id.as_str().into()],
    )?;
    Ok(())
}

/// Marks the summaries of these threads as not to be used until they are folded again, from their first message on.
pub fn spoil_summary(sql: &dyn Sql, id: &ThreadId) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE threads SET summary = '', summary_stale = 1, folded_seq = 0 WHERE id = ?",
        &[id.as_str().into()],
    )?;
    Ok(())
}

/// The summaries that there are.
pub fn summaries(sql: &dyn Sql) -> Result<Vec<(ThreadId, String)>, StoreError> {
    sql.exec("SELECT id, summary FROM threads WHERE summary <> '' ORDER BY id", &[])?
        .iter()
        .map(|row| {
            Ok((
                ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id"))?,
                row.string(1)?,
            ))
        })
        .collect()
}

/// Takes back titles that are the beginning of one of these messages, as pages make them. `ids` is a JSON list.
pub fn untitle(sql: &dyn Sql, ids: &str) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE threads SET title = '' WHERE title <> '' AND EXISTS (
             SELECT 1 FROM messages m WHERE m.id IN (SELECT value FROM json_each(?)) AND m.thread = threads.id
               AND substr(ltrim(m.text), 1, length(rtrim(title, '…'))) = rtrim(title, '…'))",
        &[ids.into()],
    )?;
    Ok(())
}

/// Takes back the titles that `says` names.
pub fn untitle_where(sql: &dyn Sql, says: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    for row in sql.exec("SELECT id, title FROM threads WHERE title <> ''", &[])? {
        if says(row.text(1)?) {
            sql.exec("UPDATE threads SET title = '' WHERE id = ?", &[row.text(0)?.into()])?;
        }
    }
    Ok(())
}

/// Whether any summary waits to be folded again.
pub fn any_stale(sql: &dyn Sql) -> Result<bool, StoreError> {
    Ok(!sql.exec("SELECT 1 FROM threads WHERE summary_stale = 1 LIMIT 1", &[])?.is_empty())
}

pub fn delete(sql: &dyn Sql, id: &ThreadId) -> Result<(), StoreError> {
    sql.exec("DELETE FROM threads WHERE id = ?", &[id.as_str().into()])?;
    Ok(())
}

/// Every thread, without its text: for forgetting everything.
pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM threads", &[] as &[Arg<'_>])?;
    Ok(())
}

fn read(row: &Row) -> Result<Thread, StoreError> {
    Ok(Thread {
        id: ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id"))?,
        title: row.string(1)?,
        temporary: row.flag(2)?,
        created_at: Millis(row.int(3)?),
        updated_at: Millis(row.int(4)?),
        summary: row.string(5)?,
        summary_updated_at: row.optional(6, Row::int)?.map(Millis),
        folded_seq: row.int(7)?,
        summary_stale: row.flag(8)?,
    })
}
