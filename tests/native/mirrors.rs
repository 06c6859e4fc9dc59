//! The mirrors against a D1 and a Vectorize that fail in every way the real ones do.

use crate::support::mirror_world::World;
use crate::support::{d1, sqlite, vectorize};
use kioku::id::OwnerKey;
use kioku::memory::model::{Kind, Status};
use kioku::mirror::former;
use kioku::mirror::page::{self, Query};
use kioku::mirror::ports::MirrorError;
use kioku::store::mirrors::Mirror;
use kioku::store::outbox;
use kioku::store::receipts::Fresh;
use kioku::store::sql::{Arg, Sql as _, atomic};
use kioku::time::{DAY, HOUR, MINUTE, SECOND};
use proptest::prelude::*;

#[test]
fn a_fact_is_in_both_mirrors_after_one_pass_and_its_change_after_the_next() {
    let world = World::new();
    let tea = world.add("緑茶が好き");
    assert_eq!(world.freshness(&tea), (Fresh::Pending, Fresh::Pending));
    world.drain();
    assert_eq!(world.freshness(&tea), (Fresh::Synced, Fresh::Pending), "Vectorize hasn't shown it yet");
    world.settle();
    assert_eq!(world.freshness(&tea), (Fresh::Synced, Fresh::Synced));
    world.assert_converged();
    world.edit(&tea, "緑茶は好きではない");
    world.settle();
    world.assert_converged();
    assert_eq!(world.keyword("好きではない"), std::slice::from_ref(&tea));
    assert_eq!(world.nearest("緑茶は好きではない"), [tea]);
}

#[test]
fn a_forgotten_fact_leaves_no_text_in_d1_no_vector_and_a_receipt() {
    let world = World::new();
    let secret = world.add("My sister is called Yukiko");
    let kept = world.add("大阪に住んでいる");
    world.settle();
    world.vectorize.lags.set(true);
    world.forget(&secret);
    assert_eq!(world.receipt(&secret), Some(("pending", "pending")));
    world.drain();
    assert_eq!(world.receipt(&secret), Some(("done", "pending")), "the deletion isn't processed yet");
    world.vectorize.process();
    world.settle();
    assert_eq!(world.receipt(&secret), Some(("done", "done")));
    let everything = format!("{:?}", world.d1.query("SELECT * FROM facts", &[]));
    assert!(!everything.contains("ukiko"), "{everything}");
    assert_eq!(world.keyword("yukiko"), []);
    assert_eq!(world.keyword("大"), [kept]);
    world.assert_converged();
    world.advance(2 * DAY);
    world.settle();
    assert_eq!(world.receipt(&secret), None, "a receipt that is done isn't kept");
}

/// D1 in a file, as the platform keeps it: deleted bytes aren't cleared by SQLite itself.
fn in_file(path: &std::path::Path) -> World {
    World::over(file_of_sqlite(path))
}

fn file_of_sqlite(path: &std::path::Path) -> sqlite::Sqlite {
    let _ = std::fs::remove_file(path);
    let connection = rusqlite::Connection::open(path).expect("a file");
    connection.pragma_update(None, "secure_delete", "off").expect("a setting");
    sqlite::Sqlite::over(connection)
}

#[test]
fn forgotten_text_is_in_no_byte_of_d1s_file_however_rows_grew_shrank_and_moved_before() {
    let path = std::env::temp_dir().join(format!("kioku-mirrors-{}.sqlite", std::process::id()));
    let world = in_file(&path);
    let other = World::sharing(&world, "other");
    let held = |text: &str| contains(&std::fs::read(&path).unwrap(), text);
    let secret = |n: usize, edit: usize| format!("XYZZY{n}Q合言葉{edit}{}", "長い".repeat(n * edit % 90));
    let mut kept = Vec::new();
    for n in 0..100 {
        let id = world.add(&secret(n, 0));
        other.add(&secret(1_000 + n, 0));
        if n % 3 == 0 {
            world.settle();
            other.settle();
        }
        for edit in 1..n % 4 {
            world.edit(&id, &secret(n, edit));
            world.pin(&id);
            world.settle();
            // What was said first stays as the fact's quote.
            assert!(edit == 1 || !held(&format!("XYZZY{n}Q合言葉{}", edit - 1)), "what was edited");
        }
        kept.push((n, id));
        if n % 2 == 1 {
            let (gone, id) = kept.remove(n * 7 % kept.len());
            world.settle();
            assert!(held(&format!("XYZZY{gone}Q")), "it was there");
            world.forget(&id);
            world.settle();
            assert!(!held(&format!("XYZZY{gone}Q")), "fact {gone} after {n}");
        }
        if n % 40 == 39 {
            world.advance(8 * DAY);
            world.reconcile();
            world.settle();
        }
    }
    world.assert_converged();
    world.forget_everything();
    world.settle();
    other.settle();
    assert_eq!((0..100).find(|n| held(&format!("XYZZY{n}Q"))), None);
    other.assert_converged();
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_forgotten_facts_room_is_taken_by_the_next_fact_of_its_size_whoever_says_it() {
    let world = World::new();
    let other = World::sharing(&world, "other");
    let rows = || world.d1.query("SELECT 1 FROM facts", &[]).len();
    let (texts, before) = (["short", &"long ".repeat(60)], rows());
    for n in 0..6 {
        let ids = texts.map(|text| world.add(&format!("{text} {n}")));
        world.settle();
        for id in &ids {
            world.forget(id);
        }
        world.settle();
        world.advance(8 * DAY);
        world.reconcile();
        let theirs = texts.map(|text| other.add(&format!("{text} {n}")));
        other.settle();
        other.assert_converged();
        for id in &theirs {
            other.forget(id);
        }
        other.settle();
        other.advance(8 * DAY);
        other.reconcile();
    }
    assert_eq!(rows() - before, 2);
}

#[test]
fn when_d1s_tables_are_new_everything_is_sent_again_and_the_object_is_asked_until_then() {
    let world = World::new();
    let facts = ["a", "b"].map(|text| world.add(text));
    world.settle();
    assert_eq!(world.fresh_shard(), Some(0));
    world.d1.query("DELETE FROM facts", &[]);
    // As a version before this one left it.
    world.sql.exec("UPDATE mirrors SET layout = 0", &[]).unwrap();
    assert_eq!(world.fresh_shard(), None);
    world.settle();
    assert_eq!(world.fresh_shard(), Some(0));
    assert_eq!(world.in_d1().len(), facts.len());
    world.assert_converged();
}

#[test]
fn a_large_d1_of_the_former_layout_is_taken_over_at_once_and_overwritten_piece_by_piece() {
    let path = std::env::temp_dir().join(format!("kioku-former-{}.sqlite", std::process::id()));
    let database = file_of_sqlite(&path);
    // And the rows of the table's first page, which nobody owns.
    let (mine, others, filler) = (OwnerKey::of("issuer", "subject"), 6_000, 8);
    let d1 = d1::D1::grown(database, |database, name| {
        if name != "0003_slots.sql" {
            return;
        }
        let fill = |n: usize| {
            let owner = if n == 17 { mine.as_str().to_owned() } else { format!("{:064x}", n % 50) };
            let text = format!("{}X{n}Q{}", if n == 17 { "MINE" } else { "FORMER" }, "長い".repeat(n % 90));
            database.exec(
                "INSERT INTO facts (owner, id, version, epoch, deleted, text, kind, scope, status, pinned, edited,
                   observed_at, supersedes, quote, said_at, created_at, updated_at, search)
                 VALUES (?1, 'f_' || ?2, 1, 1, 0, ?3, 'other', 'global', 'current', 0, 0, 1, '[]', ?3, 1, 1, 1, ?3)",
                &[(&owner).into(), (n as i64).into(), (&text).into()],
            )?;
            if n.is_multiple_of(5) && n > 50 {
                // Edited now and then, which leaves copies in pages.
                let args: [Arg<'_>; 1] = [((n - 9) as i64).into()];
                database.exec("UPDATE facts SET text = text || ' FORMERX' WHERE id = 'f_' || ?1", &args)?;
            }
            Ok(())
        };
        atomic(database, || (0..others).try_for_each(fill)).unwrap();
    });
    let world = World::on(d1);
    let count = |table: &str| world.d1.query(&format!("SELECT 1 FROM {table}"), &[]).len();
    assert_eq!(
        (count("facts_before"), count("facts")),
        (others + filler, filler),
        "no row is lost by the migration"
    );
    let held = |text: &str| contains(&std::fs::read(&path).unwrap(), text);
    assert!(held("MINEX17Q") && held("FORMERX"));

    // As a version before this one left the object.
    world.sql.exec("INSERT INTO mirrors (mirror, shard, layout) VALUES ('d1', 0, 0)", &[]).unwrap();
    let fact = world.add("sent again");
    world.settle();
    assert_eq!(world.freshness(&fact).0, Fresh::Synced);
    assert!(
        !world
            .d1
            .query("SELECT text FROM facts_before", &[])
            .iter()
            .any(|row| row.text(0).unwrap().contains("MINE"))
    );

    let step = |pieces| futures::executor::block_on(former::give_back(&*world.d1, pieces));
    assert_eq!(step(2), Ok(false));
    assert_eq!(count("facts_before"), others + filler - 2 * former::PIECE);
    world.d1.set_fault(Some(d1::Fault::Down));
    assert!(step(2).is_err(), "and the next day it goes on");
    world.d1.set_fault(None);
    assert_eq!(step(100), Ok(true));
    let batches = world.d1.batches();
    assert_eq!((step(100), world.d1.batches() - batches), (Ok(true), 1), "looking costs one question");
    assert_eq!((count("facts_before"), world.d1.query("SELECT 1 FROM zeros", &[]).len()), (0, 0));
    assert_eq!((held("FORMERX"), held("MINEX")), (false, false));
    world.assert_converged();
    std::fs::remove_file(&path).unwrap();
}

fn contains(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).to_ascii_lowercase().contains(&text.to_ascii_lowercase())
}

#[test]
fn forgetting_everything_costs_the_object_the_same_however_much_there_is() {
    let world = World::new();
    for n in 0..600 {
        world.add(&format!("fact number {n}"));
    }
    world.settle();
    world.add("fact that never reached a mirror");
    let before = world.sql.statements();
    world.forget_everything();
    assert!(world.sql.statements() - before < 20, "{} statements", world.sql.statements() - before);
    assert_eq!(world.receipt_of_everything(), ("pending", "pending"));
    let anew = world.add("said anew");
    world.settle();
    assert_eq!(world.receipt_of_everything(), ("done", "done"));
    assert_eq!(world.in_d1(), [(anew.to_string(), 1)]);
    assert_eq!(world.vectorize.visible().len(), 1);
    world.assert_converged();
}

#[test]
fn a_write_that_arrives_after_its_facts_deletion_brings_nothing_back() {
    for reversed in [false, true] {
        let world = World::new();
        let known = world.add("I live in Kyoto");
        world.settle();
        world.d1.set_fault(Some(d1::Fault::Late));
        world.vectorize.set_fault(Some(vectorize::Fault::Late));
        let never_arrived = world.add("I work at a bank");
        world.edit(&known, "I live in Nara");
        world.drain();
        world.d1.set_fault(None);
        world.vectorize.set_fault(None);
        world.forget(&known);
        world.forget(&never_arrived);
        world.settle();
        assert_eq!(world.receipt(&known), Some(("done", "done")));
        world.d1.deliver_late(reversed);
        world.vectorize.deliver_late(reversed);
        assert_eq!(world.keyword("live work"), []);
        assert_eq!(world.in_d1(), []);
        assert_eq!(world.nearest("I live in Nara"), [], "the object doesn't want that vector");
        world.advance(2 * HOUR);
        world.settle();
        world.assert_converged();
        assert_eq!(world.vectorize.visible(), [], "the late vector was found and deleted");
    }
}

#[test]
fn a_write_from_before_everything_was_forgotten_is_refused_by_d1() {
    let world = World::new();
    world.d1.set_fault(Some(d1::Fault::Late));
    world.add("from before");
    world.drain();
    world.d1.set_fault(None);
    world.advance(MINUTE);
    world.forget_everything();
    world.settle();
    world.d1.deliver_late(false);
    assert_eq!(world.in_d1(), []);
    let anew = world.add("from after");
    world.settle();
    assert_eq!(world.in_d1(), [(anew.to_string(), 1)]);
}

#[test]
fn a_mirror_that_is_down_for_eighty_seconds_holds_nothing_up_and_catches_up() {
    let world = World::new();
    world.d1.set_fault(Some(d1::Fault::Down));
    let fact = world.add("犬を飼っている");
    let started = world.now();
    world.drain();
    assert_eq!(world.freshness(&fact).0, Fresh::Pending);
    let state = world.state(Mirror::D1);
    assert_eq!((state.pending, state.parked, state.oldest), (1, 0, Some(started)));
    assert!(state.last_error.as_deref().is_some_and(|error| error.contains("down")), "{state:?}");
    assert!(!world.vectorize.visible().is_empty(), "the other mirror goes on");
    let batches = world.d1.batches();
    world.run_until(started.plus(80 * SECOND));
    assert!(world.d1.batches() - batches <= 8, "{} attempts", world.d1.batches() - batches);
    world.d1.set_fault(None);
    world.run_until(started.plus(4 * MINUTE));
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Synced));
    world.assert_converged();
}

#[test]
fn a_d1_that_never_answers_delays_no_vector() {
    let world = World::new();
    let fact = world.add("known by heart");
    world.settle();
    world.d1.set_fault(Some(d1::Fault::Hang));
    world.forget(&fact);
    world.drain_until_evicted(9);
    assert_eq!(world.vectorize.visible(), []);
}

#[test]
fn an_index_that_never_answers_delays_no_row() {
    let world = World::new();
    world.vectorize.set_fault(Some(vectorize::Fault::LostAnswer));
    let fact = world.add("known by heart");
    world.drain_until_evicted(9);
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Pending));
}

#[test]
fn a_mirror_that_is_down_is_asked_less_and_less_often_whatever_waits_for_it() {
    for mirror in [Mirror::D1, Mirror::Vectorize] {
        let world = World::new();
        let edited = world.add("has a vector already");
        let forgotten = world.add("is to be forgotten");
        world.settle();
        match mirror {
            Mirror::D1 => world.d1.set_fault(Some(d1::Fault::Down)),
            Mirror::Vectorize => world.vectorize.set_fault(Some(vectorize::Fault::Down)),
        }
        world.add("has no vector yet");
        world.edit(&edited, "has another text now");
        world.pin(&edited);
        world.forget(&forgotten);
        let before = world.d1.batches() + world.vectorize.requests();
        world.run_until(world.now().plus(HOUR));
        let asked = world.d1.batches() + world.vectorize.requests() - before;
        assert!(asked < 40, "{mirror:?}: {asked} requests in an hour");
        assert!(world.state(mirror).pending > 0);
        world.heal();
        world.run_until(world.now().plus(HOUR));
        world.assert_converged();
    }
}

#[test]
fn a_user_sees_the_last_change_because_a_d1_that_lacks_it_is_not_asked() {
    let mut world = World::new();
    let fact = world.add("a");
    assert_eq!(world.fresh_shard(), None);
    world.settle();
    assert_eq!(world.fresh_shard(), Some(0));
    let listed = world.page(&Query { limit: 10, ..Query::default() });
    assert_eq!(page::confirm(&listed, &world.facts), Ok(Some(listed.clone())));
    world.edit(&fact, "b");
    assert_eq!(world.fresh_shard(), None);
    assert_eq!(page::confirm(&listed, &world.facts), Ok(None), "D1 has an older version");
    world.settle();
    world.forget(&fact);
    assert_eq!(page::confirm(&listed, &world.facts), Ok(None), "D1 has what was forgotten");
    world.settle();
    world.add_tables_until_moved();
    assert_eq!(world.fresh_shard(), None, "it hasn't moved into the new database yet");
    world.settle();
    assert!(world.fresh_shard().is_some_and(|shard| shard > 0));
}

#[test]
fn a_mirror_that_stays_down_stops_waking_the_object_and_gets_everything_when_it_is_back() {
    let world = World::new();
    world.d1.set_fault(Some(d1::Fault::Down));
    world.add("a");
    world.run_until(world.now().plus(2 * DAY));
    let state = world.state(Mirror::D1);
    assert_eq!((state.pending, state.parked), (0, 1));
    assert_eq!(world.next(), None);
    world.d1.set_fault(None);
    world.add("b");
    world.settle();
    assert_eq!(world.state(Mirror::D1).parked, 0);
    world.assert_converged();
}

#[test]
fn one_fact_that_d1_refuses_is_parked_visibly_and_the_others_pass() {
    let world = World::new();
    world.d1.refuse_containing(Some("poison"));
    let poison = world.add("poison");
    let others: Vec<_> = (0..30).map(|n| world.add(&format!("harmless {n}"))).collect();
    world.run_until(world.now().plus(HOUR));
    assert!(others.iter().all(|fact| world.freshness(fact).0 == Fresh::Synced));
    assert_eq!(world.freshness(&poison).0, Fresh::Pending);
    world.run_until(world.now().plus(DAY));
    let state = world.state(Mirror::D1);
    assert_eq!((state.pending, state.parked), (0, 1));
    assert!(state.last_error.is_some_and(|error| error.contains("refused")));
    world.d1.refuse_containing(None);
    outbox::resume(&world.sql, world.now()).unwrap();
    world.settle();
    world.assert_converged();
}

#[test]
fn a_full_index_still_deletes_and_an_index_of_another_dimension_says_so() {
    let world = World::new();
    let old = world.add("old");
    world.settle();
    world.vectorize.set_fault(Some(vectorize::Fault::Full));
    let new = world.add("new");
    world.forget(&old);
    world.drain();
    assert_eq!(world.vectorize.visible(), []);
    assert_eq!(world.freshness(&new).1, Fresh::Pending);
    assert!(world.state(Mirror::Vectorize).last_error.is_some_and(|error| error.contains("full")));
    world.vectorize.set_fault(None);
    world.run_until(world.now().plus(HOUR));
    world.assert_converged();

    world.vectorize.remake(5);
    let third = world.add("third");
    world.run_until(world.now().plus(DAY));
    let state = world.state(Mirror::Vectorize);
    assert_eq!(state.parked, 1);
    assert!(state.last_error.is_some_and(|error| error.contains("5 dimensions")));
    assert_eq!(world.freshness(&third).1, Fresh::Pending);
    assert!(matches!(world.search_error("third"), Some(MirrorError::WrongDimension { .. })));
}

#[test]
fn a_dead_embedding_model_delays_no_deletion_and_parks_nothing() {
    let world = World::new();
    let old = world.add("old");
    world.settle();
    world.embed.is_down.set(true);
    let new = world.add("new");
    world.forget(&old);
    world.run_until(world.now().plus(DAY));
    assert_eq!(world.receipt(&old), Some(("done", "done")));
    assert_eq!(world.state(Mirror::Vectorize).parked, 0);
    assert_eq!(world.freshness(&new).1, Fresh::Pending);
    assert!(world.embed.calls.get() < 400, "{} calls in a day", world.embed.calls.get());
    world.embed.is_down.set(false);
    world.run_until(world.now().plus(HOUR));
    world.assert_converged();
}

#[test]
fn a_fact_forgotten_while_it_is_embedded_is_not_sent() {
    let world = World::new();
    let fact = world.add("fleeting");
    world.drain_while(|| world.forget(&fact));
    assert_eq!(world.vectorize.upserted(), 0);
    world.settle();
    world.assert_converged();
    assert_eq!(world.receipt(&fact), Some(("done", "done")));
}

#[test]
fn a_fact_that_changes_while_it_is_sent_is_sent_again() {
    let world = World::new();
    let fact = world.add("I am 29");
    world.settle();
    world.edit(&fact, "I am 30");
    world.d1.set_fault(Some(d1::Fault::Slow));
    world.drain_while(|| world.edit(&fact, "I am 31"));
    assert_eq!(world.freshness(&fact), (Fresh::Pending, Fresh::Pending));
    world.settle();
    world.assert_converged();
    assert_eq!(world.keyword("31"), std::slice::from_ref(&fact));
}

#[test]
fn a_vector_that_is_sent_again_is_not_deleted_in_between() {
    let world = World::new();
    world.vectorize.set_fault(Some(vectorize::Fault::Late));
    world.add("sent twice");
    world.drain();
    world.advance(MINUTE);
    world.drain();
    world.vectorize.set_fault(None);
    world.settle();
    world.vectorize.deliver_late(false);
    world.assert_converged();
}

#[test]
fn confirming_or_pinning_a_fact_needs_no_new_vector() {
    let world = World::new();
    let fact = world.add("I play the violin");
    world.settle();
    let sent = world.vectorize.upserted();
    for _ in 0..5 {
        world.pin(&fact);
        world.settle();
    }
    assert_eq!(world.vectorize.upserted(), sent);
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Synced));
    world.assert_converged();
}

#[test]
fn other_users_mutations_hiding_ours_only_delay_the_confirmation() {
    let world = World::new();
    world.vectorize.is_busy.set(true);
    let fact = world.add("shared index");
    world.drain();
    world.run_until(world.now().plus(MINUTE));
    assert_eq!(world.freshness(&fact).1, Fresh::Pending);
    world.run_until(world.now().plus(10 * MINUTE));
    assert_eq!(world.freshness(&fact).1, Fresh::Synced);
}

#[test]
fn without_a_vectorize_binding_it_is_off_and_with_one_everything_is_sent() {
    let mut world = World::new();
    world.has_vectorize = false;
    let fact = world.add("a");
    world.settle();
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Off));
    assert_eq!(world.state(Mirror::Vectorize).pending, 0);
    let gone = world.add("b");
    world.forget(&gone);
    world.settle();
    assert_eq!(world.receipt(&gone), Some(("done", "off")));
    world.has_vectorize = true;
    world.settle();
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Synced));
    world.assert_converged();

    world.has_vectorize = false;
    world.settle();
    world.forget(&fact);
    world.settle();
    assert_eq!(world.receipt(&fact), Some(("done", "pending")), "its vector is still there");
    world.has_vectorize = true;
    world.settle();
    assert_eq!(world.receipt(&fact), Some(("done", "done")));
    world.assert_converged();
}

#[test]
fn without_a_d1_binding_nothing_is_lost_and_the_object_is_not_woken_for_it() {
    let mut world = World::new();
    let gone = world.add("a");
    world.settle();
    world.bind_d1(false);
    let fact = world.add("b");
    world.forget(&gone);
    world.settle();
    world.run_until(world.now().plus(2 * HOUR));
    assert_eq!((world.next(), world.fresh_shard()), (None, None));
    assert_eq!(world.freshness(&fact).0, Fresh::Pending);
    assert_eq!(world.receipt(&gone), Some(("pending", "done")));
    world.bind_d1(true);
    world.settle();
    assert_eq!(world.receipt(&gone), Some(("done", "done")));
    world.assert_converged();
}

#[test]
fn another_embedding_model_replaces_every_vector() {
    let mut world = World::new();
    for n in 0..250 {
        world.add(&format!("fact {n}"));
    }
    world.settle();
    world.embed.model = "another".to_owned();
    world.settle();
    assert!(world.vectorize.visible().iter().all(|vector| vector.metadata.model == "another"));
    world.assert_converged();
}

#[test]
fn a_second_database_takes_only_the_owners_that_belong_to_it_and_the_first_is_emptied() {
    let mut world = World::new();
    let ids: Vec<_> = (0..60).map(|n| world.add(&format!("fact {n}"))).collect();
    world.settle();
    world.add_tables_until_moved();
    world.forget(&ids[0]);
    world.d1.set_fault(Some(d1::Fault::Refuse));
    world.drain();
    world.run_until(world.now().plus(HOUR));
    assert_eq!(world.receipt(&ids[0]), Some(("pending", "done")), "the first database still has it");
    let batches = world.d1.batches();
    world.run_until(world.now().plus(HOUR));
    assert!(world.d1.batches() - batches <= 12, "{} attempts", world.d1.batches() - batches);
    world.d1.set_fault(None);
    world.run_until(world.now().plus(HOUR));
    assert_eq!(world.receipt(&ids[0]), Some(("done", "done")));
    assert_eq!(
        world.rows_per_table().iter().filter(|&&rows| rows > 0).count(),
        1,
        "{:?}",
        world.rows_per_table()
    );
    assert_eq!(world.rows_per_table()[0], 0);
    world.assert_converged();
}

#[test]
fn a_lost_mirror_is_rebuilt_and_drift_in_both_directions_is_repaired_and_counted() {
    let world = World::new();
    let ids: Vec<_> = (0..120).map(|n| world.add(&format!("fact {n}"))).collect();
    world.settle();
    assert!(world.reconcile().d1.is_none());
    assert!(world.reconcile().vectorize.is_none());

    let owner = world.owner.as_str().to_owned();
    let run = |sql: &str, id: &str| world.d1.query(sql, &[Arg::Text(&owner), Arg::Text(id)]);
    run("DELETE FROM facts WHERE owner = ?1 AND id = ?2", ids[3].as_str());
    run("UPDATE facts SET version = 4294967296, text = 'old' WHERE owner = ?1 AND id = ?2", ids[4].as_str());
    run("UPDATE facts SET version = 4294967395, text = 'new' WHERE owner = ?1 AND id = ?2", ids[5].as_str());
    run("UPDATE facts SET id = 'f_orphan' WHERE owner = ?1 AND id = ?2", ids[6].as_str());
    world.vectorize.tamper(|vectors| {
        let first = vectors.keys().next().unwrap().clone();
        let mut stranger = vectors.remove(&first).unwrap();
        stranger.id = "stranger-of-this-owner".to_owned();
        vectors.insert(stranger.id.clone(), stranger);
    });
    let run = world.reconcile();
    assert_eq!((run.d1.missing, run.d1.stale, run.d1.ahead, run.d1.orphan), (2, 1, 1, 1));
    assert_eq!(run.vectorize.missing, 1);
    world.settle();
    // More vectors than one query gives: the stranger may need a second look.
    world.reconcile();
    world.settle();
    world.assert_converged();

    world.d1.query("DELETE FROM facts", &[]);
    world.d1.query("DELETE FROM owners", &[]);
    world.vectorize.tamper(std::collections::BTreeMap::clear);
    let run = world.reconcile();
    assert_eq!((run.d1.missing, run.vectorize.missing), (120, 120));
    world.settle();
    world.assert_converged();
}

#[test]
fn an_object_restored_to_before_it_forgot_everything_is_mirrored_again() {
    let world = World::new();
    world.settle();
    let fact = world.add("restored");
    world.settle();
    world.d1.query(
        "INSERT INTO owners (owner, epoch) VALUES (?1, 9000000000000)",
        &[Arg::Text(world.owner.as_str())],
    );
    world.d1.query("DELETE FROM facts", &[]);
    let run = world.reconcile();
    assert_eq!(run.d1.ahead, 1);
    world.settle();
    assert_eq!(world.freshness(&fact), (Fresh::Synced, Fresh::Synced));
    world.assert_converged();
}

#[test]
fn an_object_made_anew_for_the_same_owner_is_mirrored_again() {
    let mut world = World::new();
    world.add("first life");
    world.settle();
    world.forget_everything();
    world.settle();
    world.advance(DAY);
    world.lose_object();
    let fact = world.add("second life");
    world.settle();
    assert_eq!(world.in_d1(), [(fact.to_string(), 1)]);
    world.assert_converged();
}

#[test]
fn traces_of_forgotten_facts_are_swept_when_no_write_can_be_late() {
    let world = World::new();
    let fact = world.add("gone");
    world.settle();
    world.forget(&fact);
    world.settle();
    let traces = || world.d1.query("SELECT 1 FROM facts WHERE owner >= '0000000000000001'", &[]).len();
    assert_eq!(traces(), 1);
    world.advance(8 * DAY);
    world.reconcile();
    assert_eq!(traces(), 0);
}

#[test]
fn the_page_reads_the_same_from_d1_as_from_the_object() {
    let world = World::new();
    let beginning = kioku::time::Millis(1_700_000_000_000);
    for n in 0..57 {
        let id = world.add(["猫が好き", "Ｒｅａｃｔを書く", "lives in 大阪", "🍣が好き"][n % 4]);
        world.change(&id, |fact| {
            fact.kind = if n % 3 == 0 { Kind::Preference } else { Kind::Other };
            fact.status = [Status::Current, Status::Past, Status::Held][n % 5 % 3];
            fact.source.said_at = beginning.plus(n as i64 * kioku::time::DAY);
        });
    }
    world.settle();
    for q in ["", "好き", "react", "大", "🍣", "猫 好", "!", "lives 大阪", "ねこ"] {
        for status in [None, Some(Status::Current), Some(Status::Past), Some(Status::Held)] {
            for (kind, days) in [(None, None), (Some(Kind::Preference), None), (None, Some((10, 30)))] {
                let at = |day: i64| beginning.plus(day * kioku::time::DAY);
                let (since, until) = (days.map(|(from, _)| at(from)), days.map(|(_, to)| at(to)));
                let mut query =
                    Query { q: q.to_owned(), status, kind, since, until, limit: 7, ..Query::default() };
                let mut seen = 0;
                loop {
                    let mirrored = world.page(&query);
                    let own = page::select(world.facts.all(), &query);
                    assert_eq!(mirrored, own, "{query:?}");
                    assert!(own.facts.iter().all(|fact| page::is_match(fact, &query)));
                    seen += own.facts.len();
                    let Some(next) = own.next else { break };
                    query.after = page::Cursor::parse(&next.to_token());
                }
                let all = page::select(world.facts.all(), &Query { after: None, limit: 200, ..query });
                assert_eq!(seen, all.facts.len());
                if q.is_empty() && status.is_none() && days.is_some() {
                    assert_eq!(seen, 20, "twenty days, a fact each");
                }
            }
        }
    }
}

#[test]
fn the_pages_questions_are_answered_by_an_index_in_its_order() {
    let world = World::new();
    let after = page::Cursor::of(&{
        world.add("a");
        world.facts.all().remove(0)
    });
    for (status, index) in [(None, "slots_newest"), (Some(Status::Held), "slots_held")] {
        for after in [None, Some(after.clone())] {
            let query = Query { q: "犬 dog".to_owned(), status, after, limit: 50, ..Query::default() };
            let plan = world.explain(&query);
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}

#[test]
fn another_owners_rows_and_vectors_are_untouched() {
    let world = World::new();
    let other = World::sharing(&world, "other");
    for n in 0..30 {
        other.add(&format!("theirs {n}"));
        world.add(&format!("ours {n}"));
    }
    other.settle();
    world.settle();
    let theirs = |world: &World| {
        let rows = world.d1.query("SELECT * FROM facts WHERE owner = ?1", &[Arg::Text(other.owner.as_str())]);
        let vectors = world.vectorize.visible();
        (rows, vectors.into_iter().filter(|v| v.metadata.uid == other.owner.as_str()).collect::<Vec<_>>())
    };
    let before = theirs(&world);
    assert_eq!(world.keyword("theirs"), []);
    world.reconcile();
    world.forget_everything();
    world.settle();
    world.reconcile();
    world.settle();
    assert_eq!(theirs(&world), before);
    assert_eq!(before.0.len(), 30);
}

#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Edit(u8, u8),
    Pin(u8),
    Supersede(u8, u8),
    Forget(u8),
    /// A forgotten fact comes back by undo, under its old id.
    Undo(u8),
    ForgetEverything,
    FaultD1(Option<d1::Fault>),
    FaultVectorize(Option<vectorize::Fault>),
    Lag(bool),
    Process,
    DeliverLate(bool),
    EmbedDown(bool),
    Advance(u32),
    Drain,
    DrainTwice,
    /// The pass is at its n-th await when something else happens.
    Meanwhile(u8, Box<Step>),
    /// The pass stops at its n-th await and never goes on.
    Evict(u8),
    Reconcile,
    FailStorage(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let meanwhile = (0u8..8, plain_step()).prop_map(|(awaits, step)| Step::Meanwhile(awaits, Box::new(step)));
    prop_oneof![9 => plain_step(), 1 => meanwhile]
}

fn plain_step() -> impl Strategy<Value = Step> {
    use crate::support::d1::Fault as D;
    use crate::support::vectorize::Fault as V;
    prop_oneof![
        4 => any::<u8>().prop_map(Step::Add),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Edit(a, b)),
        1 => any::<u8>().prop_map(Step::Pin),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Supersede(a, b)),
        3 => any::<u8>().prop_map(Step::Forget),
        1 => any::<u8>().prop_map(Step::Undo),
        1 => Just(Step::ForgetEverything),
        3 => prop_oneof![
            Just(None), Just(Some(D::Down)), Just(Some(D::ErrorBefore)), Just(Some(D::ErrorAfter)),
            Just(Some(D::Late)), Just(Some(D::Refuse)), Just(Some(D::Full)), Just(Some(D::Slow)), Just(Some(D::Stale))
        ].prop_map(Step::FaultD1),
        3 => prop_oneof![
            Just(None), Just(Some(V::Down)), Just(Some(V::ErrorBefore)), Just(Some(V::ErrorAfter)), Just(Some(V::Late)), Just(Some(V::Full)),
            Just(Some(V::Slow))
        ].prop_map(Step::FaultVectorize),
        1 => any::<bool>().prop_map(Step::Lag),
        1 => Just(Step::Process),
        2 => any::<bool>().prop_map(Step::DeliverLate),
        1 => any::<bool>().prop_map(Step::EmbedDown),
        3 => (0u32..400_000).prop_map(Step::Advance),
        6 => Just(Step::Drain),
        2 => Just(Step::DrainTwice),
        2 => (0u8..12).prop_map(Step::Evict),
        1 => Just(Step::Reconcile),
        1 => (0u8..40).prop_map(Step::FailStorage),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_fails_the_mirrors_end_as_the_object_is_and_nothing_forgotten_is_found(
        steps in proptest::collection::vec(step(), 1..60),
        // At one of the steps, or never, other databases are bound, and one of them is this owner's.
        moves_at in 0usize..120,
    ) {
        let mut world = World::new();
        let bystander = World::sharing(&world, "bystander");
        bystander.add("theirs");
        bystander.settle();
        for (at, step) in steps.iter().enumerate() {
            if at == moves_at {
                world.add_tables_until_moved();
            }
            play(&world, step);
            world.assert_nothing_forgotten_is_found();
        }
        world.heal();
        world.settle();
        world.advance(2 * HOUR);
        world.settle();
        world.assert_converged();
        world.assert_nothing_forgotten_is_found();
        bystander.assert_converged();
        if moves_at < steps.len() {
            let left = "SELECT 1 FROM facts WHERE owner = ?1 AND deleted = 0";
            prop_assert!(world.d1.query(left, &[Arg::Text(world.owner.as_str())]).is_empty(), "the database that was left");
        }
    }
}

fn play(world: &World, step: &Step) {
    match step {
        Step::Add(n) => drop(world.add(&format!("言葉{n} word{n}"))),
        Step::Edit(which, n) => world.with_one(*which, |id| world.edit(id, &format!("新しい{n} new{n}"))),
        Step::Pin(which) => world.with_one(*which, |id| world.pin(id)),
        Step::Supersede(which, n) => world.with_one(*which, |id| {
            let new = world.add(&format!("改め{n} changed{n}"));
            world.change(id, |fact| {
                fact.status = Status::Past;
                fact.superseded_by = Some(new.clone());
            });
        }),
        Step::Forget(which) => world.with_one(*which, |id| world.forget(id)),
        Step::Undo(which) => world.undo_forget(*which),
        Step::ForgetEverything => world.forget_everything(),
        Step::FaultD1(fault) => world.d1.set_fault(*fault),
        Step::FaultVectorize(fault) => world.vectorize.set_fault(*fault),
        Step::Lag(lags) => world.vectorize.lags.set(*lags),
        Step::Process => world.vectorize.process(),
        Step::DeliverLate(reversed) => {
            world.d1.deliver_late(*reversed);
            world.vectorize.deliver_late(*reversed);
        }
        Step::EmbedDown(is_down) => world.embed.is_down.set(*is_down),
        Step::Advance(millis) => world.advance(i64::from(*millis)),
        Step::Drain => drop(world.try_drain()),
        Step::DrainTwice => world.drain_twice(),
        Step::Meanwhile(awaits, step) => world.drain_around(*awaits, || play(world, step)),
        Step::Evict(awaits) => world.drain_until_evicted(*awaits),
        Step::Reconcile => drop(world.try_reconcile()),
        Step::FailStorage(statements) => {
            world.sql.fail_after(u32::from(*statements));
            drop(world.try_drain());
            world.sql.fail_after(u32::MAX);
        }
    }
}

#[test]
fn what_a_change_costs_is_what_docs_scale_says() {
    let world = World::new();
    let fact = world.add("cost");
    world.settle();
    let cost = |change: &dyn Fn()| {
        let before = (world.d1.batches(), world.d1.statements_run(), world.vectorize.requests());
        change();
        world.settle();
        (
            world.d1.batches() - before.0,
            world.d1.statements_run() - before.1,
            world.vectorize.requests() - before.2,
        )
    };
    assert_eq!(cost(&|| world.pin(&fact)), (1, 3, 0), "confirm or pin");
    assert_eq!(cost(&|| world.edit(&fact, "costs more")), (1, 3, 4), "edit");
    assert_eq!(cost(&|| drop(world.add("another"))), (1, 3, 3), "add");
    assert_eq!(cost(&|| world.forget(&fact)), (1, 3, 3), "forget");
    let batched = cost(&|| (0..20).for_each(|n| drop(world.add(&format!("many {n}")))));
    assert_eq!(batched, (2, 60, 3), "twenty facts at once");
    assert_eq!(cost(&|| world.forget_everything()), (1, 2, 4), "forget everything: 21 facts");
}
