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

/// From which score on a text is about the question: it holds this part of it, by rarity.
pub const OPEN: f64 = 0.63;
/// What nearness in meaning, short of the threshold, adds.
const MEANING: f64 = 0.3;
/// What each further word adds that a text shares, up to two: chance seldom brings three rare words together.
const FURTHER: f64 = 0.12;
/// What a question of three words and more is given that shares one: one message seldom holds the whole of it.
const LONG: f64 = 0.15;
/// A word counts as shared if this part of its terms is, and as rare if it is this part as rare as one that no text has.
const SHARED: f64 = 0.5;
const RARE: f64 = 0.3;

/// What a question is about, with the weight of each word among the texts that were searched.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    words: Vec<Word>,
    total: f64,
    /// The weight of a word that no text has.
    rarest: f64,
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
        Self { words, total, rarest: rarity(&String::new()) }
    }

    /// How much a text is about the question: about 0 to 1, and [`OPEN`] or more if it is. `nearness` is 0 for a text
    /// as near as any, and 1 at the model's threshold.
    pub fn score(&self, text: &str, nearness: f32) -> f64 {
        let nearness = f64::from(nearness);
        if nearness >= 1.0 {
            return nearness;
        }
        if self.total <= 0.0 {
            return 0.0;
        }
        let has: BTreeSet<String> = indexed_words(text).into_iter().collect();
        let (mut held, mut shared) = (0.0, 0);
        for word in &self.words {
            let all: f64 = word.terms.iter().map(|(_, rarity)| rarity).sum();
            let found = word.terms.iter().filter(|(term, _)| has.contains(term)).map(|(_, rarity)| rarity);
            let part = if all > 0.0 { found.sum::<f64>() / all } else { 0.0 };
            held += word.weight * part;
            shared += i32::from(part >= SHARED && word.weight > RARE * self.rarest);
        }
        if held <= 0.0 {
            return 0.0;
        }
        let long = if self.words.len() >= 3 && shared >= 1 { LONG } else { 0.0 };
        held / self.total + MEANING * nearness.max(0.0) + FURTHER * f64::from((shared - 1).clamp(0, 2)) + long
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, MessageFilter, Query};
    use crate::store::sql::Sql;
    use crate::{id::ThreadId, time::Millis};

    fn opens(texts: &[&str], question: &str, nearness: f32) -> bool {
        let sql = Sqlite::memory();
        for schema in [index::SCHEMA, crate::store::embeddings::SCHEMA, crate::store::settings::SCHEMA] {
            sql.exec(schema, &[]).unwrap();
        }
        for (n, text) in (1..).zip(texts) {
            index::put_message(&sql, n, &ThreadId::main(), Millis(n), text).unwrap();
        }
        let found =
            index::search_messages(&sql, &Query::of(question), &MessageFilter::default(), 50).unwrap();
        let gate = Gate::of(question, &found);
        texts.iter().any(|text| gate.score(text, nearness) >= OPEN)
    }

    const SAID: &[&str] = &[
        "No satay for me please, I'm allergic to peanuts",
        "My favourite author is Ursula Le Guin",
        "住宅ローンは固定金利2.1パーセントです",
        "エスプレッソは砂糖なしで飲みます",
        "My sister teaches mathematics in Oslo",
    ];

    #[test]
    fn a_text_that_holds_what_a_question_is_about_opens() {
        for question in [
            "Am I allergic to anything?",
            "Who is my favourite author?",
            "住宅ローンの金利は？",
            "エスプレッソに砂糖は入れる？",
            "What does my sister teach in Oslo?",
        ] {
            assert!(opens(SAID, question, 0.0), "{question}");
        }
    }

    #[test]
    fn a_shared_word_beside_one_that_nothing_has_stays_closed() {
        for question in [
            "Which peanuts grow in Georgia?",
            "What is my favourite film?",
            "銀行の金利政策を説明して",
            "What is my sister's address?",
            "",
            "それは？",
            "👍",
        ] {
            assert!(!opens(SAID, question, 0.0), "{question}");
        }
    }

    #[test]
    fn meaning_opens_at_its_threshold_and_helps_below_it() {
        assert!(!opens(SAID, "Which author is the best?", 0.2));
        assert!(opens(SAID, "Which nut is dangerous?", 1.0));
        assert!(!opens(SAID, "Which nut is dangerous?", 0.9));
        assert!(opens(SAID, "Which author is the best?", 0.95));
    }
}
