//! Measures recall: on public data sets that aren't part of the repository, and on its own paraphrases.
//!
//! `KIOKU_DATA=DIR cargo run --example eval_recall` prints how often the right text is among the first five or ten
//! for LoCoMo's long conversations and JSQuAD's paragraphs, with each step of the pipeline switched off in turn, and
//! the separation of answers from near misses on the paraphrases. A set that isn't there is skipped, visibly.

#[path = "../tests/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

use std::path::{Path, PathBuf};

use kioku::id::{FactId, ThreadId};
use kioku::llm::table::{MODEL, embed};
use kioku::memory::passages;
use kioku::store::embeddings;
use kioku::store::index::{self, Found, MessageFilter, Neighbours, Query};
use kioku::store::sql::Sql;
use kioku::time::Millis;
use serde_json::Value;

/// A way to rank: its name, and whether words, trigrams, neighbours and meaning take part.
const WAYS: &[(&str, bool, bool, bool, bool)] = &[
    ("everything", true, true, true, true),
    ("no meaning", true, true, true, false),
    ("no neighbours", true, true, false, true),
    ("no trigrams", true, false, true, true),
    ("no words", false, true, true, true),
    ("words only", true, false, false, false),
    ("trigrams only", false, true, false, false),
    ("meaning only", false, false, false, true),
];
/// Hits of the list by meaning that take part.
const NEAR: usize = 100;

fn main() {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/recall"));
    for language in ["en", "ja"] {
        paraphrases(&own.join(format!("{language}.json")));
    }
    let folder = std::env::args().nth(1).or_else(|| std::env::var("KIOKU_DATA").ok());
    let Some(folder) = folder.map(PathBuf::from) else {
        println!("skipped: LoCoMo and JSQuAD (no folder as argument or in KIOKU_DATA)");
        return;
    };
    locomo(&folder.join("locomo/locomo_dev5.json"));
    jsquad(&folder.join("jglue/jsquad_dev.json"));
}

fn read(path: &Path) -> Option<Value> {
    let bytes = std::fs::read(path).map_err(|error| println!("skipped: {}: {error}", path.display())).ok()?;
    serde_json::from_slice(&bytes).map_err(|error| println!("skipped: {}: {error}", path.display())).ok()
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn empty() -> sqlite::Sqlite {
    let sql = sqlite::Sqlite::memory();
    for schema in [index::SCHEMA, embeddings::SCHEMA] {
        sql.exec(schema, &[]).expect("an empty database takes the schema");
    }
    sql
}

/// An archive with the vectors of its messages beside it.
struct Archive {
    sql: sqlite::Sqlite,
    vectors: Vec<Vec<f32>>,
}

impl Archive {
    fn of(texts: &[String]) -> Self {
        let sql = empty();
        for (seq, text) in (1..).zip(texts) {
            index::put_message(&sql, seq, &ThreadId::main(), Millis(seq), text).expect("an insert");
        }
        Self { sql, vectors: texts.iter().map(|text| embed(text)).collect() }
    }

    /// The places, best first, for each way of ranking.
    fn ask(&self, question: &str) -> Vec<Vec<i64>> {
        let found = index::search_messages(&self.sql, &Query::of(question), &MessageFilter::default(), 100)
            .expect("a search");
        let around = index::neighbours(&self.sql, &passages::lenders(&found)).expect("neighbours");
        let asked = embed(question);
        let mut near: Vec<(i64, f32)> =
            (1..).zip(&self.vectors).map(|(seq, v)| (seq, dot(&asked, v))).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(NEAR);
        WAYS.iter()
            .map(|(_, words, grams, neighbours, meaning)| {
                if !words && !grams {
                    return near.iter().map(|(seq, _)| *seq).collect();
                }
                let kept = Found {
                    by_words: if *words { found.by_words.clone() } else { Vec::new() },
                    by_grams: if *grams { found.by_grams.clone() } else { Vec::new() },
                };
                let around: &[Neighbours] = if *neighbours { &around } else { &[] };
                let near: &[(i64, f32)] = if *meaning { &near } else { &[] };
                passages::rank(&kept, around, near).into_iter().map(|(seq, _)| seq).collect()
            })
            .collect()
    }
}

fn locomo(path: &Path) {
    let Some(data) = read(path) else { return };
    let (mut questions, mut hits) = (0, vec![[0; 3]; WAYS.len()]);
    let (mut foreign, mut injected) = (0, 0);
    let samples: Vec<&Value> = each(&data).collect();
    for (position, sample) in samples.iter().enumerate() {
        let turns: Vec<&Value> =
            (1..100).flat_map(|n| each(&sample["conversation"][format!("session_{n}")])).collect();
        let texts: Vec<String> =
            turns.iter().map(|turn| format!("{}: {}", text(&turn["speaker"]), text(&turn["text"]))).collect();
        let archive = Archive::of(&texts);
        for qa in each(&sample["qa"]).filter(|qa| each(&qa["evidence"]).next().is_some()) {
            questions += 1;
            let is_evidence = |seq: &i64| {
                turns
                    .get(*seq as usize - 1)
                    .is_some_and(|turn| each(&qa["evidence"]).any(|e| *e == turn["dia_id"]))
            };
            for (hits, order) in hits.iter_mut().zip(archive.ask(text(&qa["question"]))) {
                for (hit, most) in hits.iter_mut().zip([5, 10, 20]) {
                    *hit += i32::from(order.iter().take(most).any(is_evidence));
                }
            }
        }
        // Questions about other people's lives are the hardest that should find nothing.
        for qa in each(&samples[(position + 1) % samples.len()]["qa"]).step_by(10) {
            foreign += 1;
            injected += i32::from(!archive.ask(text(&qa["question"]))[0].is_empty());
        }
    }
    println!("\nLoCoMo, {questions} questions: a turn that answers among the first 5 / 10 / 20, per cent");
    for ((name, ..), hits) in WAYS.iter().zip(&hits) {
        let [five, ten, twenty] = hits.map(|n| share(n, questions));
        println!("  {name:14} {five:5.1} {ten:5.1} {twenty:5.1}");
    }
    println!("  another conversation's questions that recall something: {injected} of {foreign}");
}

fn jsquad(path: &Path) {
    let Some(data) = read(path) else { return };
    let paragraphs: Vec<&Value> =
        each(&data["data"]).flat_map(|article| each(&article["paragraphs"])).collect();
    let texts: Vec<String> = paragraphs.iter().map(|p| text(&p["context"]).to_owned()).collect();
    let archive = Archive::of(&texts);
    let (mut questions, mut hits) = (0, vec![[0; 2]; WAYS.len()]);
    for (seq, paragraph) in (1_i64..).zip(&paragraphs) {
        for qa in each(&paragraph["qas"]) {
            questions += 1;
            for (hits, order) in hits.iter_mut().zip(archive.ask(text(&qa["question"]))) {
                hits[0] += i32::from(order.first() == Some(&seq));
                hits[1] += i32::from(order.iter().take(5).any(|found| *found == seq));
            }
        }
    }
    println!("\nJSQuAD, {questions} questions: the paragraph first / among the first 5, per cent");
    for ((name, ..), hits) in WAYS.iter().zip(&hits) {
        let [first, five] = hits.map(|n| share(n, questions));
        println!("  {name:14} {first:5.1} {five:5.1}");
    }
}

fn paraphrases(path: &Path) {
    let Some(data) = read(path) else { return };
    let sql = empty();
    let id = |n: usize| FactId::parse(&format!("f_{n}")).expect("letters and digits");
    for (n, fact) in each(&data["facts"]).enumerate() {
        index::put_fact(&sql, &id(n), text(&fact[0])).expect("an insert");
        embeddings::put(&sql, &id(n), MODEL, &embed(text(&fact[0]))).expect("an insert");
    }
    let mut vectors = embeddings::Vectors::of(MODEL);
    vectors.read(&sql, index::facts_state(&sql).expect("a count")).expect("the vectors");
    let best = |question: &str| vectors.nearest(&embed(question), 3);
    let rare = |question: &str| {
        let found = index::search_facts(&sql, &Query::of(question), 10).expect("a search");
        found.by_words.iter().chain(&found.by_grams).any(|hit| hit.rare_term_shared)
    };
    let (mut right, mut first, mut third, mut asked) = (Vec::new(), 0, 0, 0);
    for (n, fact) in each(&data["facts"]).enumerate() {
        for question in each(&fact[1]) {
            asked += 1;
            let near = best(text(question));
            first += i32::from(near.first().is_some_and(|(found, _)| *found == id(n)));
            third += i32::from(near.iter().any(|(found, _)| *found == id(n)));
            right.extend(near.iter().find(|(found, _)| *found == id(n)).map(|(_, cosine)| *cosine));
        }
    }
    let mut noise: Vec<f32> =
        each(&data["near_misses"]).filter_map(|q| best(text(q)).first().map(|n| n.1)).collect();
    let shared = each(&data["near_misses"]).filter(|q| rare(text(q))).count();
    noise.sort_by(f32::total_cmp);
    right.sort_by(f32::total_cmp);
    let at = |list: &[f32], percent: usize| list.get(list.len() * percent / 100).copied().unwrap_or(f32::NAN);
    println!(
        "{}: {asked} paraphrases, the fact nearest {:.0} %, among three {:.0} %; cosine of right ones {:.2} (10 %) {:.2} \
         {:.2} (90 %); of {} near misses' nearest {:.2} {:.2} (90 %) {:.2} (95 %); sharing a rare word {shared}",
        text(&data["language"]),
        share(first, asked),
        share(third, asked),
        at(&right, 10),
        at(&right, 50),
        at(&right, 90),
        noise.len(),
        at(&noise, 50),
        at(&noise, 90),
        at(&noise, 95),
    );
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn share(part: i32, whole: i32) -> f64 {
    f64::from(part) * 100.0 / f64::from(whole.max(1))
}
