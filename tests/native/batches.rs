//! Memory work in batches: many turns cost few calls, and nothing is unknown while it waits.

use crate::support::world::{Script, World, config};
use serde_json::{Value, json};

/// The calls of a kind so far: `rolling_summary`, `memory_operations`, or answers, which have no schema.
fn calls(world: &World, kind: &str) -> Vec<Value> {
    let calls = world.outside.calls.borrow();
    let of =
        |call: &&Value| call["response_format"]["json_schema"]["name"].as_str().unwrap_or("answer") == kind;
    calls.iter().filter(of).cloned().collect()
}

/// The reference memory of the newest answer, and everything else that the model was sent with it.
fn newest_prompt(world: &World) -> (Value, Vec<String>) {
    let answers = calls(world, "answer");
    let messages = answers.last().expect("a call")["messages"].as_array().expect("messages").clone();
    let texts: Vec<String> =
        messages.iter().filter_map(|m| m["content"].as_str().map(str::to_owned)).collect();
    let memory =
        texts.iter().find(|text| text.starts_with("{\"type\":\"reference_memory\"")).expect("memory");
    (serde_json::from_str(memory).expect("JSON"), texts)
}

fn fold_with(world: &World, script: Script) {
    world.outside.memory.borrow_mut().entry("rolling_summary".into()).or_default().push_back(script);
}

fn summary(text: &str) -> Script {
    Script::Json(json!({"summary": text}).to_string())
}

/// A talk of short turns, a second apart.
fn talk(world: &mut World, tab: &str, from: usize, turns: usize, text: &str) {
    for n in from..from + turns {
        world.send(tab, &format!("t{n}"), text);
        world.advance(1_000);
    }
}

#[test]
fn a_long_talk_costs_little_more_than_its_answers() {
    for (said, small_talk) in [
        ("I saw a heron at the pond.", "How tall is a heron?"),
        ("池でサギを見ました。", "エッフェル塔の高さは何メートルですか？"),
    ] {
        let mut world = World::new(config(&[]));
        for _ in 0..20 {
            fold_with(&world, summary(said));
        }
        let tab = world.connect("main");
        for n in 0..60 {
            let text = if n % 2 == 0 { said } else { small_talk };
            world.send(&tab, &format!("t{n}"), text);
            world.advance(1_000);
        }
        let all = world.outside.calls.borrow().len();
        let of = |kind| calls(&world, kind).len();
        assert_eq!(of("answer"), 60);
        let kinds = ["rolling_summary", "memory_operations", "same_fact", "search_query"]
            .map(|kind| (kind, of(kind)));
        assert!(all <= 78, "{all} calls: {kinds:?}");
    }
}

#[test]
fn what_overflows_is_folded_a_few_seconds_after_the_talk_pauses() {
    let mut world = World::new(config(&[]));
    for _ in 0..4 {
        fold_with(&world, summary("The user counts birds."));
    }
    let tab = world.connect("main");
    talk(&mut world, &tab, 0, 6, "I count birds.");
    assert!(calls(&world, "rolling_summary").is_empty());
    world.advance(6_000);
    assert_eq!(world.of_type(&tab, "folded").len(), 1);
    let folds = calls(&world, "rolling_summary");
    let input: Value =
        serde_json::from_str(folds[0]["messages"][1]["content"].as_str().expect("text")).expect("JSON");
    assert_eq!(input["messages"].as_array().map(Vec::len), Some(2), "exactly what overflows");
}

#[test]
fn a_talk_without_a_pause_is_folded_when_much_overflows() {
    let mut world = World::new(config(&[]));
    for _ in 0..8 {
        fold_with(&world, summary("The user counts birds."));
    }
    let tab = world.connect("main");
    talk(&mut world, &tab, 0, 40, "I count birds.");
    let folds = world.of_type(&tab, "folded").len();
    assert!((4..=7).contains(&folds), "{folds}");
}

#[test]
fn what_was_said_twelve_messages_ago_and_is_not_folded_yet_is_still_known() {
    for (said, mark) in [("The gate code is 4812.", "4812"), ("門の番号は4812です。", "4812")] {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        world.send(&tab, "first", said);
        world.advance(1_000);
        talk(&mut world, &tab, 0, 6, "OK");
        world.send(&tab, "asked", "OK?");
        world.advance(1_000);
        assert!(calls(&world, "rolling_summary").is_empty());
        let (memory, texts) = newest_prompt(&world);
        let waiting = memory["not_yet_summarized"].as_array().expect("what waits");
        assert!(waiting[0]["text"].as_str().is_some_and(|text| text.contains(mark)), "{waiting:?}");
        assert_eq!(waiting[0]["who"], "user");
        assert_eq!(texts.iter().filter(|text| text.contains(mark)).count(), 1, "once: {texts:?}");
        assert!(texts.len() <= 13, "system, memory, ten recent ones, the question");
    }
}

#[test]
fn what_could_not_be_folded_is_still_known() {
    let mut world = World::new(config(&[]));
    for _ in 0..3 {
        fold_with(&world, Script::Status(503, None));
    }
    let tab = world.connect("main");
    world.send(&tab, "first", "The gate code is 4812.");
    world.advance(1_000);
    talk(&mut world, &tab, 0, 6, "OK");
    world.advance(8_000);
    assert!(!calls(&world, "rolling_summary").is_empty() && world.of_type(&tab, "folded").is_empty());
    world.send(&tab, "asked", "OK?");
    world.advance(1_000);
    assert!(
        newest_prompt(&world).0["not_yet_summarized"][0]["text"].as_str().is_some_and(|t| t.contains("4812"))
    );
}

#[test]
fn what_was_forgotten_is_not_given_while_it_waits() {
    let mut world = World::new(config(&[]));
    let tab = world.connect("main");
    let (status, fact) = world.call("POST", "/api/memory/facts", &json!({"text": "The gate code is 4812."}));
    assert_eq!(status, 201);
    world.send(&tab, "first", "The gate code is 4812.");
    world.advance(1_000);
    talk(&mut world, &tab, 0, 6, "OK");
    let id = fact["id"].as_str().expect("an id");
    world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
    world.send(&tab, "asked", "OK?");
    world.advance(1_000);
    let (_, texts) = newest_prompt(&world);
    assert!(texts.iter().all(|text| !text.contains("4812")), "{texts:?}");
}

#[test]
fn a_prompt_keeps_its_bounds_whatever_waits_to_be_folded() {
    let mut world = World::new(config(&[("MEMORY_PROMPT_TOKENS", "200"), ("SUMMARY_MAX_TOKENS", "100")]));
    for _ in 0..40 {
        fold_with(&world, Script::Status(503, None));
    }
    let tab = world.connect("main");
    talk(
        &mut world,
        &tab,
        0,
        15,
        &"I keep a long list of birds in the shed. 鳥の一覧を納屋に置いている。".repeat(6),
    );
    let (memory, _) = newest_prompt(&world);
    let waiting = memory["not_yet_summarized"].to_string();
    assert!(!memory["not_yet_summarized"].as_array().expect("a list").is_empty());
    assert!(kioku::text::estimate::tokens(&waiting) <= 230, "{waiting}");
}

#[test]
fn a_question_that_tells_nothing_of_the_user_costs_no_extraction_and_the_trace_says_so() {
    for (asked, told) in
        [("How tall is a heron?", "I live in Osaka."), ("サギの高さは？", "大阪に住んでいます。")]
    {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        world.send(&tab, "asked", asked);
        world.settle();
        assert!(calls(&world, "memory_operations").is_empty(), "{asked}");
        let turn = world.of_type(&tab, "accepted")[0]["turn"].as_str().expect("a turn").to_owned();
        let (_, trace) = world.call("GET", &format!("/api/traces/{turn}"), &Value::Null);
        assert!(trace["memory"]["refused"][0]["reason"].is_string(), "{trace}");
        world.send(&tab, "told", told);
        world.settle();
        assert_eq!(calls(&world, "memory_operations").len(), 1, "{told}");
    }
}

#[test]
fn a_model_that_proposes_a_list_and_each_of_its_items_teaches_each_once() {
    for (said, told, kept) in [
        (
            "I enjoy painting, piano and tea.",
            &["I enjoy painting, piano and tea.", "I enjoy painting.", "I enjoy piano.", "I enjoy tea."][..],
            &["I enjoy painting.", "I enjoy piano.", "I enjoy tea."][..],
        ),
        ("犬と猫が好きです。", &["犬が好きです。", "犬と猫が好きです。"], &["犬と猫が好きです。"]),
    ] {
        let mut world = World::new(config(&[]));
        let proposed: Vec<Value> = told
            .iter()
            .map(|text| {
                json!({"op": "add", "text": text, "kind": "preference", "target": null, "message": "u1", "quote": said,
                    "valid_from": null, "valid_until": null})
            })
            .collect();
        let script = Script::Json(json!({"operations": proposed}).to_string());
        world.outside.memory.borrow_mut().entry("memory_operations".into()).or_default().push_back(script);
        let tab = world.connect("main");
        world.send(&tab, "a", said);
        world.advance(60_000);
        let (_, facts) = world.call("GET", "/api/memory/facts?match=keyword", &Value::Null);
        let mut texts: Vec<&str> = facts["facts"]
            .as_array()
            .expect("facts")
            .iter()
            .map(|fact| fact["text"].as_str().expect("a text"))
            .collect();
        texts.sort_unstable();
        assert_eq!(texts, kept, "{said}");
        let turn = world.of_type(&tab, "done")[0]["turn"].as_str().expect("a turn").to_owned();
        let (_, trace) = world.call("GET", &format!("/api/traces/{turn}"), &Value::Null);
        assert!(trace["memory"].to_string().contains("repeated"), "{trace}");
    }
}
