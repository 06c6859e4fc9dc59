//! The repository's own questions: facts asked for in other words, near misses, the other language.

use std::path::Path;

use kioku::id::{FactId, ThreadId};
use kioku::memory::model::Fact;
use kioku::memory::query::Wants;
use kioku::memory::rank::scale;
use kioku::memory::recall::{Evidence, choose, known_about};
use kioku::memory::when::When;
use kioku::store::index::{self, Found, Query};
use kioku::store::schema;
use kioku::time::Millis;
use serde_json::Value;

use crate::archive::{Archive, STEPS, asked, found_within};
use crate::embedding::{Embedding, PASSAGE, QUERY};
use crate::halves::{Halves, is_held_out};
use crate::sqlite::Sqlite;
use crate::{each, line, text};

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
struct Memory<'a> {
    embedding: &'a Embedding,
    sql: Sqlite,
    vectors: Vec<Vec<f32>>,
    facts: Vec<String>,
}

impl<'a> Memory<'a> {
    fn of(embedding: &'a Embedding, facts: &[String]) -> Self {
        let sql = Sqlite::memory();
        schema::migrate(&sql, Millis(0)).expect("a schema");
        for (n, fact) in facts.iter().enumerate() {
            index::put_fact(&sql, &id(n), fact).expect("an insert");
        }
        let vectors = facts.iter().map(|fact| embedding.of(PASSAGE, fact)).collect();
        Self { embedding, sql, vectors, facts: facts.to_vec() }
    }

    /// The facts in order, and those of them that are given. `elsewhere` is how much messages are about the question.
    fn ask(&self, question: &str, words: bool, meaning: bool, elsewhere: f64) -> (Vec<usize>, Vec<usize>) {
        let (time, keywords, near) = self.found(question, words, meaning);
        let ask = |everything| {
            let evidence = Evidence {
                asked: &time,
                keywords: &keywords,
                near: &near,
                many: true,
                talked_about: elsewhere,
                everything,
            };
            let facts = (0..).zip(&self.facts).map(|(n, text)| fact(n, text)).collect();
            let chosen = choose(Wants::default(), &ThreadId::main(), facts, &evidence, u32::MAX);
            chosen
                .into_iter()
                .filter(|chosen| chosen.score > 0.0)
                .map(|chosen| self.number(&chosen.fact.id))
                .collect()
        };
        (ask(true), ask(false))
    }

    /// How much any fact is about the question, by the gate.
    fn about(&self, question: &str) -> f64 {
        let (time, keywords, near) = self.found(question, true, true);
        known_about(&time, &keywords, &near)
    }

    fn found(&self, question: &str, words: bool, meaning: bool) -> (When, Found<FactId>, Vec<(FactId, f32)>) {
        let mut keywords = index::search_facts(&self.sql, &Query::by_words(question), 50).expect("a search");
        if !words {
            keywords.by_words.clear();
        }
        let (vector, scale) = (self.embedding.of(QUERY, question), scale(&self.embedding.model));
        let cosine = |v: &Vec<f32>| v.iter().zip(&vector).map(|(x, y)| x * y).sum::<f32>();
        let mut near: Vec<(FactId, f32)> =
            self.vectors.iter().enumerate().map(|(n, v)| (id(n), scale.nearness(cosine(v)))).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(if meaning { 100 } else { 0 });
        (asked(question), keywords, near)
    }

    fn number(&self, id: &FactId) -> usize {
        id.as_str().trim_start_matches("f_").parse().unwrap_or(self.facts.len())
    }
}

fn id(n: usize) -> FactId {
    FactId::parse(&format!("f_{n}")).expect("letters and digits")
}

fn fact(n: usize, text: &str) -> Fact {
    Fact::new(id(n), text, Millis(n as i64))
}

/// How questions found their facts.
#[derive(Default)]
struct Seen {
    first: Halves,
    five: Halves,
    ranks: Halves,
    given: Halves,
    right: Halves,
    silent: Halves,
}

pub fn measure(embedding: &Embedding, most: usize, out: &mut String) {
    let sets = [("en", Set::read("en")), ("ja", Set::read("ja"))];
    line(out, "\n## Facts asked for in other words\n");
    line(
        out,
        "| facts | questions | way | first | among 5 | MRR | given | given, among 5 | near misses silent |\n|---|---|---|---|---|---|---|---|---|",
    );
    for (language, set) in &sets {
        let memory = Memory::of(embedding, &set.facts);
        for (asked_in, asked) in &sets {
            for (name, words, meaning) in
                [("everything", true, true), ("no meaning", true, false), ("no words", false, true)]
            {
                let mut seen = Seen::default();
                for (question, n) in &asked.asked {
                    let (order, kept) = memory.ask(question, words, meaning, 0.0);
                    let half = asked.facts.get(*n).is_some_and(|fact| is_held_out(fact));
                    let rank = order.iter().position(|found| found == n);
                    seen.first.count(half, rank == Some(0));
                    seen.five.count(half, rank.is_some_and(|rank| rank < 5));
                    seen.ranks.add(half, rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64));
                    seen.given.count(half, !kept.is_empty());
                    seen.right.count(half, kept.iter().take(5).any(|found| found == n));
                }
                for miss in &asked.misses {
                    seen.silent.count(is_held_out(miss), memory.ask(miss, words, meaning, 0.0).1.is_empty());
                }
                let Seen { first, five, ranks, given, right, silent } = seen;
                let all = asked.asked.len();
                line(
                    out,
                    &format!(
                        "| {language} | {all} {asked_in} | {name} | {first} | {five} | {ranks} | {given} | {right} | {silent} |"
                    ),
                );
            }
        }
    }
    line(out, "\n## Messages asked for in other words\n");
    line(out, "| messages | way | first | among 5 | near misses silent |\n|---|---|---|---|---|");
    for (language, set) in &sets {
        let (archive, memory) = (Archive::of(embedding, &set.said), Memory::of(embedding, &set.facts));
        let mut hits = vec![[Halves::default(); 3]; STEPS.len()];
        for (question, n) in &set.asked {
            let half = set.facts.get(*n).is_some_and(|fact| is_held_out(fact));
            for (hits, order) in hits.iter_mut().zip(archive.ask(question, 0.0, most)) {
                hits[0].count(half, found_within(&order, *n as i64 + 1, 1));
                hits[1].count(half, found_within(&order, *n as i64 + 1, 5));
            }
        }
        let mut both = Halves::default();
        for miss in &set.misses {
            let half = is_held_out(miss);
            for (hits, order) in hits.iter_mut().zip(archive.ask(miss, 0.0, most)) {
                hits[2].count(half, order.is_empty());
            }
            // A memory has both, and each may open the other's door.
            let (known, said) = (memory.about(miss), archive.about(miss));
            let is_silent = archive.ask(miss, known, 1).first().is_some_and(Vec::is_empty)
                && memory.ask(miss, true, true, said).1.is_empty();
            both.count(half, is_silent);
            if !is_silent && std::env::var("KIOKU_SHOW").is_ok() {
                println!("not silent: {miss}");
            }
        }
        line(out, &format!("| {language} | facts and messages together | – | – | {both} |"));
        for (step, [first, five, silent]) in STEPS.iter().zip(&hits).take(most) {
            line(out, &format!("| {language} | {} | {first} | {five} | {silent} |", step.name));
        }
    }
}
