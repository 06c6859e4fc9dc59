//! Other programs chat with the same memory: the chat-completions protocol over a user's object.

use std::cell::RefCell;
use std::rc::Rc;

use crate::support::world::{Script, World, config};
use serde_json::{Value, json};

fn question(text: &str) -> Value {
    json!({"stream": true, "stream_options": {"include_usage": true}, "messages": [{"role": "user", "content": text}]})
}

/// The text that a stream of events has said so far, and whether it has ended.
fn heard(written: &Rc<RefCell<String>>) -> (String, bool) {
    let written = written.borrow();
    let mut text = String::new();
    let mut is_over = false;
    for event in written.split("\n\n").filter_map(|event| event.strip_prefix("data: ")) {
        assert!(!is_over, "an event after the end: {event}");
        is_over = event == "[DONE]";
        let chunk: Value = serde_json::from_str(event).unwrap_or_default();
        text.push_str(chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
    }
    (text, is_over)
}

fn last_prompt(world: &World) -> Value {
    let calls = world.outside.calls.borrow();
    calls
        .iter()
        .rev()
        .find(|call| call["response_format"].is_null())
        .expect("an answer was asked for")
        .clone()
}

#[test]
fn an_answer_streams_as_events_and_is_kept_like_any_other() {
    for (asked, answered) in [("Hello there", "Good morning"), ("おはよう", "おはようございます🌅")]
    {
        let mut world = World::new(config(&[]));
        let middle = answered.char_indices().nth(3).expect("a middle").0;
        world.script(Script::Say(vec![
            (10, answered[..middle].to_owned()),
            (3_000, answered[middle..].to_owned()),
        ]));
        let tab = world.connect("main");
        let written = world.complete(None, &question(asked)).ok().expect("accepted");
        world.advance(1_000);
        assert_eq!(heard(&written), (answered[..middle].to_owned(), false));
        world.advance(10_000);
        assert_eq!(heard(&written), (answered.to_owned(), true));
        assert!(written.borrow().contains("\"total_tokens\""), "{}", written.borrow());
        assert_eq!(
            world.transcript("programs"),
            [format!("user: {asked}"), format!("assistant: {answered}")]
        );
        assert!(world.of_type(&tab, "delta").is_empty(), "another conversation hears nothing of it");
    }
}

#[test]
fn a_whole_answer_waits_for_its_end() {
    let mut world = World::new(config(&[]));
    world.script(Script::say("Forty-two."));
    let body = json!({"messages": [{"role": "user", "content": "And?"}]});
    let written = world.complete(None, &body).ok().expect("accepted");
    world.advance(10_000);
    let answer: Value = serde_json::from_str(&written.borrow()).expect("JSON");
    assert_eq!(answer["choices"][0]["message"]["content"], "Forty-two.");
    assert_eq!(answer["object"], "chat.completion");
}

#[test]
fn the_conversation_that_a_program_brings_is_what_was_said_before_and_memory_is_data() {
    let mut world = World::new(config(&[]));
    world.call("POST", "/api/memory/facts", &json!({"text": "My cat is called Mugi"}));
    world.complete(None, &question("Something else entirely")).ok().expect("accepted");
    world.advance(60_000);
    let body = json!({"messages": [
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": "I bought a hat"},
        {"role": "assistant", "content": "Arr, a fine hat."},
        {"role": "user", "content": "What is my cat called?"},
    ]});
    world.complete(None, &body).ok().expect("accepted");
    world.advance(60_000);
    let prompt = last_prompt(&world);
    let messages = prompt["messages"].as_array().expect("messages");
    let said = |at: usize| messages[at]["content"].as_str().expect("a text");
    assert!(said(0).ends_with("Answer like a pirate.") && !said(0).contains("Mugi"), "{prompt}");
    let texts: Vec<&str> = (0..messages.len()).map(said).collect();
    assert!(texts.iter().any(|text| text.contains("reference_memory") && text.contains("Mugi")), "{prompt}");
    assert!(texts.contains(&"I bought a hat") && texts.contains(&"Arr, a fine hat."), "{prompt}");
    let elsewhere = texts.iter().any(|text| text.contains("Something else entirely"));
    assert!(!elsewhere, "another conversation is not this one: {prompt}");
}

#[test]
fn a_long_conversation_that_a_program_brings_is_not_mixed_with_another() {
    let mut world = World::new(config(&[]));
    world.complete(None, &question("Something else entirely")).ok().expect("accepted");
    world.advance(60_000);
    let mut messages: Vec<Value> = (0..14)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": format!("line {at}")}))
        .collect();
    messages.push(json!({"role": "user", "content": "How tall is Mount Fuji?"}));
    world.complete(None, &json!({"messages": messages})).ok().expect("accepted");
    world.advance(60_000);
    let prompt = last_prompt(&world).to_string();
    assert!(prompt.contains("line 13") && !prompt.contains("line 3"), "the newest of it: {prompt}");
    assert!(!prompt.contains("Something else"), "{prompt}");
}

#[test]
fn what_was_forgotten_is_left_out_of_what_a_program_brings() {
    for (fact, repeated) in [
        ("My address is 12 Willow Lane", "My address is 12 Willow Lane"),
        ("実家は秋田にある", "実家は秋田にある"),
    ] {
        let mut world = World::new(config(&[]));
        let (_, stored) = world.call("POST", "/api/memory/facts", &json!({"text": fact}));
        let id = stored["id"].as_str().expect("an id").to_owned();
        world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
        let body = json!({"messages": [
            {"role": "user", "content": repeated},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": "What now?"},
        ]});
        world.complete(None, &body).ok().expect("accepted");
        world.advance(60_000);
        assert!(!last_prompt(&world).to_string().contains(repeated), "{}", last_prompt(&world));
    }
}

#[test]
fn a_repeated_request_is_the_same_turn_also_after_a_restart() {
    let mut world = World::new(config(&[]));
    world.script(Script::say("Once."));
    let first = world.complete(Some("key-1"), &question("Only once, please")).ok().expect("accepted");
    world.advance(10_000);
    world.evict();
    let again = world.complete(Some("key-1"), &question("Only once, please")).ok().expect("accepted");
    world.advance(10_000);
    assert_eq!((heard(&first), heard(&again)), (("Once.".to_owned(), true), ("Once.".to_owned(), true)));
    assert_eq!(world.transcript("programs").len(), 2);
}

#[test]
fn a_program_that_comes_again_in_mid_answer_hears_all_of_it() {
    let mut world = World::new(config(&[]));
    world.script(Script::Say(vec![(10, "One ".into()), (2_000, "two ".into()), (2_000, "three".into())]));
    world.complete(Some("k"), &question("Count")).ok().expect("accepted");
    world.advance(2_500);
    let again = world.complete(Some("k"), &question("Count")).ok().expect("accepted");
    world.advance(10_000);
    assert_eq!(heard(&again), ("One two three".to_owned(), true));
}

#[test]
fn an_answer_that_fails_or_loses_its_thread_says_so_and_ends() {
    let mut world = World::new(config(&[]));
    world.script(Script::Status(401, None));
    let written = world.complete(None, &question("Hello")).ok().expect("accepted");
    world.advance(60_000);
    assert!(written.borrow().contains("model_refused") && heard(&written).1, "{}", written.borrow());

    world.script(Script::Stall(vec![(10, "I was".into())]));
    let written = world.complete(None, &question("Hello again")).ok().expect("accepted");
    world.advance(1_000);
    let (status, _) = world.call("DELETE", "/api/threads/programs", &Value::Null);
    world.advance(1_000);
    assert_eq!(status, 204);
    assert!(written.borrow().contains("\"error\"") && heard(&written).1, "{}", written.borrow());
}

#[test]
fn a_conversation_of_kiokus_own_goes_on_by_its_id() {
    let mut world = World::new(config(&[]));
    let tab = world.connect("main");
    world.send(&tab, "a", "The cake is in the oven");
    world.advance(20_000);
    let body = json!({
        "metadata": {"thread": "main"}, "messages": [{"role": "user", "content": "Where is the cake?"}],
    });
    world.complete(None, &body).ok().expect("accepted");
    world.advance(20_000);
    assert!(last_prompt(&world).to_string().contains("The cake is in the oven"));
    assert_eq!(world.of_type(&tab, "user").len(), 1, "tabs see what was asked elsewhere");
    assert_eq!(world.of_type(&tab, "done").len(), 2);
    let gone =
        json!({"metadata": {"thread": "th_gone"}, "messages": [{"role": "user", "content": "Hello?"}]});
    assert_eq!(world.complete(None, &gone).expect_err("refused").status, 404);
}

#[test]
fn what_is_said_in_programs_teaches_and_is_never_summed_up() {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    for text in ["Remember that my locker number is 4711.", "覚えて：妹の名前は花子です。"] {
        world.complete(None, &question(text)).ok().expect("accepted");
        world.advance(60_000);
    }
    for _ in 0..12 {
        world.complete(None, &question("What do you think of tea?")).ok().expect("accepted");
        world.advance(60_000);
    }
    let (_, facts) = world.call("GET", "/api/memory/facts?match=keyword", &Value::Null);
    let listed = facts.to_string();
    assert!(listed.contains("4711") && listed.contains("花子"), "{listed}");
    let (_, summary) = world.call("GET", "/api/threads/programs/summary", &Value::Null);
    assert_eq!(summary["summary"], "", "its messages are of many conversations");
}
