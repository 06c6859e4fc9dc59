//! Forgetting by word, by thread, by age and for good, with faults; and what comes back by itself: comparing mirrors.

use crate::support::world::{Script, World, config};
use kioku::store::sql::Sql;
use serde_json::{Value, json};

const DAY: i64 = 86_400_000;

fn world() -> World {
    World::new(config(&[("MODEL_PROVIDER", "embedded")]))
}

fn facts(world: &mut World) -> Vec<String> {
    let (_, body) = world.call("GET", "/api/memory/facts?match=keyword&status=all&limit=200", &Value::Null);
    let list = body["facts"].as_array().expect("a list");
    list.iter().map(|fact| fact["text"].as_str().expect("a text").to_owned()).collect()
}

fn add(world: &mut World, text: &str) -> String {
    let (status, fact) = world.call("POST", "/api/memory/facts", &json!({"text": text}));
    assert_eq!(status, 201, "{fact}");
    fact["id"].as_str().expect("an id").to_owned()
}

fn say(world: &mut World, tab: &str, id: &str, text: &str) -> String {
    world.send(tab, id, text);
    world.advance(60_000);
    let done = world.of_type(tab, "done");
    done.last().expect("an answer")["message"]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn forget_in_the_chat_lists_what_fits_asks_and_forgets_only_after_a_yes() {
    for (kept, gone, asked, yes, word) in [
        (
            "I play tennis on Sundays",
            "My address is 12 Willow Lane",
            "Please forget my address.",
            "Yes, please.",
            "Willow",
        ),
        ("猫を飼っている", "実家は秋田にある", "実家のことを忘れて", "はい", "秋田"),
    ] {
        let mut world = world();
        add(&mut world, kept);
        add(&mut world, gone);
        let tab = world.connect("main");
        let question = say(&mut world, &tab, "a", asked);
        assert!(question.contains(gone) && !question.contains(kept), "{question}");
        assert_eq!(facts(&mut world).len(), 2, "nothing is forgotten by asking");
        world.evict();
        let tab = world.connect("main");
        let told = say(&mut world, &tab, "b", yes);
        assert!(!told.contains(word), "{told}");
        assert_eq!(facts(&mut world), [kept]);
        assert_eq!(world.of_type(&tab, "remembered")[0]["changes"][0]["op"], "forgotten");
        let later = say(&mut world, &tab, "c", yes);
        assert_eq!(facts(&mut world), [kept], "{later}");
    }
}

#[test]
fn the_wish_and_the_offer_are_left_out_with_what_was_forgotten_and_emoji_can_be_named() {
    for (fact, asked, yes, word) in [
        ("My code name is zorbaflit", "Forget zorbaflit.", "yes", "orbaflit"),
        ("お守りは🦊です", "🦊のことを忘れて", "はい", "🦊"),
        ("My charm is a 🦊", "Please forget the 🦊.", "yes", "🦊"),
    ] {
        let mut world = world();
        add(&mut world, "猫を飼っている");
        add(&mut world, fact);
        let tab = world.connect("main");
        let offer = say(&mut world, &tab, "a", asked);
        assert!(offer.contains(fact) && !offer.contains('猫'), "{offer}");
        say(&mut world, &tab, "b", yes);
        assert_eq!(facts(&mut world), ["猫を飼っている"]);
        let (_, shown) = world.call("GET", "/api/threads/main/messages?limit=200", &Value::Null);
        let shown = shown["messages"].as_array().expect("a list");
        let says: Vec<&Value> =
            shown.iter().filter(|m| m["text"].as_str().is_some_and(|t| t.contains(word))).collect();
        assert_eq!(says.len(), 2, "the wish and the offer");
        assert!(says.iter().all(|message| message["excluded"] == true), "{says:?}");
    }
}

#[test]
fn what_a_reply_had_said_when_its_object_died_is_not_kept_if_something_was_forgotten_meanwhile() {
    for forgets in [false, true] {
        let mut world = World::new(config(&[]));
        let id = add(&mut world, "My aunt is called Mirelleon");
        world.script(Script::Stall((0..30).map(|_| (100, "Mirelleon is your aunt. ".into())).collect()));
        let tab = world.connect("main");
        world.send(&tab, "a", "Who is it?");
        world.advance(2_000);
        if forgets {
            let path = format!("/api/memory/facts/{id}?messages=erase");
            assert_eq!(world.call("DELETE", &path, &Value::Null).0, 200);
        }
        // Saved after it was forgotten, too.
        world.advance(1_200);
        world.evict();
        world.settle();
        assert_eq!(world.of_type(&tab, "failed")[0]["code"], "interrupted");
        let is_kept = world.transcript("main").iter().any(|message| message.contains("Mirelleon"));
        assert_eq!((is_kept, world.tables_with("Mirelleon").is_empty()), (!forgets, forgets));
    }
}

#[test]
fn a_no_a_number_or_something_else_does_what_it_says() {
    for (answer, left) in [("no", 3), ("1", 2), ("1 and 2", 1), ("yes", 0), ("What time is it?", 3), ("4", 3)]
    {
        let mut world = world();
        for text in ["My dog is called Rex", "My dog is seven years old", "My dog hates thunder"] {
            add(&mut world, text);
        }
        let tab = world.connect("main");
        let question = say(&mut world, &tab, "a", "Forget my dog.");
        assert_eq!(question.matches("dog").count(), 3, "{question}");
        say(&mut world, &tab, "b", answer);
        assert_eq!(facts(&mut world).len(), left, "{answer}");
        say(&mut world, &tab, "c", "yes");
        assert_eq!(facts(&mut world).len(), left, "{answer}: an offer that was not answered has lapsed");
    }
}

#[test]
fn nothing_that_fits_and_everything_are_told_and_forget_nothing() {
    let mut world = world();
    add(&mut world, "My dog is called Rex");
    let tab = world.connect("main");
    assert!(say(&mut world, &tab, "a", "Forget my bicycle.").contains("nothing that fits"));
    assert!(say(&mut world, &tab, "b", "全部忘れて").contains("設定"));
    say(&mut world, &tab, "c", "はい");
    assert_eq!(facts(&mut world).len(), 1);
}

#[test]
fn forgetting_in_the_chat_asks_no_model_and_survives_the_objects_death_anywhere() {
    for polls in 0..12 {
        let mut world = World::new(config(&[]));
        let gone = "My address is 12 Willow Lane";
        add(&mut world, gone);
        let tab = world.connect("main");
        say(&mut world, &tab, "a", "Forget my address.");
        world.send(&tab, "b", "yes");
        world.poll_some(polls);
        world.evict();
        world.connect("main");
        world.advance(60_000);
        assert!(world.outside.calls.borrow().iter().all(|call| !call.to_string().contains("Willow")));
        let transcript = world.transcript("main");
        if transcript.iter().any(|line| line.starts_with("user: yes")) {
            assert!(facts(&mut world).is_empty(), "after {polls}: {transcript:?}");
            assert_eq!(
                transcript.last().map(String::as_str),
                Some("assistant: It is forgotten."),
                "after {polls}"
            );
        }
    }
}

#[test]
fn a_storage_that_fails_while_it_forgets_leaves_all_or_nothing_and_the_answer_tells_which() {
    for statements in (0..160).step_by(7) {
        let mut world = world();
        for text in ["My dog is called Rex", "My dog hates thunder"] {
            add(&mut world, text);
        }
        let tab = world.connect("main");
        say(&mut world, &tab, "a", "Forget my dog.");
        world.outside.sql.fail_after(statements);
        world.send(&tab, "b", "yes");
        world.advance(120_000);
        world.outside.sql.heal();
        world.evict();
        world.connect("main");
        world.advance(600_000);
        let left = facts(&mut world).len();
        assert!([0, 2].contains(&left), "{left} left after {statements}");
        let said = world.transcript("main").iter().any(|line| line == "assistant: 2 facts are forgotten.");
        assert!(!said || left == 0, "told and not done after {statements}");
    }
}

#[test]
fn a_thread_goes_with_the_facts_said_in_it_only_where_that_is_asked() {
    for (query, left) in [("", 2), ("?facts=keep", 2), ("?facts=forget", 1)] {
        let mut world = world();
        add(&mut world, "猫を飼っている");
        let (_, thread) = world.call("POST", "/api/threads", &json!({}));
        let id = thread["id"].as_str().expect("an id").to_owned();
        let tab = world.connect(&id);
        world.send(&tab, "a", "I live in Osaka.");
        world.settle();
        assert_eq!(facts(&mut world).len(), 2);
        let (status, body) = world.call("DELETE", &format!("/api/threads/{id}{query}"), &Value::Null);
        assert_eq!(status, if left == 1 { 200 } else { 204 }, "{body}");
        assert_eq!(facts(&mut world).len(), left, "{query}");
        if left == 1 {
            assert_eq!(body["forgotten"].as_array().map(Vec::len), Some(1));
            assert_eq!(world.tables_with("Osaka"), Vec::<String>::new());
        }
    }
    assert_eq!(world().call("DELETE", "/api/threads/main?facts=burn", &Value::Null).0, 400);
}

#[test]
fn what_is_older_than_the_retention_period_goes_by_alarm_and_what_is_newer_or_pinned_stays() {
    let mut world = world();
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Osaka.");
    world.settle();
    let pinned = add(&mut world, "My blood group is B");
    world.call("PATCH", &format!("/api/memory/facts/{pinned}"), &json!({"pinned": true}));
    let (_, thread) = world.call("POST", "/api/threads", &json!({"title": "Osaka trip"}));
    let other = world.connect(thread["id"].as_str().expect("an id"));
    world.send(&other, "b", "Nice weather in Osaka.");
    world.settle();
    assert_eq!(world.call("PATCH", "/api/me/settings", &json!({"retention_days": 30})).0, 200);
    world.advance(29 * DAY);
    assert_eq!(facts(&mut world).len(), 2);
    world.send(&tab, "c", "I have a cat.");
    world.advance(2 * DAY);
    let left = facts(&mut world);
    assert!(
        left.iter().any(|fact| fact.contains("cat")) && left.iter().any(|fact| fact.contains("blood")),
        "{left:?}"
    );
    assert_eq!(world.tables_with("Osaka"), Vec::<String>::new());
    assert_eq!(world.transcript("main").len(), 2);
    world.advance(31 * DAY);
    assert_eq!(facts(&mut world), ["My blood group is B"]);
    assert!(world.transcript("main").is_empty());
}

#[test]
fn without_a_retention_period_nothing_goes_however_old() {
    let mut world = world();
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Osaka.");
    world.settle();
    world.call("PATCH", "/api/me/settings", &json!({"retention_days": 30}));
    world.call("PATCH", "/api/me/settings", &json!({"retention_days": null}));
    world.advance(400 * DAY);
    assert_eq!((facts(&mut world).len(), world.transcript("main").len()), (1, 2));
}

#[test]
fn retention_survives_evictions_and_storage_that_fails() {
    for statements in (0..120).step_by(9) {
        let mut world = world();
        let tab = world.connect("main");
        for (id, text) in [("a", "I live in Osaka."), ("b", "My sister lives in Osaka.")] {
            world.send(&tab, id, text);
            world.settle();
        }
        world.call("PATCH", "/api/me/settings", &json!({"retention_days": 7}));
        world.advance(7 * DAY - 3_600_000);
        world.outside.sql.fail_after(statements);
        world.advance(3_600_000);
        world.evict();
        world.advance(3 * DAY);
        world.outside.sql.heal();
        assert_eq!(world.tables_with("Osaka"), Vec::<String>::new(), "after {statements}");
    }
}

#[test]
fn a_summary_of_what_the_retention_period_removed_is_made_again_without_it() {
    let mut world = World::new(config(&[("RECENT_MESSAGES", "2")]));
    let tab = world.connect("main");
    let summary = |text: &str| Script::Json(json!({"summary": text}).to_string());
    let fold = |world: &World, text: &str| {
        let mut memory = world.outside.memory.borrow_mut();
        memory.entry("rolling_summary".to_owned()).or_default().push_back(summary(text));
    };
    for n in 0..3 {
        fold(&world, "They spoke about the old harbour.");
        world.script(Script::say("Yes."));
        world.send(&tab, &format!("a{n}"), "The old harbour is lovely.");
        world.settle();
    }
    assert!(!world.tables_with("harbour").is_empty());
    world.call("PATCH", "/api/me/settings", &json!({"retention_days": 5}));
    world.advance(7 * DAY);
    assert_eq!(world.tables_with("harbour"), Vec::<String>::new());
}

#[test]
fn a_closed_account_leaves_nothing_but_the_order_to_empty_the_mirrors() {
    let mut world = world();
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Osaka.");
    world.settle();
    let id = add(&mut world, "My sister lives in Osaka");
    world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
    world.call("PATCH", "/api/me/settings", &json!({"timezone": "Asia/Tokyo", "retention_days": 30}));
    for body in [json!({}), json!({"confirm": "forget everything"})] {
        assert_eq!(world.call("DELETE", "/api/me", &body).0, 400);
    }
    assert!(!facts(&mut world).is_empty());
    let (status, receipt) = world.call("DELETE", "/api/me", &json!({"confirm": "close my account"}));
    assert_eq!((status, &receipt["object"]), (200, &json!("done")), "{receipt}");
    assert_eq!(world.tables_with("Osaka"), Vec::<String>::new());
    let (_, me) = world.call("GET", "/api/me", &Value::Null);
    assert_eq!((&me["settings"]["timezone"], &me["usage"]["turns"]), (&json!("UTC"), &json!(0)));
    let kept = [
        "schema_steps",
        "outbox",
        "mirrors",
        "mirror_epoch",
        "vectors",
        "left_shards",
        "receipts",
        "meta",
        "jobs",
    ];
    let sql = &world.outside.sql;
    let tables = sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'", &[]);
    for table in tables.expect("tables") {
        let name = table.text(0).expect("a name");
        if !kept.contains(&name) && !name.starts_with("sqlite_") && !name.contains("_terms_") {
            let rows = sql.exec(&format!("SELECT count(*) FROM \"{name}\""), &[]).expect("a count");
            assert_eq!(rows[0].int(0), Ok(0), "{name}");
        }
    }
    world.settle();
    let (_, mirrors) = world.call("GET", "/api/memory/mirrors", &Value::Null);
    assert_eq!(mirrors["jobs"], json!([]));
    assert_eq!(mirrors["forgetting_everything"], json!({"d1": "done", "vectorize": "done"}));
    // The same person may come back, to an empty memory.
    let tab = world.connect("main");
    world.send(&tab, "z", "I live in Kobe.");
    world.settle();
    assert_eq!(facts(&mut world).len(), 1);
}

#[test]
fn mirrors_are_compared_every_week_by_alarm_and_what_was_lost_is_there_again() {
    let mut world = world();
    world.outside.vectorize.remake(kioku::llm::table::DIMENSIONS as u32);
    add(&mut world, "犬を飼っている");
    let day = |world: &mut World, days: i64| {
        for _ in 0..days {
            world.advance(DAY);
            world.outside.vectorize.process();
        }
    };
    day(&mut world, 1);
    assert_eq!(world.outside.vectorize.visible().len(), 1);
    world.outside.d1.query("DELETE FROM facts", &[]);
    world.outside.vectorize.tamper(std::collections::BTreeMap::clear);
    day(&mut world, 9);
    let rows = world.outside.d1.query("SELECT text FROM facts", &[]);
    assert_eq!(rows.len(), 1);
    assert_eq!(world.outside.vectorize.visible().len(), 1);
    world.outside.d1.query("DELETE FROM facts", &[]);
    world.evict();
    day(&mut world, 9);
    assert_eq!(world.outside.d1.query("SELECT text FROM facts", &[]).len(), 1, "again after an eviction");
}

#[test]
fn ten_thousand_facts_are_forgotten_in_one_call_for_the_statements_of_ten() {
    let mut spent = Vec::new();
    for count in [10, 10_000] {
        let mut world = world();
        world.session();
        let sql = &world.outside.sql;
        sql.atomically(&mut || {
            for n in 0..count {
                let id = kioku::id::FactId::parse(&format!("f_{n}")).expect("an id");
                let text = format!("Read book number {n} of the series");
                sql.exec(
                    "INSERT INTO facts (id, text, normal, search, kind, scope, status, pinned, edited, observed_at, quote,
                         said_at, created_at, updated_at, version) VALUES (?1, ?2, ?2, ?2, 'other', 'global', 'current', 0, 0,
                         1, ?2, 1, 1, 1, 1)",
                    &[id.as_str().into(), (&text).into()],
                )?;
                kioku::store::index::put_fact(sql, &id, &text)?;
            }
            Ok(())
        })
        .expect("facts are stored");
        let before = sql.statements();
        let (status, _) = world.call("DELETE", "/api/memory", &json!({"confirm": "forget everything"}));
        assert_eq!(status, 200);
        spent.push(world.outside.sql.statements() - before);
        assert!(facts(&mut world).is_empty());
    }
    // Zeros take the pages that become free, some more of them in the same few statements.
    assert!(spent[1] <= spent[0] + 8, "{spent:?}");
}

#[test]
fn d1s_log_is_overwritten_once_it_has_heard_of_the_deletion_and_a_d1_that_is_down_is_waited_for() {
    let mut world = world();
    let id = add(&mut world, "犬を飼っている");
    world.settle();
    world.outside.d1.set_fault(Some(crate::support::d1::Fault::ErrorBefore));
    world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
    world.advance(60_000);
    let scrubs = |world: &mut World| {
        let (_, body) = world.call("GET", "/api/memory/mirrors", &Value::Null);
        let jobs = body["jobs"].as_array().expect("a list").clone();
        jobs.iter().filter(|job| job["kind"] == "scrub").map(|job| job["key"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(scrubs(&mut world), ["\"d1\""], "the object's own file is done");
    world.outside.d1.set_fault(None);
    world.settle();
    assert!(scrubs(&mut world).is_empty());
    assert!(world.outside.d1.query("SELECT 1 FROM zeros", &[]).is_empty());
}

#[test]
fn what_a_question_was_searched_as_is_told_later_until_something_is_forgotten() {
    for (said, asked, meant) in [
        ("My sister Hanako lives in Nagoya.", "What does she like?", "Hanako"),
        ("妹の花子は名古屋に住んでいます。", "それはどこ？", "花子"),
    ] {
        let mut world = world();
        let tab = world.connect("main");
        say(&mut world, &tab, "a", said);
        say(&mut world, &tab, "b", asked);
        let turns: Vec<String> = world
            .of_type(&tab, "done")
            .iter()
            .map(|done| done["turn"].as_str().expect("a turn").to_owned())
            .collect();
        let told = |world: &mut World, turn: &str| {
            world.call("GET", &format!("/api/traces/{turn}"), &Value::Null).1["recalled"]["query"].clone()
        };
        world.evict();
        assert_eq!(told(&mut world, &turns[0]), Value::Null, "{said}: searched for as it was written");
        let query = told(&mut world, &turns[1]);
        assert_eq!(query["original"], asked);
        assert!(query["searched"].as_str().expect("a text").contains(meant), "{query}");

        let fact = add(&mut world, "I like tea");
        world.call("DELETE", &format!("/api/memory/facts/{fact}"), &Value::Null);
        assert_eq!(told(&mut world, &turns[1]), Value::Null, "{asked}: after a forgetting");
    }
}
