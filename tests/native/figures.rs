//! What an operator can count, and that counting tells nothing of what was said.

use crate::support::d1::Fault;
use crate::support::world::{Script, World, config};
use kioku::text::case::lower;
use serde_json::json;

fn figures(world: &World, kind: &str) -> Vec<String> {
    world.outside.figures.borrow().iter().filter(|figure| figure.starts_with(kind)).cloned().collect()
}

#[test]
fn a_turn_is_counted_once_with_its_parts_and_its_tokens() {
    let mut world = World::new(config(&[]));
    world.script(Script::Say(vec![(250, "緑茶です。".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "お茶は？");
    world.send(&tab, "a", "お茶は？");
    world.settle();
    let turns = figures(&world, "turn ");
    assert_eq!(turns.len(), 1, "{turns:?}");
    let names =
        ["queued_ms", "recall_ms", "first_token_ms", "total_ms", "prompt_tokens", "completion_tokens"];
    for name in names {
        assert!(turns[0].contains(name), "{name} in {}", turns[0]);
    }
    assert!(turns[0].starts_with(r#"turn ["done", ""]"#), "{}", turns[0]);
    let done = &world.of_type(&tab, "done")[0];
    let first = done["timing"]["first_token_ms"].as_i64().expect("a time");
    assert!(turns[0].contains(&format!("(\"first_token_ms\", {first})")), "{} {done}", turns[0]);
}

#[test]
fn failures_refusals_and_broken_jobs_are_counted_by_their_codes() {
    let mut world = World::new(config(&[("QUEUE_MAX", "1"), ("MODEL_TOOLS", "off")]));
    world.script(Script::Status(400, None));
    let tab = world.connect("main");
    world.send(&tab, "a", "hello");
    world.settle();
    world.frame(&tab, &json!({"type": "dance"}));
    world.settle();
    assert!(figures(&world, "turn ")[0].starts_with(r#"turn ["failed", "model_refused"]"#));
    world.request("GET", "/api/memory/facts/f_aaaaaaaaaaaaaaaa");
    world.settle();
    let refusals = figures(&world, "refusal ");
    assert_eq!(refusals.len(), 2, "{refusals:?}");
    assert!(refusals[1].contains("not_found"), "{refusals:?}");
    // By schema, as an object and in prose.
    let refusals = (0..3).map(|_| Script::Status(400, None)).collect();
    world.outside.memory.borrow_mut().insert("memory_operations".to_owned(), refusals);
    world.send(&tab, "b", "I live in Kyoto.");
    world.settle();
    world.advance(20_000);
    let jobs = figures(&world, "job_failed ");
    assert!(jobs[0].starts_with(r#"job_failed ["extract", "#), "{jobs:?}");
}

#[test]
fn the_lag_of_a_mirror_is_counted_while_it_is_down_and_when_it_is_back() {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    world.outside.d1.set_fault(Some(Fault::Down));
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Osaka.");
    world.settle();
    world.advance(60_000);
    let lag = |figure: &String| {
        let number = figure.split("(\"lag_ms\", ").nth(1).and_then(|rest| rest.split(')').next());
        number.and_then(|number| number.parse::<i64>().ok()).expect("a lag")
    };
    let down = figures(&world, "mirror ").into_iter().filter(|f| f.contains("\"d1\"")).collect::<Vec<_>>();
    assert!(down.last().is_some_and(|f| f.contains("failing") && lag(f) > 1_000), "{down:?}");
    world.outside.d1.set_fault(None);
    world.advance(3_600_000);
    let back = figures(&world, "mirror ").into_iter().rfind(|f| f.contains("\"d1\"")).expect("a figure");
    assert!(!back.contains("failing") && lag(&back) == 0, "{back}");
}

#[test]
fn no_figure_and_no_log_holds_a_word_of_what_was_said() {
    let mut world = World::new(config(&[]));
    world.script(Script::Say(vec![(1, "セルリアンですね。".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "I keep a cerulean pangolin called Zebedee. セルリアンが好き。");
    world.settle();
    world.send(&tab, "b", &"zebedee ".repeat(2_000));
    world.settle();
    world.advance(60_000);
    let written =
        [world.outside.figures.borrow().join("\n"), world.outside.logs.borrow().join("\n")].join("\n");
    assert!(written.contains("turn_ended") && written.contains("refusal"));
    for word in ["cerulean", "pangolin", "zebedee", "セルリアン"] {
        assert!(!lower(&written).contains(word), "{word} in {written}");
    }
}
