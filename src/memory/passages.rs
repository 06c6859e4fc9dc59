//! Chooses the messages of the archive that a question is answered from.
//!
//! A message that shares nothing rare with the question, and follows or precedes none that does, is never recalled:
//! a question about something else injects nothing. A message lends a part of its score to its neighbours, because
//! an answer seldom repeats the words of what it answers.

use std::collections::{BTreeMap, BTreeSet};

use super::rank::{GRAM_WEIGHT, LENT_AFTER, LENT_BEFORE, List, VECTOR_WEIGHT, fuse, ordered};
use crate::store::index::{Found, Hit, Neighbours};

/// Hits of a list that lend to their neighbours; the rest is noise.
pub const LENDERS: usize = 60;

/// The messages to look up neighbours of: the best of both lists.
pub fn lenders(found: &Found<i64>) -> Vec<i64> {
    let best = |list: &[Hit<i64>]| list.iter().take(LENDERS).map(|hit| hit.id).collect::<Vec<_>>();
    let all: BTreeSet<i64> = best(&found.by_words).into_iter().chain(best(&found.by_grams)).collect();
    all.into_iter().collect()
}

/// The places of the messages worth giving, best first, with scores.
pub fn rank(found: &Found<i64>, neighbours: &[Neighbours], vectors: &[(i64, f32)]) -> Vec<(i64, f64)> {
    let hits = |list: &[Hit<i64>]| list.iter().map(|hit| (hit.id, hit.score)).collect();
    let own = fuse(&[
        List { hits: hits(&found.by_words), weight: 1.0 },
        List { hits: hits(&found.by_grams), weight: GRAM_WEIGHT },
        List { hits: vectors.iter().map(|(id, s)| (*id, f64::from(*s))).collect(), weight: VECTOR_WEIGHT },
    ]);
    let mut open: BTreeSet<i64> = found
        .by_words
        .iter()
        .chain(&found.by_grams)
        .filter(|hit| hit.rare_term_shared)
        .map(|hit| hit.id)
        .collect();
    let mut scores: BTreeMap<i64, f64> = own.clone();
    let sharing = open.clone();
    for around in neighbours {
        let Some(score) = own.get(&around.doc) else { continue };
        for (other, part) in [(around.after, LENT_AFTER), (around.before, LENT_BEFORE)] {
            if let Some(other) = other {
                *scores.entry(other).or_insert(0.0) += score * part;
                if sharing.contains(&around.doc) {
                    open.insert(other);
                }
            }
        }
    }
    ordered(&scores).into_iter().filter(|(id, _)| open.contains(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ThreadId;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, MessageFilter, Query};
    use crate::time::Millis;

    fn ask(messages: &[(&str, &str)], question: &str) -> Vec<i64> {
        let sql = Sqlite::memory();
        crate::store::sql::Sql::exec(&sql, index::SCHEMA, &[]).unwrap();
        for (n, (thread, text)) in (1..).zip(messages) {
            index::put_message(&sql, n, &ThreadId::parse(thread).unwrap(), Millis(n), text).unwrap();
        }
        let found =
            index::search_messages(&sql, &Query::of(question), &MessageFilter::default(), 50).unwrap();
        let around = index::neighbours(&sql, &lenders(&found)).unwrap();
        rank(&found, &around, &[]).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn the_answer_to_a_matching_message_is_found_with_it_but_not_across_threads() {
        let messages = [
            ("main", "What is your hamster called?"),
            ("th_2", "Good morning"),
            ("main", "Mochi, after the rice cake"),
            ("main", "Nice weather"),
        ];
        assert_eq!(ask(&messages, "the name of the hamster"), [1, 3]);
    }

    #[test]
    fn a_question_about_something_else_recalls_nothing() {
        let messages = [("main", "昨日は大阪で友達と寿司を食べた"), ("main", "I moved to Kyoto in May")];
        assert!(ask(&messages, "量子力学とは何ですか").is_empty());
        assert!(ask(&messages, "How does photosynthesis work?").is_empty());
        assert_eq!(ask(&messages, "大阪で何を食べた？")[0], 1);
    }
}
