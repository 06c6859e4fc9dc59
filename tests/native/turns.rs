//! Turns: nothing lost, nothing doubled, whatever happens.

use crate::support::world::{Script, World, config};
use kioku::store::sql::Sql;
use serde_json::json;

fn world() -> World {
    // A server that refuses tools is asked again without them: tools.rs.
    World::new(config(&[("MODEL_TOOLS", "off")]))
}

fn text_of(deltas: &[serde_json::Value]) -> String {
    deltas.iter().filter_map(|d| d["text"].as_str()).collect()
}

fn chat_calls(world: &World) -> usize {
    world.outside.calls.borrow().iter().filter(|call| call["stream"] == true).count()
}

fn rows(world: &World, query: &str) -> usize {
    world.outside.sql.exec(query, &[]).expect("the storage answers").len()
}

#[test]
fn a_message_is_accepted_streamed_and_done() {
    let mut world = world();
    world.script(Script::Say(vec![(10, "緑茶".into()), (10, "です".into()), (100, "ね。".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "お茶は？");
    world.settle();
    let kinds: Vec<_> = world.frames(&tab).iter().map(|f| f["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds[..2], ["ready", "accepted"]);
    assert_eq!(kinds.last().map(String::as_str), Some("done"));
    assert_eq!(text_of(&world.of_type(&tab, "delta")), "緑茶ですね。");
    assert_eq!(world.of_type(&tab, "done")[0]["message"]["text"], "緑茶ですね。");
    assert_eq!(world.transcript("main"), ["user: お茶は？", "assistant: 緑茶ですね。"]);
}

#[test]
fn the_same_id_is_the_same_turn_from_any_tab_and_after_an_eviction() {
    let mut world = world();
    let tab = world.connect("main");
    world.send(&tab, "a", "hello");
    world.send(&tab, "a", "hello");
    world.settle();
    let other = world.connect("main");
    world.send(&other, "a", "hello");
    world.settle();
    world.evict();
    let third = world.connect("main");
    world.send(&third, "a", "hello");
    world.settle();
    assert_eq!(world.transcript("main"), ["user: hello", "assistant: noted"]);
    let turn = &world.of_type(&tab, "accepted")[0]["turn"];
    for (connection, repeated) in [(&tab, 1), (&other, 0), (&third, 0)] {
        let again = world.of_type(connection, "accepted")[repeated].clone();
        assert_eq!((&again["turn"], &again["repeated"]), (turn, &json!(true)));
    }
    assert_eq!(world.of_type(&tab, "done").len(), 1);
}

#[test]
fn sends_of_all_tabs_are_answered_in_the_order_in_which_they_were_accepted() {
    let mut world = world();
    for n in 0..4 {
        world.script(Script::say(&format!("answer {n}")));
    }
    let (one, two) = (world.connect("main"), world.connect("main"));
    for (n, tab) in [&one, &two, &one, &two].into_iter().enumerate() {
        world.send(tab, &format!("id{n}"), &format!("question {n}"));
    }
    world.poll();
    let positions: Vec<_> = world.of_type(&one, "accepted").iter().map(|f| f["position"].clone()).collect();
    assert_eq!(positions, [json!(0), json!(2)]);
    world.settle();
    let done: Vec<_> = world.of_type(&one, "done").iter().map(|f| f["message"]["text"].clone()).collect();
    assert_eq!(done, ["answer 0", "answer 1", "answer 2", "answer 3"]);
    assert_eq!(done.len(), world.of_type(&two, "done").len());
    assert_eq!(world.of_type(&one, "user").len(), 2);
}

#[test]
fn a_full_queue_refuses_and_loses_nothing_that_was_accepted() {
    let mut world = World::new(config(&[("QUEUE_MAX", "2")]));
    let tab = world.connect("main");
    for n in 0..5 {
        world.send(&tab, &format!("id{n}"), "hello");
        world.poll();
    }
    let errors = world.of_type(&tab, "error");
    assert_eq!(errors.iter().map(|e| e["id"].clone()).collect::<Vec<_>>(), ["id3", "id4"]);
    assert!(errors.iter().all(|e| e["code"] == "queue_full"));
    world.settle();
    assert_eq!(world.of_type(&tab, "done").len(), 3);
    world.send(&tab, "id4", "hello");
    world.settle();
    assert_eq!(world.of_type(&tab, "done").len(), 4);
}

#[test]
fn a_tab_that_joins_in_mid_stream_catches_up_byte_for_byte() {
    let mut world = world();
    let pieces = (0..40).map(|n| (50, format!("片{n} "))).collect();
    world.script(Script::Say(pieces));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.advance(1000);
    let late = world.connect("main");
    let open = &world.of_type(&late, "ready")[0]["open_turns"][0];
    let (turn, seen) = (open["turn"].clone(), open["seq"].as_u64().unwrap());
    assert!(seen > 5 && open["state"] == "running");
    world.frame(&late, &json!({"type": "resume", "turn": turn, "after": 0}));
    world.settle();
    let whole = world.of_type(&tab, "delta");
    assert_eq!(whole, world.of_type(&late, "delta"));
    world.frame(&late, &json!({"type": "resume", "turn": turn, "after": seen}));
    world.poll();
    assert_eq!(world.of_type(&late, "delta")[whole.len()..], whole[seen as usize..]);
    assert_eq!(world.of_type(&late, "done").len(), 2);
}

#[test]
fn stopping_keeps_what_was_said_and_ends_the_call() {
    let mut world = world();
    world.script(Script::Stall(vec![(10, "half".into())]));
    let (tab, other) = (world.connect("main"), world.connect("main"));
    world.send(&tab, "a", "go");
    world.advance(100);
    let turn = world.of_type(&tab, "accepted")[0]["turn"].clone();
    world.frame(&other, &json!({"type": "stop", "turn": turn}));
    world.poll();
    for connection in [&tab, &other] {
        let stopped = world.of_type(connection, "stopped");
        assert_eq!((stopped.len(), &stopped[0]["message"]["text"]), (1, &json!("half")));
    }
    world.settle();
    assert_eq!(world.transcript("main"), ["user: go", "assistant: half [stopped]"]);
}

#[test]
fn a_queued_turn_is_stopped_without_a_call() {
    let mut world = world();
    world.script(Script::Stall(vec![(10, "half".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.send(&tab, "b", "two");
    world.advance(100);
    let turn = world.of_type(&tab, "accepted")[1]["turn"].clone();
    world.frame(&tab, &json!({"type": "stop", "turn": turn}));
    world.settle();
    let stopped = world.of_type(&tab, "stopped");
    assert_eq!((&stopped[0]["turn"], &stopped[0]["message"]), (&turn, &json!(null)));
    assert_eq!(world.outside.calls.borrow().iter().filter(|c| c["stream"] == true).count(), 1);
}

#[test]
fn a_failed_turn_is_retried_without_a_second_user_message() {
    let mut world = world();
    world.script(Script::CutShort(vec![(10, "half an".into())]));
    world.script(Script::say("a whole answer"));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.settle();
    let failed = world.of_type(&tab, "failed");
    assert_eq!((&failed[0]["code"], &failed[0]["retryable"]), (&json!("model_cut_short"), &json!(true)));
    assert_eq!(world.transcript("main"), ["user: go", "assistant: half an [failed]"]);
    world.frame(&tab, &json!({"type": "retry", "turn": failed[0]["turn"]}));
    world.settle();
    assert_eq!(world.transcript("main"), ["user: go", "assistant: a whole answer"]);
    world.frame(&tab, &json!({"type": "retry", "turn": failed[0]["turn"]}));
    world.settle();
    assert_eq!(world.of_type(&tab, "error")[0]["code"], "not_retryable");
}

#[test]
fn what_was_said_just_before_the_end_is_kept_although_the_end_is_a_failure() {
    let said = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let garbled = "data: oops\n\n".to_owned();
    for end in ["data: [DONE]\n\n".to_owned(), garbled, String::new()] {
        let mut world = world();
        world.script(Script::Bytes(vec![said("半分"), [said("まで"), said(" said"), end.clone()].concat()]));
        let tab = world.connect("main");
        world.send(&tab, "a", "go");
        world.settle();
        assert_eq!(world.transcript("main"), ["user: go", "assistant: 半分まで said [failed]"], "{end}");
        let told: String =
            world.of_type(&tab, "delta").iter().map(|d| d["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(told, "半分まで said", "{end}");
    }
}

#[test]
fn each_failure_of_the_model_has_its_code_and_4xx_is_not_asked_again() {
    let cases = [
        (Script::Status(401, None), "model_refused", 1),
        (Script::Status(400, None), "model_refused", 1),
        (Script::Status(503, None), "model_unavailable", 2),
        (Script::Status(429, Some("60".into())), "model_busy", 1),
        (Script::Status(429, Some("1".into())), "model_busy", 2),
        (Script::Unreachable, "model_unavailable", 2),
        (Script::Stall(vec![]), "model_stalled", 1),
        (Script::CutShort(vec![]), "model_cut_short", 1),
    ];
    for (script, code, calls) in cases {
        // With tools offered, a refusal may mean them: then the same is asked once without (`tests/native/tools.rs`).
        let mut world = World::new(config(&[("MODEL_TOOLS", "off")]));
        world.script(script.clone());
        world.script(script.clone());
        let tab = world.connect("main");
        world.send(&tab, "a", "go");
        world.settle();
        assert_eq!(world.of_type(&tab, "failed")[0]["code"], code, "{script:?}");
        let made = world.outside.calls.borrow().iter().filter(|c| c["stream"] == true).count();
        assert_eq!(made, calls, "{script:?}");
        world.outside.scripts.borrow_mut().clear();
        world.send(&tab, "b", "and now?");
        world.settle();
        assert_eq!(world.of_type(&tab, "done").len(), 1, "the queue goes on after {script:?}");
    }
}

#[test]
fn a_turn_that_died_before_it_spoke_runs_again_and_one_that_spoke_ends_as_interrupted() {
    let mut world = world();
    world.script(Script::Stall(vec![]));
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.send(&tab, "b", "two");
    world.advance(100);
    world.evict();
    world.settle();
    assert_eq!(world.of_type(&tab, "done").len(), 2);

    let mut world = self::world();
    world.script(Script::Stall((0..30).map(|_| (100, "word ".into())).collect()));
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.send(&tab, "b", "two");
    world.advance(3_200);
    world.evict();
    world.settle();
    let failed = world.of_type(&tab, "failed");
    assert_eq!((failed.len(), &failed[0]["code"]), (1, &json!("interrupted")));
    let kept = world.transcript("main")[2..].to_vec();
    assert!(kept[0].starts_with("assistant: word word") && kept[0].ends_with("[failed]"), "{kept:?}");
    assert_eq!(world.of_type(&tab, "done").len(), 1);
}

#[test]
fn a_turn_that_kills_its_object_is_not_begun_for_ever() {
    let mut world = world();
    let tab = world.connect("main");
    for _ in 0..10 {
        world.script(Script::Stall(vec![]));
    }
    world.send(&tab, "a", "one");
    for _ in 0..10 {
        world.advance(100);
        world.evict();
        world.advance(40_000);
    }
    let failed = world.of_type(&tab, "failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(chat_calls(&world), 3);
}

#[test]
fn a_storage_failure_at_any_statement_loses_no_accepted_turn() {
    for statements in 0..60 {
        let mut world = world();
        let tab = world.connect("main");
        world.outside.sql.fail_after(statements);
        world.send(&tab, "a", "hello");
        world.settle();
        world.outside.sql.heal();
        world.settle();
        let accepted = world.of_type(&tab, "accepted").len();
        let ended = world.of_type(&tab, "done").len() + world.of_type(&tab, "failed").len();
        assert_eq!(
            accepted,
            ended,
            "after {statements} statements: {:?} {:?}",
            world.frames(&tab),
            world.outside.logs.borrow()
        );
        world.send(&tab, "a", "hello");
        world.settle();
        assert_eq!(world.transcript("main").iter().filter(|l| l.starts_with("user")).count(), 1);
        let ended = world.of_type(&tab, "done").len() + world.of_type(&tab, "failed").len();
        assert_eq!(ended, 1, "after {statements} statements");
    }
}

#[test]
fn a_storage_failure_during_recovery_leaves_no_turn_running_for_ever() {
    for statements in 0..30 {
        let mut world = world();
        world.script(Script::Stall((0..30).map(|_| (100, "word ".into())).collect()));
        let tab = world.connect("main");
        world.send(&tab, "a", "one");
        world.send(&tab, "b", "two");
        world.advance(3_200);
        world.evict();
        world.outside.sql.fail_after(statements);
        world.settle();
        world.outside.sql.heal();
        world.settle();
        // The terminal frame of a turn that was ended is told even if the statement after it fails.
        let failed = world.of_type(&tab, "failed");
        assert_eq!(
            (failed.len(), world.of_type(&tab, "done").len()),
            (1, 1),
            "after {statements} statements"
        );
        assert!(failed[0]["reply"]["text"].as_str().unwrap().starts_with("word word"));
    }
}

#[test]
fn a_retried_turn_waits_behind_those_that_were_accepted_before_the_retry() {
    let mut world = world();
    world.script(Script::CutShort(vec![]));
    for text in ["second", "third", "first again"] {
        world.script(Script::Say(vec![(500, text.into())]));
    }
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.advance(200);
    let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
    world.send(&tab, "b", "two");
    world.send(&tab, "c", "three");
    world.advance(100);
    world.frame(&tab, &json!({"type": "retry", "turn": turn}));
    world.poll();
    assert_eq!(world.of_type(&tab, "accepted").last().unwrap()["position"], 2);
    world.settle();
    let done: Vec<_> = world.of_type(&tab, "done").iter().map(|f| f["message"]["text"].clone()).collect();
    assert_eq!(done, ["second", "third", "first again"]);
}

#[test]
fn a_retry_is_refused_where_a_send_would_be() {
    let mut world = World::new(config(&[("QUEUE_MAX", "1")]));
    world.script(Script::CutShort(vec![]));
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.advance(200);
    let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
    world.script(Script::Stall(vec![]));
    world.send(&tab, "b", "two");
    world.send(&tab, "c", "three");
    world.frame(&tab, &json!({"type": "retry", "turn": turn}));
    world.poll();
    assert_eq!(world.of_type(&tab, "error")[0]["code"], "queue_full");

    let mut world = World::new(config(&[("DAILY_TOKEN_BUDGET", "1")]));
    world.script(Script::CutShort(vec![(1, "half".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "one");
    world.advance(200);
    let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
    world.frame(&tab, &json!({"type": "retry", "turn": turn}));
    world.settle();
    assert_eq!(
        (world.of_type(&tab, "error")[0]["code"].clone(), chat_calls(&world)),
        (json!("over_budget"), 1)
    );
}

#[test]
fn the_partial_reply_of_a_retried_turn_leaves_nothing_in_the_search_index() {
    let mut world = world();
    world.script(Script::CutShort(vec![(10, "半分だけ".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.settle();
    assert_eq!(rows(&world, "SELECT 1 FROM indexed_messages WHERE text = '半分だけ'"), 1);
    let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
    world.frame(&tab, &json!({"type": "retry", "turn": turn}));
    world.settle();
    assert_eq!(rows(&world, "SELECT 1 FROM indexed_messages WHERE text = '半分だけ'"), 0);
}

#[test]
fn what_was_said_in_a_turn_that_never_began_is_learned_from_too() {
    let mut world = world();
    world.script(Script::Stall(vec![(10, "half".into())]));
    let (tab, other) = (world.connect("main"), world.connect("main"));
    world.send(&tab, "a", "one");
    world.send(&other, "b", "two");
    world.advance(100);
    for accepted in [world.of_type(&other, "accepted")[0].clone(), world.of_type(&tab, "accepted")[0].clone()]
    {
        world.frame(&tab, &json!({"type": "stop", "turn": accepted["turn"]}));
        world.poll();
        let unlearned = "SELECT 1 FROM messages WHERE teaches = 1";
        assert!(
            rows(&world, unlearned) > 0 && rows(&world, "SELECT 1 FROM jobs WHERE kind = 'extract'") == 1
        );
    }
    world.settle();
    assert_eq!(rows(&world, "SELECT 1 FROM messages WHERE teaches = 1"), 0);
}

#[test]
fn nothing_of_a_turn_is_saved_after_its_thread_was_deleted() {
    let mut world = world();
    world.script(Script::Say((0..40).map(|_| (100, "word ".into())).collect()));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.advance(950);
    world.request("DELETE", "/api/threads/main");
    world.settle();
    for table in ["turns", "messages", "chunks", "traces", "indexed_messages"] {
        assert_eq!(rows(&world, &format!("SELECT 1 FROM {table}")), 0, "{table}");
    }
}

#[test]
fn a_clock_that_jumps_back_holds_no_word_back_and_no_stall_up() {
    let mut world = world();
    world.script(Script::Stall((0..10).map(|n| (100, format!("片{n} "))).collect()));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.advance(350);
    world.jump(-3_600_000);
    world.advance(900);
    assert_eq!(
        text_of(&world.of_type(&tab, "delta")),
        (0..10).map(|n| format!("片{n} ")).collect::<String>()
    );
    world.advance(60_000);
    assert_eq!(world.of_type(&tab, "failed")[0]["code"], "model_stalled");
}

#[test]
fn a_mirror_that_never_answers_does_not_stop_memory_work() {
    let mut world = world();
    let tab = world.connect("main");
    world.outside.d1.set_fault(Some(crate::support::d1::Fault::Hang));
    world.send(&tab, "a", "Remember that I drink green tea.");
    world.advance(10_000);
    assert_eq!(rows(&world, "SELECT 1 FROM facts"), 1);
    world.send(&tab, "b", "Remember that my cat is called Mochi.");
    world.advance(35_000);
    assert_eq!(rows(&world, "SELECT 1 FROM facts"), 2);
    world.outside.d1.set_fault(None);
    world.settle();
    assert_eq!(rows(&world, "SELECT 1 FROM outbox WHERE mirror = 'd1'"), 0);
}

#[test]
fn a_stop_ends_the_model_call_at_once_wherever_it_is() {
    // Before its first word, in mid-stream, and in a second attempt.
    let silent = Script::Stall(vec![]);
    let streaming = Script::Stall(vec![(10, "緑茶は".into()), (10, "よい".into())]);
    for (script, passed, retried) in [
        (silent.clone(), 0, false),
        (silent, 500, false),
        (streaming.clone(), 500, false),
        (streaming, 500, true),
    ] {
        let mut world = world();
        let tab = world.connect("main");
        if retried {
            world.script(Script::CutShort(vec![(10, "half".into())]));
        }
        world.script(script);
        world.send(&tab, "a", "お茶は？");
        world.poll();
        if retried {
            world.advance(1_000);
            let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
            world.frame(&tab, &json!({"type": "retry", "turn": turn}));
            world.poll();
        }
        world.advance(passed);
        let turn = world.of_type(&tab, "accepted")[0]["turn"].clone();
        assert_eq!(world.outside.open_calls.get(), 1, "the model is asked");
        world.frame(&tab, &json!({"type": "stop", "turn": turn}));
        world.poll();
        assert_eq!(world.outside.open_calls.get(), 0, "nobody listens to the model any more");
        assert_eq!(world.of_type(&tab, "stopped").len(), 1);
    }
}

#[test]
fn a_turn_that_waits_to_be_tried_again_replays_nothing_of_its_first_attempt() {
    let mut world = world();
    let tab = world.connect("main");
    world.script(Script::CutShort(vec![(10, "half".into())]));
    world.send(&tab, "a", "お茶は？");
    world.advance(1_000);
    let turn = world.of_type(&tab, "failed")[0]["turn"].clone();
    world.script(Script::Stall(vec![(10, "another".into())]));
    world.send(&tab, "b", "Coffee?");
    world.advance(1_000);
    world.frame(&tab, &json!({"type": "retry", "turn": turn}));
    world.poll();
    let about = |world: &World| world.of_type(&tab, "delta").iter().filter(|d| d["turn"] == turn).count();
    let before = about(&world);
    world.frame(&tab, &json!({"type": "resume", "turn": turn, "after": 0}));
    world.poll();
    assert_eq!(about(&world), before, "it has not begun again");
}
