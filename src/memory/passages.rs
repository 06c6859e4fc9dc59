//! Chooses the messages of the archive that a question is answered from.
//!
//! A question about something else injects nothing: unless some message is about the question (`gate`), there are no
//! passages, and then only those that share a rare word, are near in meaning, or stand beside one that does. A message
//! lends a part of its score to its neighbours, because an answer seldom repeats the words of what it answers.

use crate::sorted::{SortedMap, SortedSet};
use std::ops::Range;

use super::gate::{Gate, OPEN};
use super::rank::{
    GRAM_WEIGHT, HELD_WEIGHT, LENT_AFTER, LENT_BEFORE, List, VECTOR_WEIGHT, fuse, ordered, weight_of,
};
use crate::store::index::{Found, Hit, Neighbours};
use crate::text::search::indexed_words;
use crate::time::Millis;

/// Hits of a list that lend to their neighbours; the rest is noise.
pub const LENDERS: usize = 60;
/// Hits that are asked whether they are about the question.
const ASKED: usize = 30;
/// A message at least this near comes along once another one is about the question.
const NEARLY: f32 = 0.4;
/// A message of more tokens speaks for itself, and lends less.
const TALK: f64 = 40.0;
/// By how much more counts what was said in the time that the question asks about.
const THEN: f64 = 2.0;
/// Near-equal texts share this part of their words; a greeting that came twice is one passage.
const NEAR_EQUAL: f64 = 0.8;

/// The messages to look up neighbours of: the best of all lists.
pub fn lenders(found: &Found<i64>, near: &[(i64, f32)]) -> Vec<i64> {
    let best = |list: &[Hit<i64>]| list.iter().take(LENDERS).map(|hit| hit.id).collect::<Vec<_>>();
    let near = near.iter().take(LENDERS).filter(|(_, nearness)| *nearness >= 1.0).map(|(id, _)| *id);
    let all: SortedSet<i64> =
        best(&found.by_words).into_iter().chain(best(&found.by_grams)).chain(near).collect();
    all.into_iter().collect()
}

/// How much any message is about the question. `near` are nearnesses, best first: 0 is as near as any, 1 near enough.
pub fn about(gate: &Gate, found: &Found<i64>, near: &[(i64, f32)]) -> f64 {
    let nearest = near.first().map_or(0.0, |(_, nearness)| *nearness);
    if nearest >= 1.0 {
        return OPEN * f64::from(nearest);
    }
    let nearness =
        |id: i64| near.iter().find(|(known, _)| *known == id).map_or(0.0, |(_, nearness)| *nearness);
    let scores =
        found.by_words.iter().take(ASKED).map(|hit| gate.score_of(&hit.known.terms, nearness(hit.id)));
    scores.fold(0.0, f64::max)
}

/// The places of the messages worth giving, best first, with scores, once it is known that some are. `then` are the
/// times that the question asks about.
pub fn rank(
    gate: &Gate,
    found: &Found<i64>,
    neighbours: &[Neighbours],
    near: &[(i64, f32)],
    then: &[Range<Millis>],
) -> Vec<(i64, f64)> {
    let hits = |list: &[Hit<i64>]| list.iter().map(|hit| (hit.id, hit.score)).collect();
    let own = fuse(&[
        List { hits: hits(&found.by_words), weight: 1.0 },
        List {
            hits: found.by_words.iter().map(|hit| (hit.id, gate.held(&hit.known.terms))).collect(),
            weight: HELD_WEIGHT,
        },
        List { hits: hits(&found.by_grams), weight: GRAM_WEIGHT },
        List { hits: near.iter().map(|(id, near)| (*id, weight_of(*near))).collect(), weight: VECTOR_WEIGHT },
    ]);
    let sharing: SortedSet<i64> = found
        .by_words
        .iter()
        .chain(&found.by_grams)
        .filter(|hit| hit.rare_term_shared)
        .map(|hit| hit.id)
        .chain(near.iter().filter(|(_, nearness)| *nearness >= NEARLY).map(|(id, _)| *id))
        .collect();
    let lenders: SortedSet<i64> = lenders(found, near).into_iter().collect();
    let tokens: SortedMap<i64, u32> =
        found.by_words.iter().chain(&found.by_grams).map(|hit| (hit.id, hit.known.tokens)).collect();
    let mut open = sharing.clone();
    let mut scores: SortedMap<i64, f64> = own.clone();
    for around in neighbours.iter().filter(|around| lenders.contains(&around.doc)) {
        let Some(score) = own.get(&around.doc) else { continue };
        let tokens = tokens.get(&around.doc).copied().unwrap_or(0);
        let short = (TALK / f64::from(tokens).max(TALK)).powi(2);
        let after = around.after.iter().zip(LENT_AFTER);
        for (other, part) in after.chain(around.before.iter().zip(LENT_BEFORE)) {
            *scores.or_default(*other) += score * part * short;
            if sharing.contains(&around.doc) {
                open.insert(*other);
            }
        }
    }
    for around in neighbours {
        if then.iter().any(|then| then.contains(&around.said_at))
            && let Some(score) = scores.get_mut(&around.doc)
        {
            *score *= THEN;
        }
    }
    ordered(&scores).into_iter().filter(|(id, _)| open.contains(id)).collect()
}

/// The texts that were taken so far, by their words, to leave out near-equal ones.
#[derive(Default)]
pub struct Taken(Vec<Words>);

#[derive(Debug)]
struct Words {
    all: SortedSet<String>,
    /// Numbers and dates tell otherwise equal texts apart.
    numbers: Vec<String>,
}

impl Taken {
    /// Takes a text unless one like it was taken. A text without words is compared by nobody.
    pub fn take(&mut self, text: &str) -> bool {
        let all: SortedSet<String> = indexed_words(text).into_iter().collect();
        let numbers = all.iter().filter(|word| word.chars().any(char::is_numeric)).cloned().collect();
        let words = Words { all, numbers };
        let is_new = !words.all.is_empty() && !self.0.iter().any(|known| known.is_like(&words));
        if is_new {
            self.0.push(words);
        }
        is_new
    }
}

impl Words {
    fn is_like(&self, other: &Self) -> bool {
        let (few, many) = (self.all.len().min(other.all.len()), self.all.len().max(other.all.len()));
        if (few as f64) < NEAR_EQUAL * many as f64 || self.numbers != other.numbers {
            return false;
        }
        let shared = self.all.intersection(&other.all).count();
        shared as f64 >= NEAR_EQUAL * (few + many - shared) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;
    use crate::id::ThreadId;
    use crate::memory::when::when;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, MessageFilter, Query};

    fn ask(messages: &[(&str, &str)], question: &str) -> Vec<i64> {
        ask_of(messages, question, &[])
    }

    /// Message `n` was said at instant `n`.
    fn ask_of(messages: &[(&str, &str)], question: &str, then: &[Range<Millis>]) -> Vec<i64> {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(1)).unwrap();
        for (n, (thread, text)) in (1..).zip(messages) {
            index::put_message(&sql, n, &ThreadId::parse(thread).unwrap(), Millis(n), text).unwrap();
        }
        let found =
            index::search_messages(&sql, &Query::of(question), &MessageFilter::default(), 50).unwrap();
        let asked = when(question, Date::new(2026, 11, 30).unwrap());
        let gate = Gate::of(&asked, &found);
        if about(&gate, &found, &[]) < OPEN {
            return Vec::new();
        }
        let around = index::neighbours(&sql, &lenders(&found, &[])).unwrap();
        rank(&gate, &found, &around, &[], then).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn the_answer_to_a_matching_message_is_found_with_it_but_not_across_threads() {
        let messages = [
            ("main", "What is your hamster called?"),
            ("th_2", "Good morning"),
            ("main", "Mochi, after the rice cake"),
            ("main", "Nice weather"),
        ];
        assert_eq!(ask(&messages, "the name of the hamster"), [1, 3, 4]);
    }

    #[test]
    fn what_was_said_in_the_time_that_is_asked_about_comes_first() {
        let messages = [
            ("main", "Dinner with Anna was lovely"),
            ("th_2", "Good morning"),
            ("th_3", "アンナと大阪で夕食を食べた"),
            ("th_4", "Again a dinner with Anna in the harbour"),
            ("th_5", "アンナと港で夕食を食べた"),
        ];
        let first = |question: &str, at: i64| ask_of(&messages, question, &[Millis(at)..Millis(at + 1)])[0];
        assert_eq!(first("How was the dinner with Anna last week?", 4), 4);
        assert_eq!(first("How was the dinner with Anna last week?", 1), 1);
        assert_eq!(first("先週アンナと食べた夕食は？", 3), 3);
        assert_eq!(first("先週アンナと食べた夕食は？", 5), 5);
    }

    #[test]
    fn a_question_about_something_else_recalls_nothing() {
        let messages = [("main", "昨日は大阪で友達と寿司を食べた"), ("main", "I moved to Kyoto in May")];
        assert!(ask(&messages, "量子力学とは何ですか").is_empty());
        assert!(ask(&messages, "How does photosynthesis work?").is_empty());
        assert_eq!(ask(&messages, "大阪で何を食べた？")[0], 1);
    }

    #[test]
    fn near_equal_texts_are_one_passage_and_another_number_is_another() {
        let mut taken = Taken::default();
        assert!(taken.take("The dentist is on Friday at four in the old town"));
        assert!(!taken.take("the dentist is on friday at FOUR in the old town!"));
        assert!(!taken.take("The dentist is on Friday, at four, in our old town"));
        assert!(taken.take("犬の散歩は毎朝7時です"));
        assert!(taken.take("犬の散歩は毎朝8時です"));
        assert!(!taken.take("犬の散歩は毎朝８時です。"));
        assert!(!taken.take("👍"));
    }
}
