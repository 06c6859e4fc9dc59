//! What the vectors promise: the nearest exactly, nothing of a dropped text, the old model's until the new one's are
//! there, and a constant cost.

use super::*;
use crate::id::{FactId, ThreadId};
use crate::sqlite::Sqlite;
use crate::store::blocks::Held;
use crate::store::index::{self, put_message};
use crate::time::Millis;

fn stored(model: &str) -> Sqlite {
    let sql = Sqlite::memory();
    sql.exec(index::SCHEMA, &[]).unwrap();
    sql.exec(crate::store::settings::SCHEMA, &[]).unwrap();
    sql.exec(crate::store::renewal::SCHEMA, &[]).unwrap();
    sql.exec(SCHEMA, &[]).unwrap();
    aim_at(&sql, model, 1).unwrap();
    sql
}

fn say(sql: &Sqlite, doc: i64, text: &str) {
    put_message(sql, doc, &ThreadId::main(), Millis(doc), text).unwrap();
}

/// A direction in a plane, by its angle in thousandths.
fn at(angle: i64) -> Vec<f32> {
    let angle = angle as f32 / 1_000.0;
    vec![angle.cos(), angle.sin(), 0.0]
}

fn nearest(sql: &Sqlite, held: &mut Held, angle: i64, limit: usize) -> Vec<i64> {
    let Some(model) = serving(sql).unwrap().into_iter().next() else { return Vec::new() };
    let found = held.nearest(sql, &model, Corpus::Messages, &at(angle), limit).unwrap();
    found.into_iter().map(|(doc, _)| doc).collect()
}

#[test]
fn the_nearest_come_first_over_loose_vectors_and_many_blocks() {
    let sql = stored("m");
    // Long vectors, so that a megabyte is full soon.
    let wide =
        |angle: i64| -> Vec<f32> { at(angle).into_iter().chain(std::iter::repeat_n(0.0, 8_189)).collect() };
    for doc in -5..400_i64 {
        put(&sql, &[(Corpus::Messages, doc, wide(doc * 9))]).unwrap();
    }
    let blocks = sql.exec("SELECT count(*) FROM embedding_blocks", &[]).unwrap();
    assert!(blocks[0].int(0).unwrap() >= 3);
    assert!(sql.exec("SELECT 1 FROM embeddings", &[]).unwrap().len() < 128);
    let mut held = Held::default();
    let model = serving(&sql).unwrap().remove(0);
    for doc in [-5, 0, 130, 399] {
        let found = held.nearest(&sql, &model, Corpus::Messages, &wide(doc * 9), 3).unwrap();
        assert_eq!(found[0].0, doc, "{found:?}");
        assert!(found[0].1 > 0.999);
        assert!(found.iter().all(|(near, _)| (near - doc).abs() <= 2), "{found:?}");
    }
    assert!(held.nearest(&sql, &model, Corpus::Facts, &wide(0), 3).unwrap().is_empty());
    assert!(held.nearest(&sql, &model, Corpus::Messages, &at(0), 3).unwrap().is_empty());
    assert!(held.nearest(&sql, &model, Corpus::Messages, &vec![f32::NAN; 8_192], 3).unwrap().is_empty());
    assert!(held.nearest(&sql, &model, Corpus::Messages, &wide(0), 0).unwrap().is_empty());
}

#[test]
fn a_dropped_text_leaves_no_vector_behind_and_a_changed_one_waits_again() {
    let sql = stored("m");
    for doc in 0..200 {
        say(&sql, doc, "犬");
    }
    let all: Vec<_> = (0..200).map(|doc| (Corpus::Messages, doc, at(doc * 5))).collect();
    put(&sql, &all).unwrap();
    let mut held = Held::default();
    assert_eq!(nearest(&sql, &mut held, 500, 1), [100]);
    index::drop_message(&sql, 100).unwrap();
    assert_eq!(nearest(&sql, &mut held, 500, 1).len(), 1);
    assert!(!nearest(&sql, &mut held, 500, 50).contains(&100));
    assert!(!is_waiting(&sql).unwrap());
    say(&sql, 101, "猫");
    assert!(!nearest(&sql, &mut held, 505, 50).contains(&101));
    let waits = waiting(&sql, None, 9).unwrap();
    assert_eq!(waits, [Waiting { corpus: Corpus::Messages, doc: 101, text: "猫".to_owned() }]);
    put(&sql, &[(Corpus::Messages, 101, at(0))]).unwrap();
    assert_eq!(nearest(&sql, &mut held, 0, 2).len(), 2);
    assert!(nearest(&sql, &mut held, 0, 2).contains(&101));
    index::clear(&sql).unwrap();
    assert!(nearest(&sql, &mut held, 0, 9).is_empty());
}

#[test]
fn an_old_model_serves_until_the_new_one_has_everything() {
    let sql = stored("old");
    for doc in 0..10 {
        say(&sql, doc, "text");
    }
    let id = FactId::parse("f_1").unwrap();
    index::put_fact(&sql, &id, "fact").unwrap();
    let fact = waiting(&sql, Some(Corpus::Facts), 9).unwrap().remove(0).doc;
    let mut all: Vec<_> = (0..10).map(|doc| (Corpus::Messages, doc, at(doc))).collect();
    all.push((Corpus::Facts, fact, at(1)));
    put(&sql, &all).unwrap();
    assert!(!aim_at(&sql, "old", 1).unwrap());
    for (name, version) in [("old", 2), ("new", 1)] {
        assert!(aim_at(&sql, name, version).unwrap());
    }
    let names = |sql: &Sqlite| -> Vec<(String, u32)> {
        serving(sql).unwrap().into_iter().map(|model| (model.name, model.version)).collect()
    };
    assert_eq!(names(&sql), [("old".to_owned(), 1)]);
    assert_eq!(waiting(&sql, None, 99).unwrap().len(), 11);
    put(&sql, &[(Corpus::Facts, fact, vec![1.0; 8])]).unwrap();
    assert_eq!(names(&sql), [("new".to_owned(), 1), ("old".to_owned(), 1)]);
    let all: Vec<_> = (0..10).map(|doc| (Corpus::Messages, doc, vec![1.0; 8])).collect();
    put(&sql, &all).unwrap();
    assert_eq!(names(&sql), [("new".to_owned(), 1)]);
    // Back to the first: nothing of its old vectors is believed.
    assert!(aim_at(&sql, "old", 1).unwrap());
    assert_eq!(waiting(&sql, None, 99).unwrap().len(), 11);
}

#[test]
fn a_server_that_changes_its_dimensions_is_another_model() {
    let sql = stored("m");
    for doc in 0..3 {
        say(&sql, doc, "text");
    }
    put(&sql, &[(Corpus::Messages, 0, at(0)), (Corpus::Messages, 1, at(1))]).unwrap();
    put(&sql, &[(Corpus::Messages, 2, vec![1.0; 8])]).unwrap();
    assert_eq!(serving(&sql).unwrap()[0].dimensions, 8);
    assert_eq!(waiting(&sql, None, 9).unwrap().len(), 2);
    // A vector without direction is no reason to ask for ever.
    put(&sql, &[(Corpus::Messages, 0, vec![0.0; 8]), (Corpus::Messages, 1, vec![])]).unwrap();
    assert!(!is_waiting(&sql).unwrap());
}

#[test]
fn a_vector_costs_the_same_however_many_there_are() {
    let sql = stored("m");
    let cost = |docs: std::ops::Range<i64>| {
        let before = sql.statements();
        for doc in docs {
            say(&sql, doc, "text");
            put(&sql, &[(Corpus::Messages, doc, at(doc))]).unwrap();
        }
        sql.statements() - before
    };
    cost(0..256);
    let first = cost(256..512);
    cost(512..2_560);
    assert_eq!(cost(2_560..2_816), first);
}
