//! What a session keeps in memory says what its storage says, whatever happened to it. That kept answers are the
//! database's own is also looked at by every other scenario: their world doubts each of them.

use std::rc::Rc;

use crate::support::world::{FakePorts, World, config};
use kioku::id::OwnerKey;
use kioku::session::{Session, api};
use kioku::store::sql::Sql;
use proptest::collection::vec;
use serde_json::{Value, json};

const SAID: &[&str] = &[
    "My sister Anna lives in Kyoto with two cats.",
    "妹の花子は京都で猫を二匹飼っています。",
    "I keep a green bicycle in the harbour of Lisbon.",
    "自転車はリスボンの港に置いてある。",
    "Please remember that I am allergic to peanuts.",
    "ピーナッツのアレルギーがあることを覚えておいて。",
    "I moved from Kyoto to Lisbon in May.",
];

/// What is asked after each step, in both languages.
const ASKED: &[&str] =
    &["Where does my sister Anna live?", "自転車はどこに置いてある？", "peanuts in Lisbon"];

/// One thing that may happen. `n` chooses among texts and facts.
fn happens(world: &mut World, tab: &mut String, step: u8, n: usize) {
    let text = SAID[n % SAID.len()];
    let fact = |world: &mut World| -> Option<String> {
        let (_, list) = world.call("GET", "/api/memory/facts?status=all", &Value::Null);
        let facts = list["facts"].as_array()?;
        Some(facts.get(n % facts.len().max(1))?["id"].as_str()?.to_owned())
    };
    match step {
        0 | 1 => {
            let id = format!("s{}", world.outside.received.borrow().len());
            world.send(tab, &id, text);
            // Half of the time the object dies with what it was doing.
            if n.is_multiple_of(4) {
                world.advance(3);
                world.evict();
            }
        }
        2 => drop(world.call("POST", "/api/memory/facts", &json!({"text": text}))),
        3 => {
            if let Some(id) = fact(world) {
                let how = if n.is_multiple_of(2) { "erase" } else { "exclude" };
                world.call("DELETE", &format!("/api/memory/facts/{id}?messages={how}"), &Value::Null);
            }
        }
        4 => {
            if let Some(id) = fact(world) {
                world.call(
                    "PATCH",
                    &format!("/api/memory/facts/{id}"),
                    &json!({"text": text, "pinned": n.is_multiple_of(2)}),
                );
            }
        }
        5 => {
            let (_, changes) = world.call("GET", "/api/memory/changes", &Value::Null);
            if let Some(id) = changes["changes"][n % 3]["id"].as_str() {
                world.call("POST", &format!("/api/memory/changes/{id}/undo"), &Value::Null);
            }
        }
        6 => {
            let mode = ["on", "read_only", "off"][n % 3];
            world.call("PATCH", "/api/me/settings", &json!({"memory_mode": mode, "timezone": "Asia/Tokyo"}));
        }
        7 => {
            world.call("DELETE", "/api/memory", &json!({"confirm": "forget everything"}));
            *tab = world.connect("main");
        }
        _ => world.evict(),
    }
    world.settle();
}

/// What recall answers; scores too.
fn recalled(session: &Session<FakePorts>, question: &str) -> Value {
    let request = api::Request {
        method: "POST".to_owned(),
        path: "/api/recall".to_owned(),
        query: String::new(),
        body: json!({"query": question}).to_string().into_bytes(),
        user: "tester".to_owned(),
    };
    let answer = futures::executor::block_on(session.handle(request));
    serde_json::from_str(&answer.body).expect("recall answers with JSON")
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, ..Default::default() })]

    #[test]
    fn a_session_that_was_there_recalls_what_a_new_one_does(steps in vec((0..9_u8, 0..40_usize), 1..12)) {
        let mut world = World::new(config(&[("REQUESTS_PER_MINUTE", "1000000")]));
        let mut tab = world.connect("main");
        for (step, n) in steps {
            happens(&mut world, &mut tab, step, n);
            let session = world.session();
            let fresh = Session::open(FakePorts(Rc::clone(&world.outside)), world.config.clone(), OwnerKey::of("test", "user"));
            let fresh = fresh.expect("the storage opens");
            for question in ASKED {
                let known = recalled(&session, question);
                world.outside.sql.forget();
                proptest::prop_assert_eq!(known, recalled(&fresh, question), "{} after {} {}", question, step, n);
            }
        }
    }
}

#[test]
fn what_nobody_wrote_is_read_once() {
    let mut world = World::new(config(&[]));
    let tab = world.connect("main");
    world.send(&tab, "a", SAID[0]);
    world.settle();
    world.outside.sql.doubt(false);
    world.call("POST", "/api/recall", &json!({"query": ASKED[0]}));
    world.outside.sql.keep_statements();
    world.call("POST", "/api/recall", &json!({"query": ASKED[0]}));
    let again = world.outside.sql.keep_statements();
    assert!(!again.iter().any(|statement| statement.contains("FROM meta")), "{again:#?}");
    world.outside.sql.exec("UPDATE threads SET title = 'x'", &[]).expect("it is written");
    world.call("POST", "/api/recall", &json!({"query": ASKED[0]}));
    assert!(!world.outside.sql.keep_statements().iter().any(|statement| statement.contains("FROM meta")));
}
