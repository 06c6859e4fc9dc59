//! Memory as tools of the answering model: searched, saved, proposed to be forgotten, bounded, and off where refused.

use crate::support::world::{Script, World, config};
use serde_json::{Value, json};

/// An answer that calls tools, as a server that ignores `stream` gives it whole.
fn calls(calls: &[(&str, Value)]) -> Script {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            json!({"id": format!("c{at}"), "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    Script::Raw(json!({"choices": [{"message": {"content": null, "tool_calls": calls},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}))
}

/// The chat requests so far, without memory work.
fn asked(world: &World) -> Vec<Value> {
    world.outside.calls.borrow().iter().filter(|call| call.get("stream").is_some()).cloned().collect()
}

fn result_of(request: &Value) -> Value {
    let messages = request["messages"].as_array().unwrap();
    let result = messages.iter().rev().find(|message| message["role"] == "tool").expect("a result");
    serde_json::from_str(result["content"].as_str().unwrap()).unwrap()
}

fn world() -> World {
    World::new(config(&[]))
}

/// After one answer that was asked for with tools and then without: also after a restart, nothing is offered.
fn assert_no_more_tools(world: &mut World) {
    world.evict();
    let tab = world.connect("main");
    world.send(&tab, "b", "Again");
    world.settle();
    assert_eq!(world.of_type(&tab, "done").len(), 1);
    let offered: Vec<bool> = asked(world).iter().map(|request| request.get("tools").is_some()).collect();
    assert_eq!(offered, [true, false, false]);
}

#[test]
fn a_search_gives_ids_and_texts_and_is_shown_in_the_chat() {
    for (said, asks, query, word) in [
        ("We stayed at the harbour hotel in Bergen", "Where was that?", "hotel in Bergen", "Bergen"),
        ("ベルゲンの港のホテルに泊まりました", "どこでしたっけ", "ベルゲンのホテル", "ベルゲン"),
    ] {
        let mut world = world();
        let tab = world.connect("main");
        world.send(&tab, "a", said);
        world.settle();
        for n in 0..12 {
            world.send(&tab, &format!("n{n}"), "Something else entirely, please");
            world.settle();
        }
        world.script(calls(&[("memory_search", json!({"query": query}))]));
        world.script(Script::say("In Bergen."));
        let before = asked(&world).len();
        world.send(&tab, "b", asks);
        world.settle();
        let requests = asked(&world).split_off(before);
        assert_eq!(requests.len(), 2, "{requests:?}");
        assert_eq!(requests[0]["tools"].as_array().map(Vec::len), Some(3));
        let result = result_of(&requests[1]);
        assert!(result["passages"][0]["text"].as_str().unwrap().contains(word), "{result}");
        let id = result["passages"][0]["id"].as_str().unwrap().to_owned();
        let recalled = world.of_type(&tab, "recalled").pop().unwrap();
        assert_eq!(recalled["query"]["searched"], query);
        assert!(recalled["passages"].as_array().unwrap().iter().any(|passage| passage["message"] == id));
        let done = world.of_type(&tab, "done").pop().unwrap();
        assert_eq!(done["message"]["text"], "In Bergen.");
        assert!(done["usage"]["prompt_tokens"].as_u64().unwrap() > 10, "{done}");
    }
}

#[test]
fn what_is_saved_was_said_and_what_was_not_said_is_refused() {
    for (said, fact, invented) in [
        ("By the way, I live in Osaka now.", "I live in Osaka", "I live in Tokyo"),
        ("ちなみに、今は大阪に住んでいます。", "大阪に住んでいます", "東京に住んでいます"),
    ] {
        let mut world = world();
        let tab = world.connect("main");
        world.script(calls(&[
            ("memory_save", json!({"text": fact, "quote": fact})),
            ("memory_save", json!({"text": invented, "quote": invented})),
        ]));
        world.script(Script::say("Noted."));
        world.send(&tab, "a", said);
        world.poll();
        world.advance(200);
        let requests = asked(&world);
        let messages = requests[1]["messages"].as_array().unwrap();
        let results: Vec<Value> = messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap())
            .collect();
        assert_eq!(results[0]["saved"][0]["text"].as_str(), Some(fact), "{results:?}");
        assert_eq!(results[1]["saved"], json!([]), "{results:?}");
        assert!(results[1]["refused"].is_string(), "{results:?}");
        let remembered = world.of_type(&tab, "remembered");
        assert_eq!(remembered[0]["changes"][0]["op"], "added");
        let (_, list) = world.call("GET", "/api/memory/facts", &Value::Null);
        assert_eq!(list["facts"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn forgetting_is_proposed_and_nothing_goes_before_the_user_agrees() {
    let mut world = world();
    for text in ["Works as a nurse in Leeds.", "犬を飼っている。"] {
        let (status, _) = world.call("POST", "/api/memory/facts", &json!({"text": text}));
        assert_eq!(status, 201);
    }
    let tab = world.connect("main");
    world.script(calls(&[("memory_forget", json!({"query": "nurse in Leeds"}))]));
    world.script(Script::say("Shall I forget it?"));
    world.send(&tab, "a", "Please drop my job from your notes");
    world.settle();
    let result = result_of(&asked(&world)[1]);
    assert_eq!(result["forgotten"], json!([]));
    assert_eq!(result["proposed"].as_array().map(Vec::len), Some(1), "{result}");
    let remembered = world.of_type(&tab, "remembered");
    let change = &remembered[0]["changes"][0];
    assert_eq!((&change["op"], &change["fact"]["id"]), (&json!("held"), &result["proposed"][0]["id"]));
    let (_, list) = world.call("GET", "/api/memory/facts", &Value::Null);
    assert_eq!(list["facts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_steps_of_an_answer_are_bounded() {
    let mut world = world();
    let tab = world.connect("main");
    for _ in 0..5 {
        world.script(calls(&[("memory_search", json!({"query": "x"})), ("no_such_tool", json!({}))]));
    }
    world.send(&tab, "a", "Hello");
    world.settle();
    let requests = asked(&world);
    assert_eq!(requests.len(), 3);
    assert!(requests[2].get("tools").is_none());
    // It called although nothing was offered: that is no answer.
    assert_eq!(world.of_type(&tab, "failed").len(), 1);
}

#[test]
fn a_server_that_refuses_tools_is_asked_without_them_from_then_on() {
    for status in [400, 500] {
        let mut world = world();
        let tab = world.connect("main");
        world.script(Script::Status(status, None));
        world.script(Script::say("Hello"));
        world.send(&tab, "a", "Hi");
        world.settle();
        assert_eq!(world.of_type(&tab, "done").len(), 1);
        assert_no_more_tools(&mut world);
    }
}

#[test]
fn a_model_that_writes_its_calls_as_text_is_asked_without_tools_and_nobody_sees_the_call() {
    for (said, call, answer) in [
        (
            "I paint on Sundays",
            r#"{"name": "memory_save", "arguments": {"quote": "I paint on Sundays"}}"#,
            "How nice!",
        ),
        (
            "日曜日に絵を描きます",
            "<tool_call>\n{\"name\": \"memory_search\", \"arguments\": {}}",
            "{素敵} ですね",
        ),
    ] {
        let mut world = world();
        let tab = world.connect("main");
        // Letter by letter, as a stream brings it.
        world.script(Script::Say(call.chars().map(|letter| (1, letter.to_string())).collect()));
        world.script(Script::say(answer));
        world.send(&tab, "a", said);
        world.settle();
        let done = world.of_type(&tab, "done");
        assert_eq!((done.len(), &done[0]["message"]["text"]), (1, &json!(answer)));
        let told: String =
            world.of_type(&tab, "delta").iter().map(|d| d["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(told, answer);
        assert_no_more_tools(&mut world);
    }
}

#[test]
fn an_answer_that_only_looks_like_a_call_is_told_whole() {
    for answer in ["{\"a\": 1}", "```json\n{\"名前\": \"猫\"}\n```", "[1, 2, 3]"] {
        for script in [
            Script::Say(answer.chars().map(|letter| (1, letter.to_string())).collect()),
            Script::CutShort(vec![(1, answer.to_owned())]),
        ] {
            let mut world = world();
            let tab = world.connect("main");
            let is_whole = matches!(script, Script::Say(_));
            world.script(script);
            world.send(&tab, "a", "JSON, please");
            world.settle();
            let (kind, key) = if is_whole { ("done", "message") } else { ("failed", "reply") };
            let end = world.of_type(&tab, kind).pop().expect(kind);
            assert_eq!(end[key]["text"], answer, "{end}");
        }
    }
}

#[test]
fn tools_follow_the_memory_mode() {
    for (mode, tools) in [("on", 3), ("read_only", 1), ("off", 0)] {
        let mut world = world();
        let (status, _) = world.call("PATCH", "/api/me/settings", &json!({"memory_mode": mode}));
        assert_eq!(status, 200);
        let tab = world.connect("main");
        world.send(&tab, "a", "Hi");
        world.settle();
        let offered = asked(&world)[0]["tools"].as_array().map_or(0, Vec::len);
        assert_eq!(offered, tools, "{mode}");
    }
    let mut world = World::new(config(&[("MODEL_TOOLS", "off")]));
    let tab = world.connect("main");
    world.send(&tab, "a", "Hi");
    world.settle();
    assert!(asked(&world)[0].get("tools").is_none());
}
