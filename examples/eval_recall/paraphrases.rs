//! The repository's own questions: facts asked for in other words, near misses, the other language.

use std::path::Path;

use kioku::id::FactId;
use kioku::llm::table::{MODEL, embed};
use kioku::memory::gate::{Gate, OPEN};
use kioku::memory::rank::{GRAM_WEIGHT, List, VECTOR_WEIGHT, fuse, ordered, scale, weight_of};
use kioku::store::embeddings;
use kioku::store::index::{self, Query};
use kioku::store::sql::Sql;
use serde_json::Value;

use crate::archive::{Archive, STEPS, found_within};
use crate::sqlite::Sqlite;
use crate::{each, line, share, text};

/// The file of a language.
struct Set {
    facts: Vec<String>,
    said: Vec<String>,
    /// A question and the number of its fact.
    asked: Vec<(String, usize)>,
    misses: Vec<String>,
}

impl Set {
    fn read(language: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/recall/{language}.jsonl"));
        let lines = std::fs::read_to_string(&path).expect("the repository's own file");
        let mut set = Self { facts: Vec::new(), said: Vec::new(), asked: Vec::new(), misses: Vec::new() };
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            if let Some(miss) = line["miss"].as_str() {
                set.misses.push(miss.to_owned());
                continue;
            }
            set.asked.extend(each(&line["ask"]).map(|question| (text(question).to_owned(), set.facts.len())));
            set.facts.push(text(&line["fact"]).to_owned());
            set.said.push(text(&line["said"]).to_owned());
        }
        set
    }
}

/// Facts in the index, too many to be given whole.
struct Memory {
    sql: Sqlite,
    vectors: Vec<Vec<f32>>,
    facts: Vec<String>,
}

impl Memory {
    fn of(facts: &[String]) -> Self {
        let sql = Sqlite::memory();
        for schema in [index::SCHEMA, embeddings::SCHEMA] {
            sql.exec(schema, &[]).expect("an empty database takes the schema");
        }
        for (n, fact) in facts.iter().enumerate() {
            index::put_fact(&sql, &id(n), fact).expect("an insert");
        }
        Self { sql, vectors: facts.iter().map(|fact| embed(fact)).collect(), facts: facts.to_vec() }
    }

    /// The facts in order, and those of them that the gate lets through.
    fn ask(&self, question: &str, words: bool, meaning: bool) -> (Vec<usize>, Vec<usize>) {
        let found = index::search_facts(&self.sql, &Query::of(question), 50).expect("a search");
        let gate = Gate::of(question, &found);
        let (asked, scale) = (embed(question), scale(MODEL));
        let near: Vec<f32> =
            self.vectors.iter().map(|v| v.iter().zip(&asked).map(|(x, y)| x * y).sum::<f32>()).collect();
        let place = |hit: &index::Hit<FactId>| (self.number(&hit.id), hit.score);
        let meant = near.iter().enumerate().map(|(n, cosine)| (n, weight_of(scale.nearness(*cosine))));
        let lists = [
            List { hits: found.by_words.iter().map(place).collect(), weight: if words { 1.0 } else { 0.0 } },
            List {
                hits: found.by_grams.iter().map(place).collect(),
                weight: if words { GRAM_WEIGHT } else { 0.0 },
            },
            List { hits: meant.collect(), weight: if meaning { VECTOR_WEIGHT } else { 0.0 } },
        ];
        let order: Vec<usize> =
            ordered(&fuse(&lists)).into_iter().filter(|(_, score)| *score > 0.0).map(|(n, _)| n).collect();
        let nearness = |n: usize| if meaning { scale.nearness(near[n]) } else { 0.0 };
        let given =
            order.iter().copied().filter(|&n| gate.score(&self.facts[n], nearness(n)) >= OPEN).collect();
        (order, given)
    }

    fn number(&self, id: &FactId) -> usize {
        id.as_str().trim_start_matches("f_").parse().unwrap_or(self.facts.len())
    }
}

fn id(n: usize) -> FactId {
    FactId::parse(&format!("f_{n}")).expect("letters and digits")
}

pub fn measure(out: &mut String) {
    let sets = [("en", Set::read("en")), ("ja", Set::read("ja"))];
    line(out, "\n## Facts asked for in other words\n");
    line(
        out,
        "| facts | questions | way | first | among 5 | MRR | given | given, among 5 | near misses silent |\n|---|---|---|---|---|---|---|---|---|",
    );
    for (language, set) in &sets {
        let memory = Memory::of(&set.facts);
        for (asked_in, asked) in &sets {
            for (name, words, meaning) in
                [("everything", true, true), ("no meaning", true, false), ("no words", false, true)]
            {
                let (mut first, mut five, mut ranks, mut given, mut right) = (0, 0, 0.0, 0, 0);
                for (question, n) in &asked.asked {
                    let (order, kept) = memory.ask(question, words, meaning);
                    let rank = order.iter().position(|found| found == n);
                    first += usize::from(rank == Some(0));
                    five += usize::from(rank.is_some_and(|rank| rank < 5));
                    ranks += rank.map_or(0.0, |rank| 100.0 / (rank + 1) as f64);
                    given += usize::from(!kept.is_empty());
                    right += usize::from(kept.iter().take(5).any(|found| found == n));
                }
                let all = asked.asked.len();
                let silent =
                    asked.misses.iter().filter(|miss| memory.ask(miss, words, meaning).1.is_empty()).count();
                line(
                    out,
                    &format!(
                        "| {language} | {all} {asked_in} | {name} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
                        share(first, all),
                        share(five, all),
                        ranks / all as f64,
                        share(given, all),
                        share(right, all),
                        share(silent, asked.misses.len())
                    ),
                );
            }
        }
    }
    line(out, "\n## Messages asked for in other words\n");
    line(out, "| messages | way | first | among 5 | near misses silent |\n|---|---|---|---|---|");
    for (language, set) in &sets {
        let archive = Archive::of(&set.said);
        let (mut hits, mut silent) = (vec![[0; 2]; STEPS.len()], vec![0; STEPS.len()]);
        for (question, n) in &set.asked {
            for (hits, order) in hits.iter_mut().zip(archive.ask(question)) {
                hits[0] += usize::from(found_within(&order, *n as i64 + 1, 1));
                hits[1] += usize::from(found_within(&order, *n as i64 + 1, 5));
            }
        }
        for miss in &set.misses {
            for (silent, order) in silent.iter_mut().zip(archive.ask(miss)) {
                *silent += usize::from(order.is_empty());
            }
        }
        for ((step, hits), silent) in STEPS.iter().zip(&hits).zip(&silent) {
            let [first, five] = hits.map(|n| share(n, set.asked.len()));
            line(
                out,
                &format!(
                    "| {language} | {} | {first:.1} | {five:.1} | {:.1} |",
                    step.name,
                    share(*silent, set.misses.len())
                ),
            );
        }
    }
}
