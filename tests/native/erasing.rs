//! Deleting a long conversation: nothing shows it from the answer on, and what is left is erased whatever happens.

use crate::support::world::{World, config};
use kioku::store::sql::Sql;
use serde_json::{Value, json};

/// More than one step takes out of sight, and than one step takes out of the index.
const SAID: usize = 620;
const THREAD: &str = "th_long";
/// In every message of it, in both languages, and in nothing else.
const WORDS: [&str; 2] = ["Quillborne", "藤袴"];

fn call(world: &mut World, method: &str, path: &str, body: &Value) -> Value {
    let (status, answer) = world.call(method, path, body);
    assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
    answer
}

fn conversation() -> String {
    let line = |n: usize| {
        json!({
            "role": if n.is_multiple_of(2) { "user" } else { "assistant" },
            "content": format!("{} {n}: {}の庭で{n}番目の石を見た。", WORDS[0], WORDS[1]),
            "created_at": "2026-03-01T10:00:00Z", "external_id": format!("x{n}"), "thread": THREAD,
        })
    };
    (0..SAID).map(|n| line(n).to_string() + "\n").collect()
}

fn import(world: &mut World) -> u64 {
    let session = world.session();
    let mut body = Whole(Some(conversation().into_bytes()));
    let answer = futures::executor::block_on(session.handle_import("format=messages", &mut body));
    let answer: Value = serde_json::from_str(&answer.body).expect("JSON");
    answer["messages"].as_u64().expect("a number")
}

struct Whole(Option<Vec<u8>>);

impl kioku::session::ports::Body for Whole {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, kioku::session::ports::CallFailed> {
        Ok(self.0.take())
    }
}

/// An archive with the long conversation, searchable, and a short one beside it.
fn world() -> World {
    let mut world = World::new(config(&[]));
    world.outside.sql.doubt(false);
    assert_eq!(import(&mut world), SAID as u64);
    let tab = world.connect("main");
    world.script(crate::support::world::Script::say("Nice."));
    world.send(&tab, "kept", "I saw a heron today.");
    world.settle();
    assert!(!shown(&mut world).is_empty(), "it is shown before");
    world
}

/// Which routes show any of the words.
fn shown(world: &mut World) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |name: String, answer: Value| {
        let text = answer.to_string();
        if WORDS.iter().any(|word| text.to_ascii_lowercase().contains(&word.to_ascii_lowercase())) {
            found.push(name);
        }
    };
    for path in [
        "/api/threads".to_owned(),
        format!("/api/threads/{THREAD}/messages?limit=200"),
        "/api/threads/main/messages?limit=200".to_owned(),
        format!("/api/threads/{THREAD}/summary"),
        "/api/memory/facts?status=all&limit=200".to_owned(),
        "/api/memory/changes?limit=200".to_owned(),
        "/api/memory/weeks".to_owned(),
        "/api/export?format=json".to_owned(),
        "/api/export?format=jsonl".to_owned(),
        "/api/export?format=markdown".to_owned(),
        "/api/export?format=digest".to_owned(),
        "/api/memory/mirrors".to_owned(),
    ] {
        let answer = world.call("GET", &path, &Value::Null).1;
        look(path, answer);
    }
    for word in WORDS {
        for asked in [
            json!({"query": format!("{word} garden")}),
            json!({"query": format!("{word}の庭"), "everything": true}),
        ] {
            let mut answer = world.call("POST", "/api/recall", &asked).1;
            // The question itself comes back with the answer.
            answer["query"] = Value::Null;
            look(format!("recall {asked}"), answer);
        }
    }
    found
}

fn erasing(world: &mut World) -> (u64, u64) {
    let mirrors = call(world, "GET", "/api/memory/mirrors", &Value::Null);
    let count = |name: &str| mirrors["erasing"][name].as_u64().expect("a number");
    (count("messages"), count("facts"))
}

fn is_anywhere(world: &World) -> Vec<String> {
    WORDS.iter().flat_map(|word| world.tables_with(word)).collect()
}

#[test]
fn a_long_conversation_is_out_of_sight_when_it_is_answered_and_then_erased() {
    let mut world = world();
    let (status, receipt) = world.call("DELETE", &format!("/api/threads/{THREAD}"), &Value::Null);
    assert_eq!(
        (status, &receipt["deleted"], &receipt["object"]),
        (202, &json!(THREAD), &json!("pending")),
        "{receipt}"
    );
    assert_eq!(shown(&mut world), Vec::<String>::new());
    assert!(erasing(&mut world).0 > 500, "the words are still in the index");
    // What a model is asked holds nothing of it either.
    let tab = world.connect("main");
    world.outside.calls.borrow_mut().clear();
    world.script(crate::support::world::Script::say("I don't know."));
    world.send(&tab, "ask", "What did I see in the garden?");
    world.advance(100);
    let asked = format!("{:?}", world.outside.calls.borrow());
    assert!(!asked.is_empty() && WORDS.iter().all(|word| !asked.contains(word)));
    assert_eq!(world.call("DELETE", &format!("/api/threads/{THREAD}"), &Value::Null).0, 404, "once more");
    world.settle();
    assert_eq!(erasing(&mut world), (0, 0));
    assert_eq!(is_anywhere(&world), Vec::<String>::new());
    assert!(world.transcript("main").iter().any(|line| line.contains("heron")), "the other one stays");
}

#[test]
fn it_is_erased_however_often_the_object_dies_meanwhile_and_whatever_its_storage_refuses() {
    for (statements, deaths) in [(30, 3), (200, 1), (900, 5)] {
        let mut world = world();
        // The object may die before it has answered, or while it erases.
        world.request("DELETE", &format!("/api/threads/{THREAD}"));
        world.outside.sql.fail_after(statements);
        world.poll();
        for _ in 0..deaths {
            for _ in 0..5 {
                world.step(kioku::time::Millis(i64::MAX));
            }
            world.evict();
        }
        world.outside.sql.heal();
        world.settle();
        if is_anywhere(&world).is_empty() {
            assert_eq!(erasing(&mut world), (0, 0));
        } else {
            // Nothing was written before it failed, and nothing was answered.
            assert_eq!(world.transcript(THREAD).len(), SAID, "all or nothing after {statements}");
        }
        assert!(world.transcript("main").iter().any(|line| line.contains("heron")));
    }
}

#[test]
fn what_is_imported_again_or_said_in_the_same_thread_meanwhile_is_not_erased_with_it() {
    let mut world = world();
    call(&mut world, "DELETE", "/api/threads/main", &Value::Null);
    call(&mut world, "DELETE", &format!("/api/threads/{THREAD}"), &Value::Null);
    assert!(erasing(&mut world).0 > 500);
    let tab = world.connect("main");
    world.script(crate::support::world::Script::say("Yes."));
    world.send(&tab, "anew", "Said anew.");
    world.advance(10);
    assert_eq!(import(&mut world), SAID as u64, "none of it is there");
    world.settle();
    assert_eq!(erasing(&mut world), (0, 0));
    assert_eq!(world.transcript("main"), ["user: Said anew.", "assistant: Yes."]);
    assert_eq!(world.transcript(THREAD).len(), SAID);
    let recalled = call(
        &mut world,
        "POST",
        "/api/recall",
        &json!({"query": format!("{} 17", WORDS[0]), "everything": true}),
    );
    assert!(
        recalled["passages"].as_array().is_some_and(|passages| !passages.is_empty()),
        "it is searchable again"
    );
}

/// Facts said in the conversation, each with an entry of the ledger.
fn with_facts(count: usize) -> (World, Vec<String>) {
    let mut world = World::new(config(&[]));
    world.outside.sql.doubt(false);
    world.call("POST", "/api/threads", &json!({}));
    let thread = call(&mut world, "GET", "/api/threads", &Value::Null)["threads"]
        .as_array()
        .expect("a list")
        .iter()
        .find_map(|thread| thread["id"].as_str().filter(|id| *id != "main").map(str::to_owned))
        .expect("a thread");
    let mut ids = vec![thread.clone()];
    for n in 0..count {
        let text = if n.is_multiple_of(2) {
            format!("{} walks by tree {n}", WORDS[0])
        } else {
            format!("{}さんは{n}号室に住んでいる", WORDS[1])
        };
        let fact = call(
            &mut world,
            "POST",
            "/api/memory/facts",
            &json!({"text": text, "scope": format!("thread:{thread}")}),
        );
        ids.push(fact["id"].as_str().expect("an id").to_owned());
    }
    let text = format!("{} walks slowly", WORDS[0]);
    call(&mut world, "PATCH", &format!("/api/memory/facts/{}", ids[1]), &json!({"text": text}));
    world.settle();
    world.outside.vectorize.process();
    world.settle();
    (world, ids)
}

#[test]
fn many_facts_that_go_with_a_conversation_are_told_by_nothing_from_the_answer_on() {
    let (mut world, ids) = with_facts(70);
    let (thread, facts) = ids.split_first().expect("ids");
    let (status, receipt) =
        world.call("DELETE", &format!("/api/threads/{thread}?facts=forget"), &Value::Null);
    assert_eq!(
        (status, &receipt["facts"], &receipt["d1"]),
        (202, &json!("pending"), &json!("pending")),
        "{receipt}"
    );
    assert_eq!(receipt["forgotten"].as_array().map(Vec::len), Some(70));
    assert!(erasing(&mut world).1 > 0);
    assert_eq!(shown(&mut world), Vec::<String>::new());
    let changes = call(&mut world, "GET", "/api/memory/changes?limit=200", &Value::Null);
    for change in changes["changes"].as_array().expect("a list") {
        let id = change["id"].as_str().expect("an id");
        let (status, _) = world.call("POST", &format!("/api/memory/changes/{id}/undo"), &Value::Null);
        assert_eq!(status, 409, "{change}");
    }
    for fact in facts {
        let (status, receipt) = world.call("GET", &format!("/api/memory/facts/{fact}"), &Value::Null);
        assert_eq!((status, receipt["forgotten"].as_str()), (200, Some(fact.as_str())), "{receipt}");
        assert_eq!(
            world.call("PATCH", &format!("/api/memory/facts/{fact}"), &json!({"pinned": true})).0,
            404
        );
    }
    world.evict();
    world.settle();
    world.outside.vectorize.process();
    world.settle();
    assert_eq!((erasing(&mut world), is_anywhere(&world)), ((0, 0), Vec::new()));
    assert_eq!(world.outside.vectorize.visible().len(), 0);
    let told = format!("{:?}", world.outside.d1.query("SELECT * FROM facts", &[]));
    assert!(WORDS.iter().all(|word| !told.contains(word)), "D1");
    for fact in facts {
        let receipt = call(&mut world, "GET", &format!("/api/memory/facts/{fact}"), &Value::Null);
        let done = json!({"forgotten": fact, "object": "done", "summary": "clean", "d1": "done", "vectorize": "done"});
        assert_eq!(receipt, done);
    }
}

#[test]
fn a_fact_that_is_out_of_sight_is_not_learned_again_from_what_was_said_before() {
    let (mut world, ids) = with_facts(40);
    let tab = world.connect("main");
    let fact = format!("My aunt is called {}", WORDS[0]);
    let scoped = json!({"text": fact, "scope": format!("thread:{}", ids[0])});
    let own = call(&mut world, "POST", "/api/memory/facts", &scoped)["id"].clone();
    let proposal = json!({"operations": [{"op": "add", "text": fact, "kind": "other", "target": null, "message": "u1",
        "quote": fact, "valid_from": null, "valid_until": null}]});
    let script = crate::support::world::Script::Late(3_010, proposal.to_string());
    world.outside.memory.borrow_mut().entry("memory_operations".to_owned()).or_default().push_back(script);
    world.script(crate::support::world::Script::say("I see."));
    world.send(&tab, "a", &format!("{fact}."));
    world.advance(8_000);
    assert_eq!(world.outside.open_calls.get(), 1, "the extraction is under way");
    call(&mut world, "DELETE", &format!("/api/threads/{}?facts=forget", ids[0]), &Value::Null);
    while world.outside.open_calls.get() > 0 {
        world.step(kioku::time::Millis(i64::MAX));
    }
    let is_left = format!("SELECT 1 FROM leaving_facts WHERE id = '{}'", own.as_str().expect("an id"));
    assert_eq!(world.outside.sql.exec(&is_left, &[]).expect("rows").len(), 1, "it isn't erased yet");
    world.settle();
    let facts = call(&mut world, "GET", "/api/memory/facts?status=all&limit=200", &Value::Null);
    assert_eq!(facts["facts"], json!([]));
}
