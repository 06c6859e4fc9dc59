//! The repository's own questions: facts asked for in other words, near misses, the other language.

use std::path::Path;

use kioku::id::{FactId, ThreadId};
use kioku::llm::table::{MODEL, embed};
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
        schema::migrate(&sql, Millis(0)).expect("a schema");
        for (n, fact) in facts.iter().enumerate() {
            index::put_fact(&sql, &id(n), fact).expect("an insert");
        }
        Self { sql, vectors: facts.iter().map(|fact| embed(fact)).collect(), facts: facts.to_vec() }
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
        let (vector, scale) = (embed(question), scale(MODEL));
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

pub fn measure(most: usize, out: &mut String) {
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
                    let (order, kept) = memory.ask(question, words, meaning, 0.0);
                    let rank = order.iter().position(|found| found == n);
                    first += usize::from(rank == Some(0));
                    five += usize::from(rank.is_some_and(|rank| rank < 5));
                    ranks += rank.map_or(0.0, |rank| 100.0 / (rank + 1) as f64);
                    given += usize::from(!kept.is_empty());
                    right += usize::from(kept.iter().take(5).any(|found| found == n));
                }
                let all = asked.asked.len();
                let silent = asked
                    .misses
                    .iter()
                    .filter(|miss| memory.ask(miss, words, meaning, 0.0).1.is_empty())
                    .count();
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
        let (archive, memory) = (Archive::of(&set.said), Memory::of(&set.facts));
        let (mut hits, mut silent) = (vec![[0; 2]; STEPS.len()], vec![0; STEPS.len()]);
        for (question, n) in &set.asked {
            for (hits, order) in hits.iter_mut().zip(archive.ask(question, 0.0, most)) {
                hits[0] += usize::from(found_within(&order, *n as i64 + 1, 1));
                hits[1] += usize::from(found_within(&order, *n as i64 + 1, 5));
            }
        }
        for miss in &set.misses {
            for (silent, order) in silent.iter_mut().zip(archive.ask(miss, 0.0, most)) {
                *silent += usize::from(order.is_empty());
            }
        }
        // A memory has both, and each may open the other's door.
        let silent_at_all = set.misses.iter().filter(|miss| {
            let (known, said) = (memory.about(miss), archive.about(miss));
            archive.ask(miss, known, 1).first().is_some_and(Vec::is_empty)
                && memory.ask(miss, true, true, said).1.is_empty()
        });
        let both = share(silent_at_all.count(), set.misses.len());
        line(out, &format!("| {language} | facts and messages together | – | – | {both:.1} |"));
        for ((step, hits), silent) in STEPS.iter().zip(&hits).zip(&silent).take(most) {
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
