//! How statements are carried out: what runs with every turn must not read a table that grows with the history.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::world::{World, config};

/// Tables with a row for each turn, message, fact or change.
const GROWING: &[&str] = &[
    "turns",
    "messages",
    "facts",
    "changes",
    "change_items",
    "indexed_facts",
    "indexed_messages",
    "fact_sources",
    "vectors",
    "outbox",
    "tombstones",
    "traces",
    "chunks",
    "fact_codes",
    "message_codes",
    "rewrites",
    "embedding_queue",
    "embedding_sketches",
];

/// Scans that end early or see little: of the turns that are open, of facts that were taken back, of a queue's first row, of
/// blocks of 512 texts, and counts of facts, which run when a fact is new and see no more than `MAX_FACTS` entries of an
/// index.
const SMALL: &[&str] = &[
    "SCAN turns USING INDEX turns_open",
    "SCAN change_items USING INDEX change_items_removed",
    "SCAN embedding_sketches",
    "SELECT 1 FROM embedding_queue LIMIT 1",
    "SELECT count(*) FROM facts",
    "SELECT count(*) FROM indexed_facts",
];

/// The distinct statements of some turns with all that follows them: memory, folds, mirrors, and an eviction in between.
fn statements_of_a_talk() -> (World, BTreeSet<String>) {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    let tab = world.connect("main");
    // The first turn also puts what was stored before into the search index.
    world.send(&tab, "first", "Hello.");
    world.settle();
    world.outside.sql.doubt(false);
    world.outside.sql.keep_statements();
    for n in 0..14 {
        let said = [
            "I live in Kyoto and I like tea.",
            "猫のタマを飼っています。",
            "What do I like?",
            "私の猫の名前は？",
        ];
        world.send(&tab, &format!("turn{n}"), said[n % said.len()]);
        world.settle();
        world.advance(30_000);
    }
    world.evict();
    let tab = world.connect("main");
    world.send(&tab, "after", "I moved to Osaka. 大阪に引っ越しました。");
    world.settle();
    world.advance(7_200_000);
    world.settle();
    let statements = world.outside.sql.keep_statements().into_iter().collect();
    (world, statements)
}

/// The statements that read a growing table from end to end, each with the line of its plan.
fn scans(world: &World, statements: &BTreeSet<String>) -> Vec<String> {
    let mut scans = Vec::new();
    for statement in statements {
        for line in world.outside.sql.plan(statement) {
            let table = line.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            // The newest few, by the key.
            let is_short = statement.trim_end().ends_with("ORDER BY seq DESC LIMIT ?");
            let is_small = is_short || SMALL.contains(&line.as_str()) || SMALL.contains(&statement.as_str());
            if table.is_some_and(|table| GROWING.contains(&table)) && !is_small {
                let words: Vec<&str> = statement.split_whitespace().collect();
                scans.push(format!("{line}\n    {}", words.join(" ")));
            }
        }
    }
    scans
}

#[test]
fn nothing_that_runs_with_a_turn_scans_a_table_that_grows() {
    let (world, statements) = statements_of_a_talk();
    assert!(statements.len() > 80, "the talk ran only {} kinds of statements", statements.len());
    assert_eq!(scans(&world, &statements), Vec::<String>::new());
}

#[test]
fn forgetting_a_fact_scans_no_table_that_grows_either() {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    let mut ids = Vec::new();
    for text in ["Has a dog.", "猫を飼っている。", "Has a dog.", "Likes tea."] {
        let (_, fact) = world.call("POST", "/api/memory/facts", &json!({"text": text}));
        ids.push(fact["id"].as_str().expect("an id").to_owned());
    }
    world.settle();
    world.outside.sql.doubt(false);
    world.outside.sql.keep_statements();
    for id in &ids {
        let (status, _) = world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
        assert!((200..300).contains(&status), "{status}");
    }
    let statements: BTreeSet<String> = world.outside.sql.keep_statements().into_iter().collect();
    assert_eq!(scans(&world, &statements), Vec::<String>::new());
}
