//! Whether what is remembered is about what a question is about.
//!
//! An index always has a best hit, so being the best proves nothing. A text is about a question if it holds much of
//! what the question is about, each word counted by how rare it is; a word that no text has counts most, because a
//! question about something that was never mentioned is a question about something else. Chance brings one word of
//! one, and hardly three of six: so the part that must be held falls with the square root of the number of words. A
//! name says more than other words, whether it is known here or not. Or a text is near in meaning, as near as the
//! embedding model's threshold says. Deliberate absence: no score of the fused order. It tells which text is better,
//! never whether any is good.

use super::when::When;
use crate::sorted::SortedSet;
use crate::store::index::Found;
use crate::text::names::names_in;
use crate::text::search::{Terms, telling_words};

/// From which score on a text is about the question.
pub const OPEN: f64 = 1.0;
/// Enough where something else that is remembered is about the question.
pub const AJAR: f64 = 0.75;
/// More words than this make no difference.
const MOST_WORDS: usize = 6;
/// What is added where a text holds all but a tenth of the question.
const WHOLE: f64 = 0.15;
/// What nearness in meaning, short of the threshold, adds.
const MEANING: f64 = 0.6;
/// A word that none of five texts has is no rarer than one that none of a hundred has.
const FEW: f64 = 100.0;
/// What a name that some text has adds, and what one that none has takes away.
const KNOWN_NAME: f64 = 0.35;
const UNKNOWN_NAME: f64 = 0.5;

/// What a question is about, with the weight of each word among the texts that were searched.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    words: Vec<Word>,
    total: f64,
    /// What the question's names say of it, whatever the text.
    named: f64,
}

#[derive(Clone, Debug)]
struct Word {
    terms: Vec<(String, f64)>,
    weight: f64,
}

impl Gate {
    pub fn of<Id>(asked: &When, found: &Found<Id>) -> Self {
        let with = |term: &String| found.frequencies.get(term).copied().unwrap_or(0);
        let rarity = |term: &String| {
            let (all, with) = ((found.total as f64).max(FEW), with(term) as f64);
            (1.0 + (all - with).max(0.0) / (with + 0.5)).ln()
        };
        let names: SortedSet<Vec<String>> =
            names_in(&asked.question).into_iter().flat_map(|name| telling_words(&name)).collect();
        let (mut words, mut known, mut unknown) = (Vec::new(), false, false);
        for terms in telling_words(&asked.rest) {
            if names.contains(&terms) {
                let is_known = terms.iter().all(|term| with(term) > 0);
                known |= is_known;
                unknown |= !is_known;
            }
            let terms: Vec<(String, f64)> =
                terms.into_iter().map(|term| (term.clone(), rarity(&term))).collect();
            let weight = terms.iter().map(|(_, rarity)| rarity).sum::<f64>() / terms.len().max(1) as f64;
            words.push(Word { terms, weight });
        }
        let total = words.iter().map(|word| word.weight).sum();
        let named = if known { KNOWN_NAME } else { 0.0 } - if unknown { UNKNOWN_NAME } else { 0.0 };
        Self { words, total, named }
    }

    /// Whether the question names nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The part of the question that a text holds, 0 to 1.
    pub fn held(&self, text: &Terms) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let held = self.words.iter().map(|word| {
            let all: f64 = word.terms.iter().map(|(_, rarity)| rarity).sum();
            let found = word.terms.iter().filter(|(term, _)| text.has(term)).map(|(_, rarity)| rarity);
            if all > 0.0 { word.weight * found.sum::<f64>() / all } else { 0.0 }
        });
        held.sum::<f64>() / self.total
    }

    /// How much a text that holds this part of the question is about it: [`OPEN`] or more if it is. `nearness` is 0 for
    /// a text as near as any, and 1 at the model's threshold.
    pub fn score(&self, held: f64, nearness: f32) -> f64 {
        let nearness = f64::from(nearness);
        if nearness >= 1.0 {
            return OPEN * nearness;
        }
        if held <= 0.0 {
            return 0.0;
        }
        let words = self.words.len().min(MOST_WORDS) as f64;
        let whole = if held >= 0.9 { WHOLE } else { 0.0 };
        held * words.sqrt() + whole + MEANING * nearness.max(0.0) + self.named
    }

    /// The score of a text.
    pub fn score_of(&self, text: &Terms, nearness: f32) -> f64 {
        if nearness >= 1.0 { self.score(0.0, nearness) } else { self.score(self.held(text), nearness) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, MessageFilter, Query};
    use crate::{id::ThreadId, time::Millis};

    fn opens(texts: &[&str], question: &str, nearness: f32) -> bool {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, crate::time::Millis(1)).unwrap();
        for (n, text) in (1..).zip(texts) {
            index::put_message(&sql, n, &ThreadId::main(), Millis(n), text).unwrap();
        }
        let found =
            index::search_messages(&sql, &Query::of(question), &MessageFilter::default(), 50).unwrap();
        let gate = Gate::of(&When::whole(question), &found);
        texts.iter().any(|text| gate.score_of(&Terms::of(text), nearness) >= OPEN)
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
    fn a_part_is_enough_of_a_long_question_and_a_name_that_nobody_mentioned_closes_it() {
        for question in [
            "How long has my sister been working as a mathematics teacher in Oslo?",
            "住宅ローンの固定金利は来年どうなる予定だった？",
        ] {
            assert!(opens(SAID, question, 0.0), "{question}");
        }
        let long = "Does my sister teach mathematics at the school of";
        assert!(opens(SAID, &format!("{long} Oslo?"), 0.0));
        assert!(!opens(SAID, "Does my sister live with Gregory Peck?", 0.0));
        assert!(!opens(SAID, "高橋さんの住宅はどこ？", 0.0));
    }

    #[test]
    fn meaning_opens_at_its_threshold_and_helps_below_it() {
        assert!(!opens(SAID, "Which author is the best?", 0.2));
        assert!(opens(SAID, "Which nut is dangerous?", 1.0));
        assert!(!opens(SAID, "Which nut is dangerous?", 0.9));
        assert!(opens(SAID, "Which author is the best?", 0.95));
    }
}
