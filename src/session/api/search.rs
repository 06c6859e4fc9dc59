//! Searching facts by what they say and by what they mean.
//!
//! Invariant: a listed fact shares a word or most of its spelling with what was asked, or is near it in meaning as
//! the embedding model counts near. An index always has a nearest vector, so its answers are never listed for being
//! nearest alone. An index that is late or down only takes its hits away, and the answer says so.

use serde_json::json as object;

use super::{Answer, json};
use crate::http::query::{FactsQuery, Match};
use crate::id::FactId;
use crate::llm::embeddings::Purpose;
use crate::memory::model::Fact;
use crate::memory::rank::{GRAM_WEIGHT, List, VECTOR_WEIGHT, fuse};
use crate::mirror::page;
use crate::mirror::vectors::nearest;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::facts;
use crate::store::index::{self, Hit, Query};
use crate::text::search::{asked_grams, indexed_grams};

/// Hits that one list gives.
const HITS: usize = 200;
/// Facts that the index of meanings is asked for: it gives no more than a hundred, and each old version takes a place.
const NEAREST: usize = 50;
/// Who asks for meaning alone wants to see what is only half near too: this much of the nearness that mixed
/// searches and prompts ask for.
const HALF_NEAR: f32 = 0.7;
/// The part of a word's trigrams that another must have to be taken for it misspelt. Words with the same ending
/// share up to four of seven.
const SPELLING_SHARED: f64 = 0.6;

impl<P: Ports> Session<P> {
    /// `match=hybrid` and `match=semantic`, best first, on one page.
    pub(super) async fn search_facts(&self, q: &str, query: &FactsQuery) -> Answer {
        let is_hybrid = query.matching == Match::Hybrid;
        let near = self.recall_threshold() * if is_hybrid { 1.0 } else { HALF_NEAR };
        let meant = self.nearest_facts(q, near).await;
        let is_degraded = meant.is_none();
        let mut lists = vec![List { hits: meant.unwrap_or_default(), weight: VECTOR_WEIGHT }];
        if is_hybrid || is_degraded {
            lists.extend(self.spelt_like(q, query)?);
        }
        let scores = fuse(&lists);
        let ids: Vec<FactId> = scores.keys().cloned().collect();
        let asked = asked(String::new(), query);
        let mut found: Vec<(Fact, f64)> = facts::by_ids(self.ports.sql(), &ids)?
            .into_iter()
            .filter(|fact| page::is_match(fact, &asked))
            .map(|fact| {
                let score = scores.get(&fact.id).copied().unwrap_or(0.0);
                (fact, score)
            })
            .collect();
        crate::order::by(&mut found, |(a, a_score), (b, b_score)| {
            b_score.total_cmp(a_score).then(b.created_at.cmp(&a.created_at)).then(a.id.cmp(&b.id))
        });
        let mut list = Vec::new();
        for (fact, score) in found.iter().take(query.limit) {
            let mut wire = self.wire_fact(fact)?;
            wire.score = Some(*score);
            list.push(wire);
        }
        let source = if is_degraded { "keyword" } else { "vectorize" };
        json(200, &object!({"facts": list, "next_cursor": null, "source": source}))
    }

    /// Hits of the object's own index, and those of keyword search, which also finds the beginnings of words.
    fn spelt_like(&self, q: &str, query: &FactsQuery) -> Result<[List<FactId>; 3], super::Refused> {
        let found = index::search_facts(self.ports.sql(), &Query::of(q), HITS as u32)?;
        let place = |hit: Hit<FactId>| (hit.id, hit.score);
        let ids: Vec<FactId> = found.by_grams.iter().map(|hit| hit.id.clone()).collect();
        let mut like = facts::by_ids(self.ports.sql(), &ids)?;
        like.retain(|fact| is_spelt_like(q, &fact.text));
        let by_keyword = self.own_page(&asked(q.to_owned(), query))?.facts;
        Ok([
            List { hits: found.by_words.into_iter().map(place).collect(), weight: 1.0 },
            List {
                hits: found
                    .by_grams
                    .into_iter()
                    .filter(|hit| like.iter().any(|fact| fact.id == hit.id))
                    .map(place)
                    .collect(),
                weight: GRAM_WEIGHT,
            },
            List { hits: by_keyword.into_iter().map(|fact| (fact.id, 1.0)).collect(), weight: 1.0 },
        ])
    }

    /// The facts at least this near in meaning, best first; `None` if the index can't tell.
    async fn nearest_facts(&self, q: &str, near: f32) -> Option<Vec<(FactId, f64)>> {
        let index = self.ports.vectors()?;
        let vectors = self.embed(&[q], Purpose::Query).await.ok()?;
        let found = nearest(self.ports.sql(), index, &self.owner, vectors.first()?, NEAREST).await.ok()?;
        let near_enough = found.into_iter().filter(|(_, score)| *score >= near);
        Some(near_enough.map(|(id, score)| (id, f64::from(score))).collect())
    }
}

/// The first page of a keyword search with the filters of this query.
fn asked(q: String, query: &FactsQuery) -> page::Query {
    page::Query {
        q,
        status: query.status,
        kind: query.kind,
        thread: query.thread.clone(),
        since: query.since,
        until: query.until,
        after: None,
        limit: HITS,
    }
}

/// Whether some word of the question is spelt much like one word of the text; trigrams from several words of a text
/// can make up a word that it doesn't have.
fn is_spelt_like(question: &str, text: &str) -> bool {
    let words = |text: &str, grams: fn(&str) -> Vec<String>| -> Vec<Vec<String>> {
        text.split(|c: char| !c.is_alphanumeric()).map(grams).filter(|grams| !grams.is_empty()).collect()
    };
    let has = words(text, indexed_grams);
    words(question, asked_grams).iter().any(|asked| {
        has.iter().any(|word| {
            let shared = asked.iter().filter(|gram| word.contains(gram)).count();
            shared as f64 >= asked.len() as f64 * SPELLING_SHARED
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_is_found_and_one_with_the_same_ending_is_not() {
        for (question, text) in [
            ("guitarr", "Plays the guitar"),
            ("Yokohma", "Works in Yokohama"),
            ("コンピュータ", "コンピューターが好き"),
        ] {
            assert!(is_spelt_like(question, text), "{question} in {text}");
        }
        for (question, text) in [
            ("running", "Enjoys singing"),
            ("cat", "Starts at nine"),
            ("station", "Studied education"),
            ("飼っている", "使っている"),
        ] {
            assert!(!is_spelt_like(question, text), "{question} in {text}");
        }
    }
}
