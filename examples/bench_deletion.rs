//! Measures what deletion takes natively, on a file of SQLite: `npm run bench:deletion`.
//!
//! For each way to delete: how long the request holds the object, the longest stretch for which what follows does so
//! without letting anything else in, how long all of it works, and when (by the object's own clock) it is over.
//! Milliseconds, of this machine.

#[path = "../tests/native/support/mod.rs"]
#[allow(dead_code, reason = "the benchmark uses a part of it")]
mod support;

use kioku::id::{FactId, MessageId, ThreadId, TurnId};
use kioku::llm::Role;
use kioku::store::messages::NewMessage;
use kioku::store::sql::{Sql, StoreError};
use kioku::store::{index, messages};
use kioku::time::{DAY, HOUR, Millis};
use serde_json::{Value, json};
use support::sqlite::Sqlite;
use support::world::{World, config};

fn main() {
    // `-- NAME` measures only what has it in its name.
    let asked = std::env::args().nth(1).unwrap_or_default();
    let measure = |name: &str, said, facts, delete: fn(&mut World) -> u16| {
        if name.contains(&asked) {
            measure(name, said, facts, delete);
        }
    };
    println!("{:<52}{:>10}{:>10}{:>10}{:>12}", "", "request", "longest", "all", "over after");
    for said in [600, 6_000, 20_000] {
        measure(&format!("a conversation of {said} messages"), said, 100, |world| {
            world.call("DELETE", "/api/threads/t_long", &Value::Null).0
        });
    }
    measure("the same of 6000 with 2000 facts learned in it", 6_000, 2_000, |world| {
        world.call("DELETE", "/api/threads/t_long?facts=forget", &Value::Null).0
    });
    measure("retention of 6000 messages and 2000 facts", 6_000, 2_000, |world| {
        world.outside.now.set(world.outside.now.get().plus(400 * DAY));
        world.call("PATCH", "/api/me/settings", &json!({"retention_days": 30})).0
    });
    measure("one of 2000 facts, beside 6000 messages", 6_000, 2_000, |world| {
        world.call("DELETE", "/api/memory/facts/f_00000007?messages=erase", &Value::Null).0
    });
    measure("everything: 10000 facts and 6000 messages", 6_000, 10_000, |world| {
        world.call("DELETE", "/api/memory", &json!({"confirm": "forget everything"})).0
    });
    measure("the account: 10000 facts and 6000 messages", 6_000, 10_000, |world| {
        world.call("DELETE", "/api/me", &json!({"confirm": "close my account"})).0
    });
    measure("a wish in the chat that 2000 facts fit, and the yes", 6_000, 2_000, |world| {
        let tab = world.connect("main");
        world.send(&tab, "wish", "Forget the harbour.");
        world.advance(1_000);
        world.send(&tab, "yes", "yes");
        world.advance(1_000);
        let answered = world.of_type(&tab, "accepted").len();
        if answered == 2 { 200 } else { 500 }
    });
}

fn measure(name: &str, said: usize, facts: usize, delete: fn(&mut World) -> u16) {
    let path = std::env::temp_dir().join(format!("kioku-bench-deletion-{}", std::process::id()));
    remove(&path);
    let connection = rusqlite::Connection::open(&path).expect("a file");
    // As the runtime keeps it.
    connection.pragma_update(None, "journal_mode", "wal").expect("a setting");
    connection.pragma_update(None, "synchronous", "off").expect("a setting");
    let mut world = World::over(Sqlite::over(connection), config(&[]));
    world.outside.sql.doubt(false);
    world.session();
    let sql = &world.outside.sql;
    sql.atomically(&mut || fill(sql, said, facts, world.outside.now.get())).expect("an archive");
    world.settle();

    let began = now();
    let status = delete(&mut world);
    let request = began.elapsed();
    assert!((200..300).contains(&status), "{name}: {status}");
    let (from, until) = (world.outside.now.get(), world.outside.now.get().plus(3 * HOUR));
    let (mut longest, mut all, mut over) = (0.0_f64, 0.0, from);
    loop {
        let began = now();
        let goes_on = world.step(until);
        let took = began.elapsed().as_secs_f64() * 1_000.0;
        (longest, all) = (longest.max(took), all + took);
        if !goes_on {
            break;
        }
        over = world.outside.now.get();
    }
    println!(
        "{name:<52}{:>10.1}{longest:>10.1}{all:>10.0}{:>10.0} s",
        request.as_secs_f64() * 1_000.0,
        over.since(from) as f64 / 1_000.0
    );
    drop(world);
    remove(&path);
}

fn fill(sql: &dyn Sql, said: usize, facts: usize, now: Millis) -> Result<(), StoreError> {
    const WORDS: &[&str] =
        &["coffee", "train", "garden", "harbour", "珈琲", "列車", "庭園", "和紙", "港", "時計"];
    let text = |n: usize| {
        let word = |by: usize| WORDS[n / by % WORDS.len()];
        format!(
            "Yesterday {} and {} near the {} with visitor{}, then {} again",
            word(1),
            word(3),
            word(7),
            n % 997,
            word(11)
        )
    };
    let thread = ThreadId::parse("t_long").ok_or_else(|| StoreError::corrupt("thread"))?;
    sql.exec(
        "INSERT INTO threads (id, title, temporary, created_at, updated_at, folded_seq) VALUES (?, 'Long', 0, ?2, ?2, 1 << 40)",
        &[thread.as_str().into(), now.into()],
    )?;
    for n in 0..said {
        let id = MessageId::parse(&format!("m_{n:08}")).ok_or_else(|| StoreError::corrupt("id"))?;
        let turn = TurnId::parse(&format!("t_{:08}", n / 2)).ok_or_else(|| StoreError::corrupt("id"))?;
        let role = if n.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let text = text(n);
        let new = NewMessage {
            id: &id,
            thread: &thread,
            role,
            text: &text,
            created_at: now,
            turn: Some(&turn),
            status: None,
            teaches: false,
            external_id: None,
        };
        let seq = messages::insert(sql, &new)?;
        index::put_message(sql, seq, &thread, now, &text)?;
        if n.is_multiple_of(2) {
            sql.exec(
                "INSERT INTO turns (id, client_id, thread, state, user_message, accepted_at) VALUES (?1, ?1, ?2, 'done', ?3, ?4)",
                &[turn.as_str().into(), thread.as_str().into(), id.as_str().into(), now.into()],
            )?;
            let trace = json!({"recall": {"facts": (0..20).map(|n| json!({"id": n, "score": 0.5})).collect::<Vec<_>>()}});
            sql.exec(
                "INSERT INTO traces VALUES (?, ?, ?)",
                &[turn.as_str().into(), now.into(), trace.to_string().as_str().into()],
            )?;
        }
    }
    for n in 0..facts {
        let id = FactId::parse(&format!("f_{n:08}")).ok_or_else(|| StoreError::corrupt("id"))?;
        let text = format!("I saw the harbour with visitor{n}");
        sql.exec(
            "INSERT INTO facts (id, text, normal, search, kind, scope, status, pinned, edited, observed_at, quote, thread,
                 said_at, created_at, updated_at, version) VALUES (?1, ?2, ?2, ?2, 'other', 'global', 'current', 0, 0, ?3, ?2,
                 't_long', ?3, ?3, ?3, 1)",
            &[id.as_str().into(), (&text).into(), now.into()],
        )?;
        index::put_fact(sql, &id, &text)?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measurement needs the machine's clock")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

fn remove(path: &std::path::Path) {
    for rest in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(rest);
        let _ = std::fs::remove_file(name);
    }
}
