//! Turns: what was accepted, what runs, what ended how.
//!
//! Invariant: a turn, its user message and its reply change only together, through the functions here, so a
//! half-written turn can't be expressed.

use super::messages::{self, NewMessage};
use super::sql::{Row, Sql, StoreError, atomic, counted};
use crate::id::{ClientId, MessageId, ThreadId, TurnId};
use crate::json;
use crate::llm::{Role, Usage};
use crate::memory::model::words;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    state TEXT NOT NULL,
    user_message TEXT NOT NULL,
    reply TEXT,
    -- How often it was begun without an end: what bounds recovery.
    attempts INTEGER NOT NULL DEFAULT 0,
    code TEXT,
    accepted_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX turns_open ON turns (seq) WHERE state IN ('queued', 'running');
CREATE INDEX turns_by_thread ON turns (thread);
CREATE TABLE chunks (
    turn TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    -- A JSON list of the deltas up to last_seq.
    deltas TEXT NOT NULL,
    PRIMARY KEY (turn, last_seq)
) WITHOUT ROWID;
";

words!(
    /// Where a turn is in its life.
    State {
        Queued = "queued",
        Running = "running",
        Done = "done",
        Stopped = "stopped",
        Failed = "failed",
    }
);

impl State {
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub seq: i64,
    pub id: TurnId,
    pub client_id: ClientId,
    pub thread: ThreadId,
    pub state: State,
    pub user_message: MessageId,
    pub reply: Option<MessageId>,
    pub attempts: u32,
    /// Why it failed.
    pub code: Option<String>,
    pub accepted_at: Millis,
    pub started_at: Option<Millis>,
    pub finished_at: Option<Millis>,
    pub usage: Usage,
}

/// A send, ready to become a turn.
#[derive(Clone, Copy, Debug)]
pub struct NewTurn<'a> {
    pub id: &'a TurnId,
    pub client_id: &'a ClientId,
    pub message: &'a MessageId,
    pub thread: &'a ThreadId,
    pub text: &'a str,
    pub teaches: bool,
    pub now: Millis,
}

/// What became of a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is durable now, and waits behind `position` turns.
    New { turn: Turn, position: usize },
    /// The client id is known: the same turn.
    Repeated { turn: Turn, position: usize },
    /// `QUEUE_MAX` turns wait already; nothing was written.
    QueueFull,
}

/// How a turn ended, with what was said, if anything.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    pub state: State,
    pub code: Option<&'a str>,
    /// Text and status of the reply; `None` leaves no message.
    pub reply: Option<(&'a MessageId, &'a str, Option<&'a str>)>,
    pub usage: Usage,
    pub now: Millis,
}

const COLUMNS: &str = "seq, id, client_id, thread, state, user_message, reply, attempts, code, accepted_at, started_at, finished_at, prompt_tokens, completion_tokens";

/// Makes the turn and its user message durable. Idempotent by client id.
pub fn open(sql: &dyn Sql, new: &NewTurn<'_>, queue_max: usize) -> Result<Opened, StoreError> {
    atomic(sql, || {
        if let Some(turn) = by_client_id(sql, new.client_id)? {
            let position = position(sql, &turn)?;
            return Ok(Opened::Repeated { turn, position });
        }
        let (waiting, running) = open_counts(sql)?;
        if waiting >= queue_max {
            return Ok(Opened::QueueFull);
        }
        let rows = sql.exec(
            "INSERT INTO turns (id, client_id, thread, state, user_message, accepted_at)
             VALUES (?, ?, ?, 'queued', ?, ?) RETURNING seq",
            &[
                new.id.as_str().into(),
                new.client_id.as_str().into(),
                new.thread.as_str().into(),
                new.message.as_str().into(),
                new.now.into(),
            ],
        )?;
        messages::insert(
            sql,
            &NewMessage {
                id: new.message,
                thread: new.thread,
                role: Role::User,
                text: new.text,
                created_at: new.now,
                turn: Some(new.id),
                status: None,
                teaches: new.teaches,
                external_id: None,
            },
        )?;
        sql.exec(
            "UPDATE threads SET updated_at = ? WHERE id = ?",
            &[new.now.into(), new.thread.as_str().into()],
        )?;
        let turn = Turn {
            seq: rows.first().ok_or_else(|| StoreError::corrupt("inserted row"))?.int(0)?,
            id: new.id.clone(),
            client_id: new.client_id.clone(),
            thread: new.thread.clone(),
            state: State::Queued,
            user_message: new.message.clone(),
            reply: None,
            attempts: 0,
            code: None,
            accepted_at: new.now,
            started_at: None,
            finished_at: None,
            usage: Usage::default(),
        };
        Ok(Opened::New { turn, position: waiting + running })
    })
}

/// Marks the oldest queued turn as running and gives it, unless one is running already.
pub fn start_next(sql: &dyn Sql, now: Millis) -> Result<Option<Turn>, StoreError> {
    let rows = sql.exec(
        &format!(
            "UPDATE turns SET state = 'running', attempts = attempts + 1, started_at = ?
             WHERE seq = (SELECT min(seq) FROM turns WHERE state IN ('queued', 'running')) AND state = 'queued'
               AND NOT EXISTS (SELECT 1 FROM turns WHERE state IN ('queued', 'running') AND state = 'running')
             RETURNING {COLUMNS}"
        ),
        &[now.into()],
    )?;
    rows.first().map(read).transpose()
}

/// Ends an open turn and writes its reply. `false` if it had ended already; nothing is written then.
pub fn close(sql: &dyn Sql, turn: &Turn, ending: &Ending<'_>) -> Result<bool, StoreError> {
    atomic(sql, || {
        let rows = sql.exec(
            "UPDATE turns SET state = ?, code = ?, reply = ?, finished_at = ?, prompt_tokens = ?, completion_tokens = ?
             WHERE id = ? AND state IN ('queued', 'running') RETURNING seq",
            &[
                ending.state.as_str().into(),
                ending.code.into(),
                ending.reply.map(|(id, _, _)| id.as_str()).into(),
                ending.now.into(),
                i64::from(ending.usage.prompt_tokens).into(),
                i64::from(ending.usage.completion_tokens).into(),
                turn.id.as_str().into(),
            ],
        )?;
        if rows.is_empty() {
            return Ok(false);
        }
        if let Some((id, text, status)) = ending.reply {
            messages::insert(
                sql,
                &NewMessage {
                    id,
                    thread: &turn.thread,
                    role: Role::Assistant,
                    text,
                    created_at: ending.now,
                    turn: Some(&turn.id),
                    status,
                    teaches: false,
                    external_id: None,
                },
            )?;
        }
        drop_chunks(sql, &turn.id)?;
        Ok(true)
    })
}

/// What became of a wish to run a turn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reopened {
    /// It waits behind `position` turns. `removed` is the place of its partial reply, whose search terms go too.
    Waits { turn: Turn, position: usize, removed: Option<i64> },
    /// It is open, or done, or unknown; nothing was written.
    NotEnded,
    /// `queue_max` turns wait already; nothing was written.
    QueueFull,
}

/// Puts a turn that ended without a whole answer back into the queue, without its partial reply. It waits behind
/// every turn that is open, because its first turn has passed.
pub fn reopen(sql: &dyn Sql, id: &TurnId, queue_max: usize) -> Result<Reopened, StoreError> {
    atomic(sql, || {
        if !get(sql, id)?.is_some_and(|turn| matches!(turn.state, State::Stopped | State::Failed)) {
            return Ok(Reopened::NotEnded);
        }
        let (waiting, running) = open_counts(sql)?;
        if waiting >= queue_max {
            return Ok(Reopened::QueueFull);
        }
        let rows = sql.exec(
            &format!(
                "UPDATE turns SET seq = (SELECT max(seq) + 1 FROM turns), state = 'queued', reply = NULL, code = NULL,
                 attempts = 0, started_at = NULL, finished_at = NULL WHERE id = ? RETURNING {COLUMNS}"
            ),
            &[id.as_str().into()],
        )?;
        let turn = read(rows.first().ok_or_else(|| StoreError::corrupt("turn"))?)?;
        let removed = messages::delete_reply(sql, id)?;
        Ok(Reopened::Waits { turn, position: waiting + running, removed })
    })
}

/// Puts a running turn that lost its owner back into the queue.
pub fn requeue(sql: &dyn Sql, turn: &TurnId) -> Result<(), StoreError> {
    atomic(sql, || {
        sql.exec(
            "UPDATE turns SET state = 'queued' WHERE id = ? AND state = 'running'",
            &[turn.as_str().into()],
        )?;
        drop_chunks(sql, turn)
    })
}

pub fn get(sql: &dyn Sql, id: &TurnId) -> Result<Option<Turn>, StoreError> {
    let rows = sql.exec(&format!("SELECT {COLUMNS} FROM turns WHERE id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

/// A thread's newest turns, newest first.
pub fn newest(sql: &dyn Sql, thread: &ThreadId, limit: u32) -> Result<Vec<Turn>, StoreError> {
    sql.exec(
        &format!("SELECT {COLUMNS} FROM turns WHERE thread = ? ORDER BY seq DESC LIMIT ?"),
        &[thread.as_str().into(), i64::from(limit).into()],
    )?
    .iter()
    .map(read)
    .collect()
}

/// Queued and running turns, oldest first.
pub fn open_turns(sql: &dyn Sql) -> Result<Vec<Turn>, StoreError> {
    let sql_text =
        format!("SELECT {COLUMNS} FROM turns WHERE state IN ('queued', 'running') ORDER BY seq LIMIT 1001");
    sql.exec(&sql_text, &[])?.iter().map(read).collect()
}

/// How many open turns are before this one.
pub fn position(sql: &dyn Sql, turn: &Turn) -> Result<usize, StoreError> {
    if !turn.state.is_open() {
        return Ok(0);
    }
    let rows = sql.exec(
        "SELECT count(*) FROM turns WHERE state IN ('queued', 'running') AND seq < ?",
        &[turn.seq.into()],
    )?;
    Ok(usize::try_from(counted(&rows)?.int(0)?).unwrap_or(0))
}

/// Saves deltas of a running turn, the last of which is `last_seq`. Does nothing for a turn that is gone: its thread
/// was deleted, or everything forgotten, while the model spoke.
pub fn save_chunk(sql: &dyn Sql, turn: &TurnId, last_seq: u32, deltas: &[String]) -> Result<(), StoreError> {
    let json = serde_json::to_string(deltas).map_err(|_| StoreError::corrupt("deltas"))?;
    sql.exec(
        "INSERT OR REPLACE INTO chunks SELECT id, ?2, ?3 FROM turns WHERE id = ?1 AND state = 'running'",
        &[turn.as_str().into(), i64::from(last_seq).into(), json.as_str().into()],
    )?;
    Ok(())
}

/// The saved deltas of a turn, in order, counted from 1.
pub fn saved_deltas(sql: &dyn Sql, turn: &TurnId) -> Result<Vec<String>, StoreError> {
    let mut deltas = Vec::new();
    for row in
        sql.exec("SELECT deltas FROM chunks WHERE turn = ? ORDER BY last_seq", &[turn.as_str().into()])?
    {
        let part: Vec<String> =
            json::read(row.text(0)?.as_bytes()).map_err(|_| StoreError::corrupt("deltas"))?;
        deltas.extend(part);
    }
    Ok(deltas)
}

/// A thread's turns that have no end yet, for deleting the thread.
pub fn delete_open(sql: &dyn Sql, thread: &ThreadId) -> Result<(), StoreError> {
    sql.exec(
        "DELETE FROM turns WHERE thread = ? AND state IN ('queued', 'running')",
        &[thread.as_str().into()],
    )?;
    Ok(())
}

pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM chunks", &[])?;
    sql.exec("DELETE FROM turns", &[])?;
    Ok(())
}

fn drop_chunks(sql: &dyn Sql, turn: &TurnId) -> Result<(), StoreError> {
    sql.exec("DELETE FROM chunks WHERE turn = ?", &[turn.as_str().into()])?;
    Ok(())
}

fn by_client_id(sql: &dyn Sql, id: &ClientId) -> Result<Option<Turn>, StoreError> {
    let rows =
        sql.exec(&format!("SELECT {COLUMNS} FROM turns WHERE client_id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

fn open_counts(sql: &dyn Sql) -> Result<(usize, usize), StoreError> {
    let rows = sql.exec(
        "SELECT coalesce(sum(state = 'queued'), 0), coalesce(sum(state = 'running'), 0)
         FROM turns WHERE state IN ('queued', 'running')",
        &[],
    )?;
    let row = counted(&rows)?;
    Ok((row.int(0)? as usize, row.int(1)? as usize))
}

fn read(row: &Row) -> Result<Turn, StoreError> {
    Ok(Turn {
        seq: row.int(0)?,
        id: TurnId::parse(row.text(1)?).ok_or_else(|| StoreError::corrupt("turn id"))?,
        client_id: ClientId::parse(row.text(2)?).ok_or_else(|| StoreError::corrupt("client id"))?,
        thread: ThreadId::parse(row.text(3)?).ok_or_else(|| StoreError::corrupt("thread id"))?,
        state: State::parse(row.text(4)?).ok_or_else(|| StoreError::corrupt("turn state"))?,
        user_message: MessageId::parse(row.text(5)?).ok_or_else(|| StoreError::corrupt("message id"))?,
        reply: row.optional(6, Row::string)?.and_then(|id| MessageId::parse(&id)),
        attempts: row.int(7)? as u32,
        code: row.optional(8, Row::string)?,
        accepted_at: Millis(row.int(9)?),
        started_at: row.optional(10, Row::int)?.map(Millis),
        finished_at: row.optional(11, Row::int)?.map(Millis),
        usage: Usage {
            prompt_tokens: row.int(12)? as u32,
            completion_tokens: row.int(13)? as u32,
            estimated: false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    fn opened(sql: &Sqlite, name: &str) -> Turn {
        let new = NewTurn {
            id: &TurnId::parse(&format!("t_{name}")).unwrap(),
            client_id: &ClientId::parse(name).unwrap(),
            message: &MessageId::parse(&format!("m_{name}")).unwrap(),
            thread: &ThreadId::main(),
            text: "お茶は？",
            teaches: false,
            now: Millis(1),
        };
        match open(sql, &new, 8).unwrap() {
            Opened::New { turn, .. } => turn,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_turn_begins_when_none_runs_and_each_beginning_counts() {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(0)).unwrap();
        let (first, second) = (opened(&sql, "a"), opened(&sql, "b"));
        let started = |sql: &Sqlite| start_next(sql, Millis(2)).unwrap().map(|turn| (turn.id, turn.attempts));
        assert_eq!(started(&sql), Some((first.id.clone(), 1)));
        assert_eq!(started(&sql), None);
        requeue(&sql, &first.id).unwrap();
        assert_eq!(started(&sql), Some((first.id.clone(), 2)));
        let ending =
            Ending { state: State::Failed, code: None, reply: None, usage: Usage::default(), now: Millis(3) };
        assert!(close(&sql, &first, &ending).unwrap());
        assert!(!close(&sql, &first, &ending).unwrap());
        assert_eq!(started(&sql), Some((second.id, 1)));
        reopen(&sql, &first.id, 8).unwrap();
        assert_eq!(started(&sql), None);
        assert_eq!(get(&sql, &first.id).unwrap().map(|turn| turn.attempts), Some(0));
    }
}
