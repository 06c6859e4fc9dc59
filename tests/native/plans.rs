//! How statements are carried out: what runs with every turn must not read a table that grows with the history.

use std::collections::BTreeSet;

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

/// Scans that end early or see little: of the turns that are open, of a queue's first row, and counts of facts, which run
/// when a fact is new and see no more than `MAX_FACTS` entries of an index.
const SMALL: &[&str] = &[
    "SCAN turns USING INDEX turns_open",
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

#[test]
fn nothing_that_runs_with_a_turn_scans_a_table_that_grows() {
    let (world, statements) = statements_of_a_talk();
    assert!(statements.len() > 80, "the talk ran only {} kinds of statements", statements.len());
    let mut scans = Vec::new();
    for statement in &statements {
        for line in world.outside.sql.plan(statement) {
            let table = line.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            let is_small = SMALL.contains(&line.as_str()) || SMALL.contains(&statement.as_str());
            if table.is_some_and(|table| GROWING.contains(&table)) && !is_small {
                let words: Vec<&str> = statement.split_whitespace().collect();
                scans.push(format!("{line}\n    {}", words.join(" ")));
            }
        }
    }
    assert!(scans.is_empty(), "{}", scans.join("\n"));
}
