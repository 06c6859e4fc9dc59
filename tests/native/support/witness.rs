//! A witness: follows what was sent and compares it with what must hold.
//!
//! `follow` reads the frames in the order in which they left; `judge_tab` draws a tab's thread as a client does;
//! `judge_storage` looks at what is left when everything has come to rest.

use std::collections::{BTreeMap, BTreeSet};

use kioku::store::sql::{Row, Sql};
use serde_json::Value;

use super::world::{Outside, Whom};

/// A turn as the frames tell it.
#[derive(Debug, Default)]
pub struct TurnSeen {
    pub client_id: String,
    pub thread: String,
    open: bool,
    /// What the present attempt said so far.
    deltas: Vec<String>,
    began_again: bool,
    pub end: Option<Value>,
    /// How often somebody asked for it: sent, and tried again.
    pub asked: usize,
}

/// Deltas that are being replayed: to whom, of which turn, and which comes next.
#[derive(Debug, PartialEq, Eq)]
struct Replay {
    connection: String,
    turn: String,
    next: usize,
}

#[derive(Debug, Default)]
pub struct Witness {
    /// Turns of threads that are still there, by turn id.
    pub turns: BTreeMap<String, TurnSeen>,
    /// In the order in which they were accepted.
    pub order: Vec<String>,
    followed: usize,
    heard: usize,
    /// Resumes that were asked for and not seen answered: by whom, of which turn, after which delta.
    resumes: Vec<(String, String, usize)>,
    replay: Option<Replay>,
}

type Judged = Result<(), String>;

fn must(holds: bool, what: impl FnOnce() -> String) -> Judged {
    if holds { Ok(()) } else { Err(what()) }
}

pub fn text<'a>(frame: &'a Value, field: &str) -> &'a str {
    frame[field].as_str().unwrap_or_default()
}

pub fn is_end(frame: &Value) -> bool {
    matches!(text(frame, "type"), "done" | "stopped" | "failed")
}

/// The message of a terminal frame; null if nothing was said.
pub fn reply(end: &Value) -> &Value {
    if text(end, "type") == "failed" { &end["reply"] } else { &end["message"] }
}

impl Witness {
    /// Reads what was sent since the last time. `calm`: the object and its storage are well all the time.
    pub fn follow(&mut self, outside: &Outside, calm: bool) -> Judged {
        let received = outside.received.borrow();
        for (connection, frame) in &received[self.heard..] {
            if text(frame, "type") == "resume" {
                let after = frame["after"].as_u64().unwrap_or(0) as usize;
                self.resumes.push((connection.clone(), text(frame, "turn").to_owned(), after));
            }
        }
        self.heard = received.len();
        let sent = outside.sent.borrow();
        for (whom, frame) in &sent[self.followed..] {
            self.replayed(whom, frame).map_err(|what| format!("{what}: {frame} to {whom:?}"))?;
            self.one(whom, frame, calm).map_err(|what| format!("{what}: {frame} to {whom:?}"))?;
        }
        self.followed = sent.len();
        self.replay_is_whole()
    }

    /// A replay begins right behind what somebody had, has no gap and repeats nothing, and ends with the newest delta.
    fn replayed(&mut self, whom: &Whom, frame: &Value) -> Judged {
        let Whom::One(connection) = whom else { return self.replay_is_whole() };
        if text(frame, "type") != "delta" {
            return self.replay_is_whole();
        }
        let turn = text(frame, "turn").to_owned();
        let seq = frame["seq"].as_u64().unwrap_or(0) as usize;
        let next = Replay { connection: connection.clone(), turn, next: seq };
        if self.replay.as_ref() != Some(&next) {
            self.replay_is_whole()?;
            let answers = |(by, of, after): &(String, String, usize)| {
                *by == next.connection && *of == next.turn && after + 1 == seq
            };
            // Those before it were answered without a delta, or their object died.
            let at = self.resumes.iter().position(answers).ok_or("a replay from there was not asked for")?;
            self.resumes.remove(at);
        }
        self.replay = Some(Replay { next: seq + 1, ..next });
        Ok(())
    }

    fn replay_is_whole(&mut self) -> Judged {
        let Some(replay) = self.replay.take() else { return Ok(()) };
        // A thread that was deleted is followed no more.
        let Some(turn) = self.turns.get(&replay.turn) else { return Ok(()) };
        must(replay.next == turn.deltas.len() + 1, || {
            format!("a replay of {} ends before delta {} of {}", replay.turn, replay.next, turn.deltas.len())
        })
    }

    fn one(&mut self, whom: &Whom, frame: &Value, calm: bool) -> Judged {
        if let Whom::Closed(thread) = whom {
            self.turns.retain(|_, turn| thread.as_ref().is_some_and(|closed| *closed != turn.thread));
            self.order.retain(|turn| self.turns.contains_key(turn));
            return Ok(());
        }
        match text(frame, "type") {
            "accepted" => return self.accepted(whom, frame),
            "ready" => {
                let recent = frame["recent"].as_array().map_or(0, Vec::len);
                return must(recent <= 10, || "more than ten recent messages".to_owned());
            }
            "error" => {
                let code = text(frame, "code");
                let known = [
                    "queue_full",
                    "unknown_turn",
                    "not_retryable",
                    "unknown_thread",
                    "bad_frame",
                    "bad_id",
                    "unknown_frame",
                ];
                return must(known.contains(&code) || code == "internal" && !calm, || {
                    "an unexpected error".to_owned()
                });
            }
            _ => {}
        }
        // A thread that was deleted tells nobody anything any more.
        let Some(turn) = self.turns.get_mut(text(frame, "turn")) else { return Ok(()) };
        let replayed = matches!(whom, Whom::One(_));
        if text(frame, "type") == "delta" {
            let seq = frame["seq"].as_u64().unwrap_or(0) as usize;
            let said = text(frame, "text");
            if replayed {
                let same = seq > 0 && turn.deltas.get(seq - 1).is_some_and(|known| known == said);
                return must(same, || format!("replayed otherwise than it was said: {:?}", turn.deltas));
            }
            must(turn.open, || "a delta of a turn that has ended".to_owned())?;
            if seq == 1 && !turn.deltas.is_empty() {
                must(!calm, || "an answer began again without a reason".to_owned())?;
                turn.began_again = true;
                turn.deltas.clear();
            }
            must(seq == turn.deltas.len() + 1, || format!("a gap after {} deltas", turn.deltas.len()))?;
            turn.deltas.push(said.to_owned());
        } else if is_end(frame) {
            return turn.ended(replayed, frame, calm);
        }
        Ok(())
    }

    fn accepted(&mut self, whom: &Whom, frame: &Value) -> Judged {
        let (id, client_id) = (text(frame, "turn").to_owned(), text(frame, "id"));
        let is_retry = matches!(whom, Whom::Thread(_));
        if !is_retry && frame["repeated"] == false {
            must(!self.turns.contains_key(&id), || "a turn was accepted twice".to_owned())?;
            let twice = self.turns.values().any(|turn| turn.client_id == client_id);
            must(!twice, || "a client's id got a second turn".to_owned())?;
            let waiting = self.turns.values().filter(|turn| turn.open).count();
            must(frame["position"] == waiting, || format!("{waiting} turns are before it"))?;
            let turn = TurnSeen {
                client_id: client_id.to_owned(),
                thread: text(frame, "thread").to_owned(),
                open: true,
                asked: 1,
                ..TurnSeen::default()
            };
            self.turns.insert(id.clone(), turn);
            self.order.push(id);
            return Ok(());
        }
        let others = self.turns.iter().filter(|(known, turn)| turn.open && **known != id).count();
        let turn = self.turns.get_mut(&id).ok_or("a repetition of a turn that nobody knows")?;
        must(turn.client_id == client_id, || format!("it was accepted as {}", turn.client_id))?;
        if is_retry {
            must(!turn.open, || "a turn that runs was retried".to_owned())?;
            must(frame["position"] == others, || format!("{others} turns are before it"))?;
            *turn = TurnSeen {
                open: true,
                end: None,
                deltas: Vec::new(),
                began_again: false,
                asked: turn.asked + 1,
                ..std::mem::take(turn)
            };
            self.order.retain(|known| *known != id);
            self.order.push(id);
        }
        Ok(())
    }

    /// After everything came to rest: every accepted turn has ended.
    pub fn judge_ends(&self) -> Judged {
        for (id, turn) in &self.turns {
            must(!turn.open && turn.end.is_some(), || format!("{id} ({}) never ended", turn.client_id))?;
        }
        Ok(())
    }
}

impl TurnSeen {
    fn ended(&mut self, replayed: bool, frame: &Value, calm: bool) -> Judged {
        if replayed {
            let end = self.end.as_ref().ok_or("the end of a turn that is open")?;
            must(text(end, "type") == text(frame, "type"), || format!("it had ended as {end}"))?;
            must(text(end, "code") == text(frame, "code"), || format!("it had ended as {end}"))?;
            return must(reply(end) == reply(frame), || format!("it had ended as {end}"));
        }
        must(self.open, || "a second end".to_owned())?;
        self.open = false;
        self.end = Some(frame.clone());
        let said = self.deltas.concat();
        let kept = text(reply(frame), "text");
        must(reply(frame).is_null() == kept.is_empty(), || "an empty reply".to_owned())?;
        let whole = kept == said;
        let (kind, interrupted) = (text(frame, "type"), text(frame, "code") == "interrupted");
        must(!(calm && interrupted), || "interrupted without a reason".to_owned())?;
        match kind {
            "done" => must(whole && !kept.is_empty(), || format!("done, but {said:?} was said")),
            // What the killed object had not saved is lost.
            _ if interrupted => must(said.starts_with(kept), || format!("{said:?} was said")),
            // An attempt after a restart may end before it says anything.
            _ => must(whole || !calm && kept.is_empty(), || format!("{said:?} was said")),
        }
    }
}

/// Draws a tab's thread from its frames, as a client does, and compares it with the storage.
pub fn judge_tab(outside: &Outside, connection: &str, said_as: impl Fn(&str) -> String) -> Judged {
    let sockets = outside.sockets.borrow();
    let socket = &sockets[connection];
    if !socket.open {
        return Ok(());
    }
    let mut drawn: BTreeMap<String, (Option<String>, Option<Value>)> = BTreeMap::new();
    for frame in &socket.frames {
        let turn = text(frame, "turn").to_owned();
        match text(frame, "type") {
            "ready" => {
                for message in frame["recent"].as_array().into_iter().flatten() {
                    let entry = drawn.entry(text(message, "turn").to_owned()).or_default();
                    if message["role"] == "user" {
                        entry.0 = Some(text(message, "text").to_owned());
                    } else {
                        entry.1 = Some(message.clone());
                    }
                }
            }
            // Another thread's send of the same id is answered with its turn.
            "accepted" if frame["thread"] == socket.thread.as_str() => {
                let entry = drawn.entry(turn).or_default();
                entry.0 = Some(said_as(text(frame, "id")));
                entry.1 = None;
            }
            "user" => drawn.entry(turn).or_default().0 = Some(text(&frame["message"], "text").to_owned()),
            "done" | "stopped" | "failed" => {
                if let Some(entry) = drawn.get_mut(&turn) {
                    entry.1 = Some(reply(frame).clone());
                }
            }
            _ => {}
        }
    }
    for (turn, (asked, answered)) in &drawn {
        let stored = |role: &str| {
            let rows = outside.sql.exec(
                "SELECT text, id FROM messages WHERE turn = ? AND role = ? AND thread = ?",
                &[turn.as_str().into(), role.into(), socket.thread.as_str().into()],
            );
            rows.unwrap_or_default().first().map(|row| (column(row, 0), column(row, 1)))
        };
        let question = stored("user").map(|(text, _)| text);
        if asked.is_some() {
            must(question == *asked, || format!("{connection} shows {asked:?} for {question:?} in {turn}"))?;
        }
        let shown = answered.as_ref().filter(|reply| !reply.is_null());
        let shown = shown.map(|reply| (text(reply, "text").to_owned(), text(reply, "id").to_owned()));
        let kept = stored("assistant");
        must(shown == kept, || format!("{connection} shows {shown:?} for {kept:?} in {turn}"))?;
    }
    Ok(())
}

/// What the storage must look like when everything has come to rest.
pub fn judge_storage(outside: &Outside, witness: &Witness) -> Judged {
    // Each gives a row for every thing that is wrong.
    let wrongs = [
        ("a turn is open", "SELECT id, state FROM turns WHERE state IN ('queued', 'running')"),
        ("deltas are left behind", "SELECT turn, last_seq FROM chunks"),
        (
            "a turn without its message",
            "SELECT id, client_id FROM turns t WHERE NOT EXISTS
             (SELECT 1 FROM messages m WHERE m.id = t.user_message AND m.turn = t.id AND m.thread = t.thread)",
        ),
        (
            "two replies, or another than the turn's",
            "SELECT m.turn, m.id FROM messages m LEFT JOIN turns t ON t.id = m.turn
             WHERE m.role = 'assistant' AND t.reply IS NOT m.id",
        ),
        (
            "a reply that is not there",
            "SELECT id, reply FROM turns WHERE (reply IS NOT NULL AND reply NOT IN (SELECT id FROM messages))
             OR (state = 'done' AND reply IS NULL)",
        ),
        ("a message without its turn", "SELECT id, turn FROM messages WHERE turn NOT IN (SELECT id FROM turns)"),
        ("a turn began more often than it may", "SELECT id, attempts FROM turns WHERE attempts > 3"),
        ("an answer without a beginning", "SELECT id, attempts FROM turns WHERE state = 'done' AND attempts = 0"),
        (
            "a turn that said nothing was given up too early",
            "SELECT id, attempts FROM turns WHERE code = 'interrupted' AND reply IS NULL AND attempts <> 3",
        ),
        ("a job is left behind", "SELECT kind, coalesce(error, '') FROM jobs WHERE kind NOT IN ('clean', 'retain', 'reconcile', 'scrub')"),
        ("a message was not learned from", "SELECT id, text FROM messages WHERE teaches = 1"),
        (
            "a message was not indexed",
            "SELECT m.id, m.text FROM messages m JOIN threads t ON t.id = m.thread
             WHERE NOT t.temporary AND m.seq NOT IN (SELECT doc FROM indexed_messages)",
        ),
        (
            "a text is indexed that is gone",
            "SELECT doc, text FROM indexed_messages WHERE doc NOT IN (SELECT seq FROM messages)",
        ),
        ("a trace of a turn that is gone", "SELECT turn, at FROM traces WHERE turn NOT IN (SELECT id FROM turns)"),
        (
            "a message was not folded",
            "SELECT m.id, m.seq FROM messages m JOIN threads t ON t.id = m.thread WHERE m.seq > t.folded_seq
             AND (SELECT count(*) FROM messages n WHERE n.thread = m.thread AND n.seq > m.seq) >= 10",
        ),
    ];
    for (wrong, query) in wrongs {
        let rows = outside.sql.exec(query, &[]).map_err(|error| error.to_string())?;
        must(rows.is_empty(), || format!("{wrong}: {} {}", column(&rows[0], 0), column(&rows[0], 1)))?;
    }
    judge_calls(outside, witness)?;
    let stored: BTreeSet<String> = columns(outside, "SELECT id FROM turns")?.into_iter().collect();
    let seen: BTreeSet<String> = witness.turns.keys().cloned().collect();
    must(stored == seen, || format!("accepted {seen:?}, stored {stored:?}"))?;
    let replies = columns(outside, "SELECT turn FROM messages WHERE role = 'assistant' ORDER BY seq")?;
    let expected: Vec<String> = witness.order.iter().filter(|turn| replies.contains(turn)).cloned().collect();
    must(replies == expected, || format!("accepted in the order {expected:?}, answered {replies:?}"))
}

/// Three beginnings, and one more call in each where nothing was said: no turn costs more, whatever happens.
fn judge_calls(outside: &Outside, witness: &Witness) -> Judged {
    for (id, turn) in &witness.turns {
        let asks = |call: &&Value| {
            let question = call["messages"].as_array().and_then(|all| all.last());
            let begins = question
                .is_some_and(|last| text(last, "content").starts_with(&format!("{}: ", turn.client_id)));
            call["stream"] == true && begins
        };
        let calls = outside.calls.borrow().iter().filter(asks).count();
        must(calls <= 6 * turn.asked, || format!("{id} was asked {calls} times of the model"))?;
    }
    Ok(())
}

fn columns(outside: &Outside, query: &str) -> Result<Vec<String>, String> {
    let rows = outside.sql.exec(query, &[]).map_err(|error| error.to_string())?;
    Ok(rows.iter().map(|row| column(row, 0)).collect())
}

fn column(row: &Row, at: usize) -> String {
    row.text(at).map_or_else(|_| row.int(at).map(|n| n.to_string()).unwrap_or_default(), str::to_owned)
}
