//! What the vectors promise: the nearest exactly, nothing of a dropped text, the old model's until the new one's are
//! there, and a constant cost.

use super::*;
use crate::id::{FactId, ThreadId};
use crate::sqlite::Sqlite;
use crate::store::held::Held;
use crate::store::index::{self, put_message};
use crate::time::Millis;

fn stored(model: &str) -> Sqlite {
    let sql = Sqlite::memory();
    crate::store::schema::migrate(&sql, Millis(0)).unwrap();
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
    let found = held.nearest(sql, &model, Corpus::Messages, &at(angle), limit, None).unwrap();
    found.into_iter().map(|(doc, _)| doc).collect()
}

/// Vectors as texts have them: all lean one way, and some are about the same thing.
fn texts(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
    let mut dice = 7_u64;
    let mut number = move || {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    };
    let mut vector = |spread: f32| -> Vec<f32> { (0..dimensions).map(|_| number() * spread).collect() };
    let lean = vector(1.0);
    let topics: Vec<Vec<f32>> = (0..=count / 20).map(|_| vector(0.6)).collect();
    (0..count)
        .map(|n| {
            let own = vector(0.6);
            let topic = &topics[n % topics.len()];
            lean.iter().zip(topic).zip(own).map(|((lean, topic), own)| lean + topic + own).collect()
        })
        .collect()
}

/// The nearest by every code, as they would be without sketches.
fn by_brute_force(vectors: &[Vec<f32>], question: &[f32], limit: usize) -> Vec<i64> {
    let length = question.iter().map(|x| x * x).sum::<f32>().sqrt();
    let question: Vec<f32> = question.iter().map(|x| x / length).collect();
    let mut all: Vec<(i64, f32)> = (0..)
        .zip(vectors)
        .map(|(doc, vector)| {
            let code = encode(vector).unwrap();
            (doc, crate::store::codes::cosine(&question, &code, crate::store::codes::norm(&code)))
        })
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    all.into_iter().take(limit).map(|(doc, _)| doc).collect()
}

/// An archive of these vectors, stored some at a time, and what a search of it gives.
fn searched(vectors: &[Vec<f32>], at_once: usize) -> impl FnMut(&[f32], usize) -> Vec<(i64, f32)> {
    let sql = stored("m");
    let all: Vec<_> =
        (0..).zip(vectors).map(|(doc, vector)| (Corpus::Messages, doc, vector.clone())).collect();
    for some in all.chunks(at_once) {
        put(&sql, some).unwrap();
    }
    let mut held = Held::default();
    move |question, limit| {
        let model = serving(&sql).unwrap().remove(0);
        held.nearest(&sql, &model, Corpus::Messages, question, limit, None).unwrap()
    }
}

#[test]
fn the_nearest_of_many_are_those_of_a_search_through_all() {
    for dimensions in [192, 384] {
        let vectors = texts(3_000, dimensions);
        let mut search = searched(&vectors, 48);
        let (mut found, mut missed) = (0, 0);
        for question in vectors.iter().step_by(97).map(|vector| {
            let (one, other) = vector.split_at(dimensions / 2);
            [one, other.iter().map(|x| x * 0.8).collect::<Vec<f32>>().as_slice()].concat()
        }) {
            let near: Vec<i64> = search(&question, 100).into_iter().map(|(doc, _)| doc).collect();
            let right = by_brute_force(&vectors, &question, 100);
            assert_eq!(near[..20], right[..20], "{dimensions}");
            found += right.iter().filter(|doc| near.contains(doc)).count();
            missed += right.iter().filter(|doc| !near.contains(doc)).count();
        }
        // Beyond what is about the same thing all are about equally far.
        assert!(missed * 8 <= found, "{dimensions}: {missed} of {}", missed + found);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn a_small_memory_is_searched_exactly(count in 1_usize..192, at_once in 1_usize..64, limit in 1_usize..40) {
        let vectors = texts(count, 24);
        let mut search = searched(&vectors, at_once);
        let question = texts(count + 1, 24).pop().unwrap();
        let near: Vec<i64> = search(&question, limit).into_iter().map(|(doc, _)| doc).collect();
        proptest::prop_assert_eq!(near, by_brute_force(&vectors, &question, limit));
    }
}

#[test]
fn a_session_that_comes_back_searches_the_newest_first_soon_all_and_always_as_they_are() {
    let sql = stored("m");
    let vectors = texts(6_000, 24);
    let all: Vec<_> =
        (0..).zip(&vectors).map(|(doc, vector)| (Corpus::Messages, doc, vector.clone())).collect();
    put(&sql, &all).unwrap();
    let model = serving(&sql).unwrap().remove(0);
    let mut held = Held::default();
    let first = |held: &mut Held, of: usize| {
        held.nearest(&sql, &model, Corpus::Messages, &vectors[of], 1, None).unwrap()[0].0
    };
    assert_eq!(first(&mut held, 5_000), 5_000);
    assert_ne!(first(&mut Held::default(), 10), 10);
    held.read_ahead(&sql, &model).unwrap();
    assert_eq!(first(&mut held, 10), 10);
    remove(&sql, Corpus::Messages, 10).unwrap();
    assert_ne!(first(&mut held, 10), 10);
    for doc in [10, 7_000] {
        put(&sql, &[(Corpus::Messages, doc, vectors[10].clone())]).unwrap();
        assert_eq!(first(&mut held, 10), doc);
    }
    clear(&sql).unwrap();
    assert!(held.nearest(&sql, &model, Corpus::Messages, &vectors[10], 1, None).unwrap().is_empty());
}

#[test]
fn what_cannot_be_compared_finds_nothing() {
    let vectors = texts(300, 8);
    let mut search = searched(&vectors, 300);
    assert_eq!(search(&vectors[7], 1)[0].0, 7);
    for question in [vec![1.0; 9], vec![f32::NAN; 8], vec![0.0; 8], vec![]] {
        assert!(search(&question, 3).is_empty());
    }
    assert!(search(&vectors[7], 0).is_empty());
}

#[test]
fn only_those_that_may_be_found_are_however_far_they_are() {
    let vectors = texts(3_000, 24);
    let sql = stored("m");
    let all: Vec<_> =
        (0..).zip(&vectors).map(|(doc, vector)| (Corpus::Messages, doc, vector.clone())).collect();
    put(&sql, &all).unwrap();
    let model = serving(&sql).unwrap().remove(0);
    let few = |docs: &[i64]| Ok(docs.iter().copied().filter(|doc| doc % 1_000 == 5).collect());
    let mut held = Held::default();
    let found = held.nearest(&sql, &model, Corpus::Messages, &vectors[77], 100, Some(&few)).unwrap();
    let mut found: Vec<i64> = found.into_iter().map(|(doc, _)| doc).collect();
    found.sort_unstable();
    assert_eq!(found, [5, 1_005, 2_005]);
}

#[test]
fn what_an_earlier_version_embedded_is_found_by_its_words_and_waits_to_be_embedded_anew() {
    let sql = Sqlite::memory();
    for schema in [index::SCHEMA, crate::store::jobs::SCHEMA, SCHEMA] {
        sql.exec(schema, &[]).unwrap();
    }
    for statement in [
        "INSERT INTO embedding_models VALUES (3, 'm', 1, 24)",
        "INSERT INTO indexed_messages VALUES (7, 'main', 1, 'green tea'), (8, 'main', 2, 'a dog')",
        "INSERT INTO embeddings VALUES (3, 1, 7, x'01')",
        "INSERT INTO embedding_blocks (model, corpus, edition, lowest, highest, docs, codes)
         VALUES (3, 1, 1, 8, 8, x'0800000000000000', x'02')",
        SKETCHED,
        index::CUT,
        crate::store::settings::SCHEMA,
        crate::store::renewal::SCHEMA,
    ] {
        sql.exec(statement, &[]).unwrap();
    }
    for (doc, text) in [(7, "green tea"), (8, "a dog")] {
        index::add_terms(&sql, "message_terms", doc, text).unwrap();
    }
    let found = |sql: &Sqlite| {
        let asked = index::Query::by_words("Which tea?");
        index::search_messages(sql, &asked, &index::MessageFilter::default(), 9).unwrap().by_words[0].id
    };
    assert_eq!(found(&sql), 7);
    assert!(nearest(&sql, &mut Held::default(), 1, 9).is_empty());
    assert_eq!(sql.exec("SELECT 1 FROM jobs WHERE kind = 'embed'", &[]).unwrap().len(), 1);
    let waits: Vec<i64> = waiting(&sql, None, 9).unwrap().iter().map(|text| text.doc).collect();
    assert_eq!(waits, [8, 7]);
    put(&sql, &[(Corpus::Messages, 8, at(0)), (Corpus::Messages, 7, at(300))]).unwrap();
    assert_eq!(nearest(&sql, &mut Held::default(), 300, 1), [7]);
    index::drop_message(&sql, 7).unwrap();
    assert_eq!(nearest(&sql, &mut Held::default(), 300, 9), [8]);
}

#[test]
fn neither_a_forgotten_text_nor_a_forgotten_memory_leaves_a_vector_behind() {
    let sql = stored("m");
    let vectors = texts(400, 24);
    let all: Vec<_> =
        (0..).zip(&vectors).map(|(doc, vector)| (Corpus::Messages, doc, vector.clone())).collect();
    put(&sql, &all).unwrap();
    let docs = |table: &str| -> Vec<u8> {
        let rows = sql.exec(&format!("SELECT docs FROM {table}"), &[]).unwrap();
        rows.iter().flat_map(|row| row.blob(0).unwrap().to_vec()).collect()
    };
    remove(&sql, Corpus::Messages, 123).unwrap();
    assert!(sql.exec("SELECT 1 FROM message_codes WHERE doc = 123", &[]).unwrap().is_empty());
    assert!(!docs("embedding_sketches").as_chunks::<8>().0.contains(&123_i64.to_le_bytes()));
    assert_eq!(docs("embedding_sketches").len(), 399 * 8);
    clear(&sql).unwrap();
    for table in ["message_codes", "embedding_sketches"] {
        assert!(sql.exec(&format!("SELECT 1 FROM {table}"), &[]).unwrap().is_empty(), "{table}");
    }
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
