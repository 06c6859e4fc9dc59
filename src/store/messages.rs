//! Messages: the archive, every message verbatim, in the order in which it became durable.

use std::ops::Range;

use super::scrub::OVERWRITTEN;
use super::sql::{Row, Sql, StoreError, counted};
use super::threads;
use crate::id::{MessageId, ThreadId, TurnId};
use crate::llm::Role;
use crate::sorted::SortedMap;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    turn TEXT,
    -- stopped, failed, truncated or erased; NULL is whole.
    status TEXT,
    -- Left out of prompts, folds and recall, because something it says was forgotten.
    excluded INTEGER NOT NULL DEFAULT 0,
    -- A user message that may still teach facts: 1 waits, 0 is settled or was said with memory off.
    teaches INTEGER NOT NULL DEFAULT 0,
    external_id TEXT
);
CREATE INDEX messages_by_thread ON messages (thread, seq);
CREATE INDEX messages_by_turn ON messages (turn) WHERE turn IS NOT NULL;
CREATE INDEX messages_to_learn ON messages (thread, seq) WHERE teaches = 1;
CREATE UNIQUE INDEX messages_imported ON messages (external_id) WHERE external_id IS NOT NULL;
";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its place in the archive; grows with time.
    pub seq: i64,
    pub id: MessageId,
    pub thread: ThreadId,
    pub role: Role,
    pub text: String,
    pub created_at: Millis,
    pub turn: Option<TurnId>,
    /// `stopped`, `failed`, `truncated` or `erased`; `None` is whole.
    pub status: Option<String>,
    pub excluded: bool,
}

/// A message to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewMessage<'a> {
    pub id: &'a MessageId,
    pub thread: &'a ThreadId,
    pub role: Role,
    pub text: &'a str,
    pub created_at: Millis,
    pub turn: Option<&'a TurnId>,
    pub status: Option<&'a str>,
    /// Whether facts may be extracted from it.
    pub teaches: bool,
    /// The id it had elsewhere, for imports that repeat without doubles.
    pub external_id: Option<&'a str>,
}

pub(super) const COLUMNS: &str = "seq, id, thread, role, text, created_at, turn, status, excluded";

/// Writes a message and gives its place.
pub fn insert(sql: &dyn Sql, new: &NewMessage<'_>) -> Result<i64, StoreError> {
    let rows = sql.exec(
        "INSERT INTO messages (id, thread, role, text, created_at, turn, status, teaches, external_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
        &[
            new.id.as_str().into(),
            new.thread.as_str().into(),
            new.role.as_str().into(),
            new.text.into(),
            new.created_at.into(),
            new.turn.map(TurnId::as_str).into(),
            new.status.into(),
            new.teaches.into(),
            new.external_id.into(),
        ],
    )?;
    rows.first().ok_or_else(|| StoreError::corrupt("inserted row"))?.int(0)
}

pub fn get(sql: &dyn Sql, id: &MessageId) -> Result<Option<Message>, StoreError> {
    let rows = sql.exec(&format!("SELECT {COLUMNS} FROM messages WHERE id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

/// The newest messages of a thread before `before` (all, if `None`), newest first.
pub fn page(
    sql: &dyn Sql,
    thread: &ThreadId,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!("SELECT {COLUMNS} FROM messages WHERE thread = ? AND seq < ? ORDER BY seq DESC LIMIT ?"),
        &[thread.as_str().into(), before.unwrap_or(1 << 52).into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// The newest `limit` messages of a thread, oldest first: what is shown, and what a prompt may quote.
pub fn recent(sql: &dyn Sql, thread: &ThreadId, limit: usize) -> Result<Vec<Message>, StoreError> {
    let mut newest = page(sql, thread, None, u32::try_from(limit).unwrap_or(u32::MAX))?;
    newest.reverse();
    Ok(newest)
}

/// The newest `limit` messages of a thread before a place, oldest first.
pub fn before(sql: &dyn Sql, thread: &ThreadId, seq: i64, limit: u32) -> Result<Vec<Message>, StoreError> {
    let mut newest = page(sql, thread, Some(seq), limit)?;
    newest.reverse();
    Ok(newest)
}

/// A message of a thread, and the newest `limit` before it, oldest first.
pub fn up_to(
    sql: &dyn Sql,
    thread: &ThreadId,
    last: &MessageId,
    limit: usize,
) -> Result<(Vec<Message>, Message), StoreError> {
    let mut found: Vec<Message> = sql
        .exec(
            &format!(
                "SELECT {COLUMNS} FROM messages WHERE thread = ?1 AND seq <= (SELECT seq FROM messages WHERE id = ?2)
                 ORDER BY seq DESC LIMIT ?3"
            ),
            &[thread.as_str().into(), last.as_str().into(), (limit as i64 + 1).into()],
        )?
        .iter()
        .map(read)
        .collect::<Result<_, StoreError>>()?;
    found.reverse();
    match found.pop() {
        Some(message) if message.id == *last => Ok((found, message)),
        _ => Err(StoreError::corrupt("message")),
    }
}

/// The messages at these places that may be shown, in no order.
pub fn at(sql: &dyn Sql, places: &[i64]) -> Result<Vec<Message>, StoreError> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let places = serde_json::to_string(places).unwrap_or_default();
    sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE seq IN (SELECT value FROM json_each(?)) AND excluded = 0"
        ),
        &[places.as_str().into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// The places of what the user said within any of the times, newest first.
pub fn said_within(sql: &dyn Sql, times: &[Range<Millis>], limit: usize) -> Result<Vec<i64>, StoreError> {
    let mut found = Vec::new();
    for time in times {
        let rows = sql.exec(
            "SELECT seq FROM messages
             WHERE created_at >= ? AND created_at < ? AND role = 'user' AND excluded = 0 AND text <> ''
             ORDER BY seq DESC LIMIT ?",
            &[time.start.into(), time.end.into(), (limit as i64).into()],
        )?;
        for row in &rows {
            found.push(row.int(0)?);
        }
    }
    Ok(found)
}

/// The bytes of text in a thread before a place. Reads the whole thread.
pub fn bytes_before(sql: &dyn Sql, thread: &ThreadId, seq: i64) -> Result<i64, StoreError> {
    let rows = sql.exec(
        "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM messages WHERE thread = ? AND seq < ?",
        &[thread.as_str().into(), seq.into()],
    )?;
    rows.first().ok_or_else(|| StoreError::corrupt("bytes"))?.int(0)
}

/// The place of a thread's newest message; 0 if it has none.
pub fn newest_seq(sql: &dyn Sql, thread: &ThreadId) -> Result<i64, StoreError> {
    let rows =
        sql.exec("SELECT coalesce(max(seq), 0) FROM messages WHERE thread = ?", &[thread.as_str().into()])?;
    counted(&rows)?.int(0)
}

/// When a thread's newest message was said.
pub fn newest_at(sql: &dyn Sql, thread: &ThreadId) -> Result<Option<Millis>, StoreError> {
    let rows = sql.exec(
        "SELECT created_at FROM messages WHERE thread = ? ORDER BY seq DESC LIMIT 1",
        &[thread.as_str().into()],
    )?;
    rows.first().map(|row| row.int(0).map(Millis)).transpose()
}

/// The ids that imported messages had elsewhere.
pub fn external_ids(sql: &dyn Sql, ids: &[&MessageId]) -> Result<SortedMap<String, String>, StoreError> {
    if ids.is_empty() {
        return Ok(SortedMap::new());
    }
    let ids = serde_json::to_string(ids).unwrap_or_default();
    sql.exec(
        "SELECT id, external_id FROM messages
         WHERE external_id IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        &[ids.as_str().into()],
    )?
    .iter()
    .map(|row| Ok((row.string(0)?, row.string(1)?)))
    .collect()
}

/// The messages before and after each of these places in their threads, by place.
pub fn beside(sql: &dyn Sql, places: &[i64]) -> Result<SortedMap<i64, [Option<Message>; 2]>, StoreError> {
    let listed = serde_json::to_string(places).unwrap_or_default();
    let rows = sql.exec(
        "SELECT m.seq, (SELECT max(b.seq) FROM messages b WHERE b.thread = m.thread AND b.seq < m.seq),
                (SELECT min(a.seq) FROM messages a WHERE a.thread = m.thread AND a.seq > m.seq)
         FROM messages m WHERE m.seq IN (SELECT value FROM json_each(?))",
        &[listed.as_str().into()],
    )?;
    let mut around: Vec<(i64, [Option<i64>; 2])> = Vec::new();
    for row in &rows {
        around.push((row.int(0)?, [row.optional(1, Row::int)?, row.optional(2, Row::int)?]));
    }
    let wanted: Vec<i64> = around.iter().flat_map(|(_, beside)| beside.iter().flatten().copied()).collect();
    let read = at(sql, &wanted)?;
    let message = |seq: Option<i64>| read.iter().find(|message| Some(message.seq) == seq).cloned();
    Ok(around.into_iter().map(|(seq, beside)| (seq, beside.map(message))).collect())
}

/// Messages that no longer fit into recent and aren't in the summary yet, oldest first.
pub fn overflow(
    sql: &dyn Sql,
    thread: &ThreadId,
    folded_seq: i64,
    recent: usize,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE thread = ?1 AND seq > ?2 AND seq <= coalesce(
                 (SELECT seq FROM messages WHERE thread = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?3), 0)
             ORDER BY seq LIMIT ?4"
        ),
        &[thread.as_str().into(), folded_seq.into(), (recent as i64).into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// What overflows of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflowing {
    pub messages: usize,
    pub of_user: usize,
    pub bytes_of_user: usize,
}

/// How much [`overflow`] would give.
pub fn overflowing(
    sql: &dyn Sql,
    thread: &ThreadId,
    folded_seq: i64,
    recent: usize,
    limit: u32,
) -> Result<Overflowing, StoreError> {
    let rows = sql.exec(
        "SELECT count(*), coalesce(sum(bytes IS NOT NULL), 0), coalesce(sum(bytes), 0) FROM (
             SELECT iif(role = 'user', length(CAST(text AS BLOB)), NULL) AS bytes
             FROM messages WHERE thread = ? AND seq > ? ORDER BY seq DESC LIMIT ? OFFSET ?)",
        &[thread.as_str().into(), folded_seq.into(), i64::from(limit).into(), (recent as i64).into()],
    )?;
    let row = counted(&rows)?;
    let number = |at: usize| row.int(at).map(|number| number.max(0) as usize);
    Ok(Overflowing { messages: number(0)?, of_user: number(1)?, bytes_of_user: number(2)? })
}

/// The newest messages of a thread that are neither recent any more, which begins at `recent_from`, nor in the summary
/// yet; oldest first.
pub fn waiting_to_be_folded(
    sql: &dyn Sql,
    thread: &ThreadId,
    folded_seq: i64,
    recent_from: i64,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let mut newest: Vec<Message> = sql
        .exec(
            &format!(
                "SELECT {COLUMNS} FROM messages WHERE thread = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?"
            ),
            &[thread.as_str().into(), folded_seq.into(), recent_from.into(), i64::from(limit).into()],
        )?
        .iter()
        .map(read)
        .collect::<Result<_, StoreError>>()?;
    newest.reverse();
    Ok(newest)
}

/// User messages of a thread that may still teach facts, oldest first.
pub fn to_learn(sql: &dyn Sql, thread: &ThreadId, limit: u32) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!("SELECT {COLUMNS} FROM messages WHERE thread = ? AND teaches = 1 ORDER BY seq LIMIT ?"),
        &[thread.as_str().into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// A user message, if it may still teach facts.
pub fn teaching(sql: &dyn Sql, id: &MessageId) -> Result<Option<Message>, StoreError> {
    let rows = sql.exec(
        &format!("SELECT {COLUMNS} FROM messages WHERE id = ? AND teaches = 1"),
        &[id.as_str().into()],
    )?;
    rows.first().map(read).transpose()
}

/// How many [`to_learn`] would give.
pub fn count_to_learn(sql: &dyn Sql, thread: &ThreadId, limit: u32) -> Result<u32, StoreError> {
    let rows = sql.exec(
        "SELECT count(*) FROM (SELECT 1 FROM messages WHERE thread = ? AND teaches = 1 LIMIT ?)",
        &[thread.as_str().into(), i64::from(limit).into()],
    )?;
    let count = counted(&rows)?.int(0)?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// The same messages teach nothing more.
pub fn settle(sql: &dyn Sql, messages: &[MessageId]) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE messages SET teaches = 0 WHERE id IN (SELECT value FROM json_each(?))",
        &[id_list(messages).as_str().into()],
    )?;
    Ok(())
}

/// Leaves these messages out of prompts, folds and recall; with `erase` their text goes too.
/// Gives the threads they are in.
pub fn exclude(sql: &dyn Sql, messages: &[MessageId], erase: bool) -> Result<Vec<ThreadId>, StoreError> {
    let ids = id_list(messages);
    threads::untitle(sql, &ids)?;
    if erase {
        // In its place first: what is only set free stays readable in the page.
        sql.exec(
            &format!("UPDATE messages SET text = {OVERWRITTEN} WHERE id IN (SELECT value FROM json_each(?))"),
            &[ids.as_str().into()],
        )?;
    }
    let change = if erase {
        "UPDATE messages SET excluded = 1, teaches = 0, text = '', status = 'erased'
         WHERE id IN (SELECT value FROM json_each(?))"
    } else {
        "UPDATE messages SET excluded = 1, teaches = 0 WHERE id IN (SELECT value FROM json_each(?))"
    };
    sql.exec(change, &[ids.as_str().into()])?;
    sql.exec(
        "SELECT DISTINCT thread FROM messages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY thread",
        &[ids.as_str().into()],
    )?
    .iter()
    .map(|row| ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id")))
    .collect()
}

/// The newest `limit` messages of all threads that aren't left out.
pub fn newest(sql: &dyn Sql, limit: u32) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!("SELECT {COLUMNS} FROM messages WHERE excluded = 0 ORDER BY seq DESC LIMIT ?"),
        &[i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// Messages of a conversation here that aren't in the search index yet, oldest first.
pub fn unindexed(sql: &dyn Sql, thread: &ThreadId, limit: u32) -> Result<Vec<Message>, StoreError> {
    sql.exec(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE thread = ?1 AND excluded = 0 AND imported = 0 AND seq > coalesce(
                 (SELECT max(doc) FROM indexed_messages WHERE thread = ?1), 0)
             ORDER BY seq LIMIT ?2"
        ),
        &[thread.as_str().into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// Removes a turn's reply, so that it can be given again.
pub fn delete_reply(sql: &dyn Sql, turn: &TurnId) -> Result<Option<i64>, StoreError> {
    let rows = sql.exec(
        "DELETE FROM messages WHERE turn = ? AND role = 'assistant' RETURNING seq",
        &[turn.as_str().into()],
    )?;
    rows.first().map(|row| row.int(0)).transpose()
}

pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM messages", &[])?;
    Ok(())
}

pub fn count(sql: &dyn Sql) -> Result<i64, StoreError> {
    let rows = sql.exec("SELECT count(*) FROM messages", &[])?;
    counted(&rows)?.int(0)
}

/// A JSON list for `json_each`, because a statement takes at most 100 arguments.
pub fn id_list(ids: &[MessageId]) -> String {
    serde_json::to_string(ids).unwrap_or_else(|_| "[]".to_owned())
}

pub fn read(row: &Row) -> Result<Message, StoreError> {
    Ok(Message {
        seq: row.int(0)?,
        id: MessageId::parse(row.text(1)?).ok_or_else(|| StoreError::corrupt("message id"))?,
        thread: ThreadId::parse(row.text(2)?).ok_or_else(|| StoreError::corrupt("thread id"))?,
        role: match row.text(3)? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return Err(StoreError::corrupt("role")),
        },
        text: row.string(4)?,
        created_at: Millis(row.int(5)?),
        turn: row.optional(6, Row::string)?.and_then(|id| TurnId::parse(&id)),
        status: row.optional(7, Row::string)?,
        excluded: row.flag(8)?,
    })
}
