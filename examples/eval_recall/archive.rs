//! An archive of messages, asked with each step of the pipeline switched off in turn.

use kioku::calendar::{Date, midnight};
use kioku::id::ThreadId;
use kioku::memory::gate::{AJAR, Gate, OPEN};
use kioku::memory::passages;
use kioku::memory::rank::{NEAR, scale};
use kioku::memory::when::{When, when};
use kioku::store::embeddings::{self, Corpus};
use kioku::store::held::Held;
use kioku::store::index::{self, Found, MessageFilter, Neighbours, Query};
use kioku::store::schema;
use kioku::store::sql::{StoreError, atomic};
use kioku::time::Millis;

use crate::embedding::{Embedding, PASSAGE, QUERY};
use crate::sqlite::Sqlite;

/// Which steps take part.
pub struct Step {
    pub name: &'static str,
    words: bool,
    grams: bool,
    neighbours: bool,
    meaning: bool,
    gate: bool,
    time: bool,
}

const ALL: Step = Step {
    name: "everything",
    words: true,
    grams: false,
    neighbours: true,
    meaning: true,
    gate: true,
    time: true,
};

pub const STEPS: &[Step] = &[
    ALL,
    Step { name: "no gate", gate: false, ..ALL },
    Step { name: "no meaning", meaning: false, ..ALL },
    Step { name: "no neighbours", neighbours: false, ..ALL },
    Step { name: "no time", time: false, ..ALL },
    Step { name: "trigrams too", grams: true, ..ALL },
    Step { name: "trigrams, no words", grams: true, words: false, ..ALL },
    Step { name: "words alone, no gate", neighbours: false, meaning: false, gate: false, ..ALL },
    Step { name: "meaning alone, no gate", words: false, neighbours: false, gate: false, ..ALL },
];

/// Hits of a list that take part.
const HITS: u32 = 100;

pub struct Archive<'a> {
    embedding: &'a Embedding,
    sql: Sqlite,
    held: std::cell::RefCell<Held>,
}

impl<'a> Archive<'a> {
    /// Message `n` of the texts is at place `n + 1`, and was said at that instant.
    pub fn of(embedding: &'a Embedding, texts: &[String]) -> Self {
        let said: Vec<(&str, Millis)> =
            (1..).zip(texts).map(|(n, text)| (text.as_str(), Millis(n))).collect();
        Self::said(embedding, &said)
    }

    pub fn said(embedding: &'a Embedding, texts: &[(&str, Millis)]) -> Self {
        Self::filled(embedding, texts).expect("an empty database takes messages")
    }

    fn filled(embedding: &'a Embedding, texts: &[(&str, Millis)]) -> Result<Self, StoreError> {
        let sql = Sqlite::memory();
        schema::migrate(&sql, Millis(0))?;
        embeddings::aim_at(&sql, &embedding.model, 1)?;
        atomic(&sql, || {
            for (seq, (text, said_at)) in (1..).zip(texts) {
                index::put_message(&sql, seq, &ThreadId::main(), *said_at, text)?;
                embeddings::put(&sql, &[(Corpus::Messages, seq, embedding.of(PASSAGE, text))])?;
            }
            Ok(())
        })?;
        Ok(Self { embedding, sql, held: std::cell::RefCell::default() })
    }

    /// The places nearest in meaning, with cosines.
    pub fn near(&self, question: &str) -> Vec<(i64, f32)> {
        let model = embeddings::serving(&self.sql).expect("a list").remove(0);
        let mut held = self.held.borrow_mut();
        let question = self.embedding.of(QUERY, question);
        let found = held.nearest(&self.sql, &model, Corpus::Messages, &question, NEAR, None);
        found.expect("a search")
    }

    /// How much any text is about the question, by the gate.
    pub fn about(&self, question: &str) -> f64 {
        let found = self.search(question, false);
        passages::about(&Gate::of(&asked(question), &found), &found, &self.nearness(question))
    }

    /// The places, best first, for each of the first [`STEPS`]. `elsewhere` is how much other memory is about the question.
    pub fn ask(&self, question: &str, elsewhere: f64, steps: usize) -> Vec<Vec<i64>> {
        let time = asked(question);
        let by_words = self.search(question, false);
        let near = self.nearness(question);
        let instants: Vec<_> = (time.days.iter())
            .filter_map(|days| Some(midnight(*days.start())..midnight(days.end().plus_days(8)?)))
            .collect();
        let trigrams = if steps > 2 { self.search(question, true) } else { by_words.clone() };
        STEPS
            .iter()
            .take(steps)
            .map(|step| {
                if !step.words && !step.grams {
                    return near.iter().map(|(seq, _)| *seq).collect();
                }
                let found = if step.grams { trigrams.clone() } else { by_words.clone() };
                let near: &[(i64, f32)] = if step.meaning { &near } else { &[] };
                let gate = Gate::of(&time, &found);
                let about = passages::about(&gate, &found, near);
                if step.gate && about < OPEN && (about < AJAR || elsewhere < OPEN) {
                    return Vec::new();
                }
                let found = Found { by_words: if step.words { found.by_words } else { Vec::new() }, ..found };
                let around =
                    index::neighbours(&self.sql, &passages::lenders(&found, near)).expect("neighbours");
                let alone = |around: Neighbours| Neighbours { before: vec![], after: vec![], ..around };
                let around: Vec<Neighbours> =
                    if step.neighbours { around } else { around.into_iter().map(alone).collect() };
                let then = if step.time { instants.as_slice() } else { &[] };
                let ranked = passages::rank(&gate, &found, &around, near, then);
                ranked.into_iter().map(|(seq, _)| seq).collect()
            })
            .collect()
    }

    fn search(&self, question: &str, grams: bool) -> Found<i64> {
        let query = if grams { Query::of(question) } else { Query::by_words(question) };
        index::search_messages(&self.sql, &query, &MessageFilter::default(), HITS).expect("a search")
    }

    fn nearness(&self, question: &str) -> Vec<(i64, f32)> {
        let scale = scale(&self.embedding.model);
        self.near(question).into_iter().map(|(seq, cosine)| (seq, scale.nearness(cosine))).collect()
    }
}

/// As a question that is asked long after all was said.
pub fn asked(question: &str) -> When {
    when(question, Date::new(2026, 11, 30).expect("a date"))
}

/// Whether a place is among the first `most`.
pub fn found_within(order: &[i64], seq: i64, most: usize) -> bool {
    order.iter().take(most).any(|found| *found == seq)
}
