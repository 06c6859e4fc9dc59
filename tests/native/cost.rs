//! What a turn costs, counted in statements: it must not grow with what is stored.

use crate::support::world::{World, config};
use kioku::store::sql::Sql;
use kioku::time::Millis;

/// Statements from a send until its `done` is told and its messages are searchable, nothing else going on.
fn statements_of_a_turn(world: &mut World, tab: &str, id: &str, text: &str) -> Vec<String> {
    world.settle();
    let ended = world.of_type(tab, "done").len();
    world.outside.sql.doubt(false);
    world.outside.sql.keep_statements();
    world.send(tab, id, text);
    world.poll();
    while world.of_type(tab, "done").len() == ended {
        assert!(world.step(Millis(i64::MAX)), "the turn ends");
    }
    world.outside.sql.keep_statements()
}

/// As many messages as a few years bring, as the object's own work would have left them.
fn fill(world: &World, messages: usize) {
    let sql = &world.outside.sql;
    sql.exec(
        "INSERT INTO messages (id, thread, role, text, created_at)
         SELECT 'm_old' || value, 'main', iif(value % 2, 'user', 'assistant'), 'We spoke of rain, number ' || value, value
         FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n)",
        &[(messages as i64).into()],
    )
    .expect("the storage takes them");
    sql.exec("UPDATE threads SET folded_seq = (SELECT max(seq) FROM messages) - 10", &[])
        .expect("it is folded");
    sql.exec(
        "INSERT INTO indexed_messages (doc, thread, said_at, text) SELECT seq, thread, created_at, text FROM messages
         WHERE seq NOT IN (SELECT doc FROM indexed_messages)",
        &[],
    )
    .expect("it is indexed");
}

#[test]
fn a_turn_runs_no_more_statements_when_much_is_stored() {
    let mut world = World::new(config(&[]));
    let tab = world.connect("main");
    // Said long before, so that both turns find it.
    world.send(&tab, "maps", "The museum has the old maps.");
    for n in 0..6 {
        world.send(&tab, &format!("first{n}"), "I drink green tea in Kyoto. 京都で緑茶を飲む。");
        world.settle();
    }
    let few = statements_of_a_turn(&mut world, &tab, "few", "Which museum has the old maps?");
    fill(&world, 20_000);
    let many = statements_of_a_turn(&mut world, &tab, "many", "Which museum has the old maps?");
    // The second turn is also given an imported message, whose id elsewhere is read by itself; six are given at most.
    assert!(many.len() <= few.len() + 1, "{} and then {}: {many:#?}", few.len(), many.len());
    assert!(few.len() <= 53, "{} statements: {few:#?}", few.len());
}

#[test]
fn what_is_recalled_is_read_at_once_and_not_one_by_one() {
    let mut world = World::new(config(&[]));
    let tab = world.connect("main");
    let nothing = statements_of_a_turn(&mut world, &tab, "nothing", "Which museum has the old maps?");
    let said = [
        "My uncle keeps a globe in the harbour museum.",
        "My uncle keeps a compass in the harbour museum.",
        "Rain today",
        "I like noodles",
        "The train was late",
        "A new lamp",
        "Bread again",
        "Snow",
        "猫が寝た",
    ];
    for (n, text) in said.into_iter().enumerate() {
        world.send(&tab, &format!("said{n}"), text);
        world.settle();
    }
    let found =
        statements_of_a_turn(&mut world, &tab, "found", "What does my uncle keep in the harbour museum?");
    assert!(
        !world.of_type(&tab, "recalled").last().expect("it was told")["passages"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
    assert!(found.len() <= nothing.len() + 10, "{} and then {}: {found:#?}", nothing.len(), found.len());
}
