//! Whether what is remembered is about what a question is about.
//!
//! An index always has a best hit, so being the best proves nothing. A text is about a question if it holds most of
//! what the question is about, each word counted by how rare it is; a word that no text has counts most, because a
//! question about something that was never mentioned is a question about something else. Or if it is near in meaning,
//! as near as the embedding model's threshold says. Deliberate absence: no score of the fused order. It tells which
//! text is better, never whether any is good.

use std::collections::BTreeSet;

use crate::store::index::Found;
use crate::text::search::{indexed_words, telling_words};

/// The part of a question, by rarity, that a text must hold where meaning says nothing.
const COVERED: f64 = 0.62;
/// The same where the text is nearly near enough in meaning.
const COVERED_WITH_MEANING: f64 = 0.3;
/// How much of the model's threshold that is.
const HALF_NEAR: f32 = 0.85;

/// What a question is about, with the weight of each word among the texts that were searched.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    words: Vec<Word>,
    total: f64,
}

#[derive(Clone, Debug)]
struct Word {
    terms: Vec<(String, f64)>,
    weight: f64,
}

impl Gate {
    pub fn of<Id>(question: &str, found: &Found<Id>) -> Self {
        let rarity = |term: &String| {
            let (all, with) = (found.total as f64, found.frequencies.get(term).copied().unwrap_or(0) as f64);
            (1.0 + (all - with).max(0.0) / (with + 0.5)).ln()
        };
        let words: Vec<Word> = telling_words(question)
            .into_iter()
            .map(|terms| {
                let terms: Vec<(String, f64)> =
                    terms.into_iter().map(|term| (term.clone(), rarity(&term))).collect();
                let weight = terms.iter().map(|(_, rarity)| rarity).sum::<f64>() / terms.len().max(1) as f64;
                Word { terms, weight }
            })
            .collect();
        let total = words.iter().map(|word| word.weight).sum();
        Self { words, total }
    }

    /// The part of the question that a text holds, 0 to 1, each word by its rarity.
    pub fn coverage(&self, text: &str) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let has: BTreeSet<String> = indexed_words(text).into_iter().collect();
        let held = self.words.iter().map(|word| {
            let all: f64 = word.terms.iter().map(|(_, rarity)| rarity).sum();
            let held: f64 =
                word.terms.iter().filter(|(term, _)| has.contains(term)).map(|(_, rarity)| rarity).sum();
            if all > 0.0 { word.weight * held / all } else { 0.0 }
        });
        held.sum::<f64>() / self.total
    }

    pub fn shared(&self, text: &str) -> Vec<(f64, f64)> {
        let has: BTreeSet<String> = indexed_words(text).into_iter().collect();
        self.words.iter().map(|word| {
            let all: f64 = word.terms.iter().map(|(_, rarity)| rarity).sum();
            let held: f64 = word.terms.iter().filter(|(term, _)| has.contains(term)).map(|(_, rarity)| rarity).sum();
            (word.weight, if all > 0.0 { held / all } else { 0.0 })
        }).collect()
    }

    /// Whether a text is about the question. `nearness` is its cosine as a part of the model's threshold.
    pub fn opens(&self, text: &str, nearness: f32) -> bool {
        nearness >= 1.0 || {
            let covered = self.coverage(text);
            covered >= COVERED || (nearness >= HALF_NEAR && covered >= COVERED_WITH_MEANING)
        }
    }
}
