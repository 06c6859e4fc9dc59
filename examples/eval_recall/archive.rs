//! An archive of messages, asked with each step of the pipeline switched off in turn.

use kioku::id::ThreadId;
use kioku::llm::table::{MODEL, VERSION, embed};
use kioku::memory::passages;
use kioku::memory::rank::scale;
use kioku::store::blocks::Held;
use kioku::store::embeddings::{self, Corpus};
use kioku::store::index::{self, Found, MessageFilter, Neighbours, Query};
use kioku::store::sql::{Sql, StoreError, atomic};
use kioku::time::Millis;

use crate::sqlite::Sqlite;

/// Which steps take part.
pub struct Step {
    pub name: &'static str,
    words: bool,
    grams: bool,
    neighbours: bool,
    meaning: bool,
    gate: bool,
}

const ALL: Step =
    Step { name: "everything", words: true, grams: true, neighbours: true, meaning: true, gate: true };

pub const STEPS: &[Step] = &[
    ALL,
    Step { name: "no gate", gate: false, ..ALL },
    Step { name: "no meaning", meaning: false, ..ALL },
    Step { name: "no neighbours", neighbours: false, ..ALL },
    Step { name: "no trigrams", grams: false, ..ALL },
    Step { name: "no words", words: false, ..ALL },
    Step {
        name: "words alone, no gate",
        grams: false,
        neighbours: false,
        meaning: false,
        gate: false,
        ..ALL
    },
    Step {
        name: "meaning alone, no gate",
        words: false,
        grams: false,
        neighbours: false,
        gate: false,
        ..ALL
    },
];

/// Hits of a list that take part.
const HITS: u32 = 100;

pub struct Archive {
    sql: Sqlite,
    held: std::cell::RefCell<Held>,
}

impl Archive {
    /// Message `n` of the texts is at place `n + 1`.
    pub fn of(texts: &[String]) -> Self {
        Self::filled(texts).expect("an empty database takes messages")
    }

    fn filled(texts: &[String]) -> Result<Self, StoreError> {
        let sql = Sqlite::memory();
        for schema in [index::SCHEMA, embeddings::SCHEMA] {
            sql.exec(schema, &[])?;
        }
        embeddings::aim_at(&sql, MODEL, VERSION)?;
        atomic(&sql, || {
            for (seq, text) in (1..).zip(texts) {
                index::put_message(&sql, seq, &ThreadId::main(), Millis(seq), text)?;
                embeddings::put(&sql, &[(Corpus::Messages, seq, embed(text))])?;
            }
            Ok(())
        })?;
        Ok(Self { sql, held: std::cell::RefCell::default() })
    }

    /// The places nearest in meaning, with cosines.
    pub fn near(&self, question: &str) -> Vec<(i64, f32)> {
        let model = embeddings::serving(&self.sql).expect("a list").remove(0);
        let mut held = self.held.borrow_mut();
        let found = held.nearest(&self.sql, &model, Corpus::Messages, &embed(question), HITS as usize);
        found.expect("a search")
    }

    /// The places, best first, for each of [`STEPS`].
    pub fn ask(&self, question: &str) -> Vec<Vec<i64>> {
        let filter = MessageFilter::default();
        let found = index::search_messages(&self.sql, &Query::of(question), &filter, HITS).expect("a search");
        let scale = scale(MODEL);
        let near: Vec<(i64, f32)> =
            self.near(question).into_iter().map(|(seq, cosine)| (seq, scale.nearness(cosine))).collect();
        let around = index::neighbours(&self.sql, &passages::lenders(&found, &near)).expect("neighbours");
        STEPS
            .iter()
            .map(|step| {
                if !step.words && !step.grams {
                    return near.iter().map(|(seq, _)| *seq).collect();
                }
                let kept = Found {
                    by_words: if step.words { found.by_words.clone() } else { Vec::new() },
                    by_grams: if step.grams { found.by_grams.clone() } else { Vec::new() },
                    ..found.clone()
                };
                let around: &[Neighbours] = if step.neighbours { &around } else { &[] };
                let near: &[(i64, f32)] = if step.meaning { &near } else { &[] };
                // Without the list by words, the gate still reads the texts that the other list found.
                let asked = if step.words { &kept } else { &found };
                if step.gate && !passages::is_about_any(question, asked, near) {
                    return Vec::new();
                }
                passages::rank(&kept, around, near).into_iter().map(|(seq, _)| seq).collect()
            })
            .collect()
    }
}

/// Whether a place is among the first `most`.
pub fn found_within(order: &[i64], seq: i64, most: usize) -> bool {
    order.iter().take(most).any(|found| *found == seq)
}
