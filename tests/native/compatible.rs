//! Servers that are only nearly compatible: what they refuse is left out, and what they should have kept is kept back.

use crate::support::world::{Script, World, config};
use kioku::store::settings;
use serde_json::{Value, json};

fn answers_asked(world: &World) -> Vec<Value> {
    world.outside.calls.borrow().iter().filter(|call| call.get("stream").is_some()).cloned().collect()
}

fn roles(request: &Value) -> Vec<&str> {
    request["messages"].as_array().unwrap().iter().filter_map(|message| message["role"].as_str()).collect()
}

fn refuses(status: u16, reasons: &str) -> Script {
    Script::Refuse(status, json!({"error": {"message": reasons}}).to_string())
}

const BY_TURNS: &str =
    "After the optional system message, conversation roles must alternate user/assistant/...";

#[test]
fn a_model_whose_template_wants_roles_by_turns_gets_them_so_from_then_on() {
    for (status, reasons, said) in [
        (400, BY_TURNS, "I keep bees"),
        (500, BY_TURNS, "蜂を飼っています"),
        (400, "System role not supported", "蜂です"),
    ] {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        world.script(refuses(status, reasons));
        world.send(&tab, "a", said);
        world.settle();
        world.evict();
        let tab = world.connect("main");
        world.send(&tab, "b", "And now?");
        world.settle();
        let asked = answers_asked(&world);
        let all: Vec<Vec<&str>> = asked.iter().map(roles).collect();
        assert_eq!(all, [vec!["system", "user", "user"], vec!["user"], vec!["user", "assistant", "user"]]);
        let whole = asked[1]["messages"][0]["content"].as_str().unwrap();
        let parts: Vec<&str> = whole.rsplitn(3, "\n\n").collect();
        assert_eq!(parts[0], said);
        assert_eq!(serde_json::from_str::<Value>(parts[1]).unwrap()["type"], "reference_memory");
        assert!(asked[1].get("tools").is_some(), "tools were not what it refused");
        assert_eq!(world.transcript("main").len(), 4);
    }
}

#[test]
fn what_a_server_says_it_does_not_take_is_left_out_once_and_for_all() {
    for (reasons, gone, there) in [
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", "stream_options", "max_tokens"),
        ("'max_tokens' is not supported, use 'max_completion_tokens'", "max_tokens", "max_completion_tokens"),
    ] {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        world.script(refuses(422, reasons));
        for id in ["a", "b"] {
            world.send(&tab, id, "Hello");
            world.settle();
        }
        let asked = answers_asked(&world);
        let has = |key: &str| asked.iter().map(|request| request.get(key).is_some()).collect::<Vec<_>>();
        assert_eq!(has(gone), [true, false, false], "{gone}");
        assert!(has(there)[1..].iter().all(|has| *has));
        assert_eq!(world.of_type(&tab, "done").len(), 2);
    }
}

#[test]
fn a_refusal_of_something_else_is_a_refusal() {
    let mut world = World::new(config(&[("MODEL_TOOLS", "off")]));
    let tab = world.connect("main");
    world.script(refuses(400, "maximum context length is 4096 tokens"));
    world.send(&tab, "a", "Hello");
    world.settle();
    assert_eq!(answers_asked(&world).len(), 1);
    world.script(refuses(400, BY_TURNS));
    world.script(refuses(400, BY_TURNS));
    world.send(&tab, "b", "Hello");
    world.settle();
    world.send(&tab, "c", "Hello");
    world.settle();
    assert_eq!(world.of_type(&tab, "failed").len(), 2);
    let asked = answers_asked(&world);
    assert_eq!((asked.len(), roles(asked.last().unwrap())[0]), (4, "system"), "what didn't help isn't kept");
}

#[test]
fn memory_work_is_asked_for_in_the_same_manner() {
    let mut world = World::new(config(&[]));
    let operations = json!({"operations": [{"message": "u1", "quote": "I keep bees on my roof.", "kind": "other",
        "op": "add", "target": null, "text": "I keep bees on my roof.", "valid_from": null, "valid_until": null}]});
    let scripts = [refuses(400, "System role not supported"), Script::Json(operations.to_string())];
    world.outside.memory.borrow_mut().entry("memory_operations".into()).or_default().extend(scripts);
    let tab = world.connect("main");
    world.send(&tab, "a", "I keep bees on my roof.");
    world.settle();
    assert_eq!(world.of_type(&tab, "remembered").len(), 1);
}

#[test]
fn what_a_server_does_not_take_for_one_model_it_is_asked_for_another() {
    let mut world = World::new(config(&[("MODEL_TOOLS", "off"), ("MEMORY_MODEL", "small")]));
    let refusal = refuses(400, "'temperature' is not supported with this model");
    world.outside.memory.borrow_mut().entry("memory_operations".into()).or_default().push_back(refusal);
    let tab = world.connect("main");
    for id in ["a", "b"] {
        world.send(&tab, id, "蜂を飼っています。I keep bees.");
        world.advance(60_000);
    }
    let manners = |model: &str| {
        let name = format!("model_manner {model}");
        settings::get(&world.outside.sql, &name).unwrap()
    };
    assert!(manners("small").is_some());
    assert_eq!(manners("scripted"), None);
    let small: Vec<bool> = world
        .outside
        .calls
        .borrow()
        .iter()
        .filter(|call| call["model"] == "small")
        .map(|call| call.get("temperature").is_some())
        .collect();
    assert!(small[0] && small.len() > 2 && !small[1..].contains(&true), "{small:?}");
}

#[test]
fn thoughts_are_neither_shown_nor_kept_nor_sent_back() {
    for (thoughts, answer) in
        [("<think>\nsecret\n</think>\n\n", "Yes."), ("秘密の考え\n</think>\n\n", "はい。")]
    {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        let pieces = format!("{thoughts}{answer}");
        world.script(Script::Say(pieces.chars().map(|c| (60, c.to_string())).collect()));
        world.send(&tab, "a", "Hello");
        world.settle();
        assert_eq!(world.of_type(&tab, "done")[0]["message"]["text"], answer);
        assert_eq!(world.transcript("main")[1], format!("assistant: {answer}"));
        if thoughts.starts_with('<') {
            let heard: String =
                world.of_type(&tab, "delta").iter().map(|delta| delta["text"].as_str().unwrap()).collect();
            assert_eq!(heard, answer);
        }
        let heard_before = world.of_type(&tab, "delta").len();
        world.script(Script::Say(pieces.chars().map(|c| (60, c.to_string())).collect()));
        world.send(&tab, "b", "Again");
        world.settle();
        let sent = answers_asked(&world).last().unwrap().to_string();
        assert!(sent.contains(answer) && !sent.contains("think"), "{sent}");
        // What the first answer showed of its thoughts, no later one does; and one without thoughts is told.
        let heard = |world: &World, from: usize| -> String {
            world.of_type(&tab, "delta")[from..].iter().map(|delta| delta["text"].as_str().unwrap()).collect()
        };
        assert_eq!(heard(&world, heard_before), answer);
        for id in ["c", "d"] {
            let heard_before = world.of_type(&tab, "delta").len();
            world.script(Script::Say("Plainly.".chars().map(|c| (60, c.to_string())).collect()));
            world.send(&tab, id, "Once more");
            world.settle();
            assert_eq!(heard(&world, heard_before), "Plainly.");
        }
        let deltas = world.of_type(&tab, "delta");
        assert_ne!(deltas.last().unwrap()["text"], "Plainly.", "it is streamed again");
    }
}

#[test]
fn the_mark_of_a_template_at_an_answers_end_is_neither_shown_nor_kept() {
    for (mark, answer) in [("</s>", "Yes."), ("<|im_end|>\n<|im_start|>user\n次は？", "はい。")] {
        let mut world = World::new(config(&[]));
        let tab = world.connect("main");
        let pieces = format!("{answer}{mark}");
        world.script(Script::Say(pieces.chars().map(|c| (60, c.to_string())).collect()));
        world.send(&tab, "a", "Hello");
        world.settle();
        assert_eq!(world.of_type(&tab, "done")[0]["message"]["text"], answer);
        let heard: String =
            world.of_type(&tab, "delta").iter().map(|delta| delta["text"].as_str().unwrap()).collect();
        assert_eq!(heard, answer);
        assert_eq!(world.transcript("main")[1], format!("assistant: {answer}"));
    }
}

#[test]
fn memory_that_was_cut_before_its_first_word_is_asked_for_again() {
    let mut world = World::new(config(&[]));
    for cut in ["{\"operations\":[", "\"{\\\"operations\\\":[{\\\"op"] {
        let script = Script::Json(cut.to_owned());
        world.outside.memory.borrow_mut().entry("memory_operations".into()).or_default().push_back(script);
    }
    let tab = world.connect("main");
    world.send(&tab, "a", "I keep bees on my roof.");
    world.advance(60_000);
    let calls = world.outside.calls.borrow();
    let asked = calls
        .iter()
        .filter(|call| call["response_format"]["json_schema"]["name"] == "memory_operations")
        .count();
    assert_eq!(asked, 3, "both were failures and not empty memories");
}
