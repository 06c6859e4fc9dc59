//! Recall: the facts and passages that a question is answered with, from the object alone.

use super::Session;
use super::ports::Ports;
use crate::chat::protocol::{WireFact, WirePassage};
use crate::config::Provider;
use crate::id::{FactId, ThreadId};
use crate::llm::Role;
use crate::llm::table::{self, MODEL as EMBEDDED};
use crate::memory::model::{Fact, Status};
use crate::memory::passages;
use crate::memory::query::wants;
use crate::memory::recall::{Evidence, choose};
use crate::store::index::{self, MessageFilter, Query};
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::{embeddings, facts, messages, tombstones};
use crate::text::fold::fold;

/// Facts read whatever the question: if they are all there are and all fit, nothing is left out. More never fit.
const CONSIDERED: u32 = 64;
/// Passages of one prompt at most.
pub(super) const MAX_PASSAGES: usize = 6;
/// Facts that one recall embeds at most, if an import left many without a vector.
const EMBEDDED_AT_ONCE: u32 = 50;
/// Facts near in meaning that are looked at.
const NEAR: usize = 50;

/// What a question recalls, best first.
#[derive(Default)]
pub(super) struct Recalled {
    pub facts: Vec<(Fact, f64)>,
    pub passages: Vec<(Message, f64)>,
}

impl<P: Ports> Session<P> {
    /// What a question recalls in a thread. Messages from `shown_from` on are in the prompt anyway.
    pub(super) fn recall(
        &self,
        question: &str,
        thread: &ThreadId,
        shown_from: Option<i64>,
        most_passages: usize,
    ) -> Result<Recalled, StoreError> {
        let sql = self.ports.sql();
        let query = Query::by_words(question);
        let wants = wants(question);
        let keywords = index::search_facts(sql, &query, 50)?;
        let vectors = self.near_facts(question)?;
        let many = facts::exceed(sql, CONSIDERED)?;
        let mut candidates = if many && !wants.list {
            facts::pinned(sql, CONSIDERED)?
        } else {
            facts::current(sql, CONSIDERED)?
        };
        let ids: std::collections::BTreeSet<FactId> = keywords
            .by_words
            .iter()
            .chain(&keywords.by_grams)
            .map(|hit| &hit.id)
            .chain(vectors.iter().map(|(id, _)| id))
            .cloned()
            .collect();
        let ids: Vec<FactId> = ids.into_iter().collect();
        let mut found = facts::by_ids(sql, &ids)?;
        if wants.past {
            let past = facts::Filter { status: Some(Status::Past), ..Default::default() };
            found.extend(facts::list(sql, &past, None, 50)?);
        }
        for fact in found {
            if !candidates.iter().any(|known| known.id == fact.id) {
                candidates.push(fact);
            }
        }
        let evidence = Evidence { keywords: &keywords, vectors: &vectors, model: EMBEDDED, many };
        let budget = self.config.limits.memory_prompt_tokens * 6 / 10;
        let recalled = choose(wants, thread, candidates, &evidence, budget);
        let recalled = recalled.into_iter().map(|chosen| (chosen.fact, chosen.score)).collect();
        let passages = self.passages(&query, shown_from, most_passages)?;
        Ok(Recalled { facts: recalled, passages })
    }

    /// The facts nearest in meaning, by the built-in table; what isn't embedded yet is embedded on the way.
    fn near_facts(&self, question: &str) -> Result<Vec<(FactId, f32)>, StoreError> {
        if self.config.embedding != Provider::Embedded {
            return Ok(Vec::new());
        }
        let sql = self.ports.sql();
        let state = index::facts_state(sql)?;
        let mut vectors = self.vectors.borrow_mut();
        if !vectors.are_of(state) {
            let missing = embeddings::missing(sql, EMBEDDED, EMBEDDED_AT_ONCE)?;
            for (id, text) in &missing {
                embeddings::put(sql, id, EMBEDDED, &table::embed(text))?;
            }
            vectors.read(sql, state)?;
            if missing.len() == EMBEDDED_AT_ONCE as usize {
                // There may be more without one.
                let found = vectors.nearest(&table::embed(question), NEAR);
                vectors.forget();
                return Ok(found);
            }
        }
        Ok(vectors.nearest(&table::embed(question), NEAR))
    }

    /// Messages that share a rare word with the question, and what answered them; others inject nothing.
    fn passages(
        &self,
        query: &Query,
        shown_from: Option<i64>,
        most: usize,
    ) -> Result<Vec<(Message, f64)>, StoreError> {
        let sql = self.ports.sql();
        let found = index::search_messages(sql, query, &MessageFilter::default(), 100)?;
        let around = index::neighbours(sql, &passages::lenders(&found))?;
        let mut ranked = passages::rank(&found, &around, &[]);
        ranked.retain(|(seq, _)| shown_from.is_none_or(|from| *seq < from));
        let forgetful = tombstones::are_any(sql)?;
        let mut passages: Vec<(Message, f64)> = Vec::new();
        for some in ranked.chunks(2 * most.max(1)) {
            let places: Vec<i64> = some.iter().map(|(seq, _)| *seq).collect();
            let mut read = messages::at(sql, &places)?;
            for (seq, score) in some {
                if passages.len() == most {
                    return Ok(passages);
                }
                if let Some(message) = read.iter().position(|m| m.seq == *seq).map(|at| read.swap_remove(at))
                    && !(forgetful && self.is_forgotten(&message.text, message.created_at)?)
                    && !passages.iter().any(|(known, _)| fold(&known.text) == fold(&message.text))
                {
                    passages.push((message, *score));
                }
            }
        }
        Ok(passages)
    }

    pub(super) fn passage(&self, message: &Message, score: f64) -> Result<WirePassage, StoreError> {
        // Only what was imported had another id elsewhere, and it belongs to no turn.
        let imported = message.turn.is_none();
        let external_id = if imported { messages::external_id(self.ports.sql(), &message.id)? } else { None };
        Ok(WirePassage {
            message: message.id.to_string(),
            external_id,
            thread: message.thread.to_string(),
            role: match message.role {
                Role::User => "user",
                Role::Assistant | Role::System => "assistant",
            },
            text: message.text.clone(),
            said_at: message.created_at.to_rfc3339(),
            score,
        })
    }
}

pub(super) fn scored(fact: &Fact, score: f64) -> WireFact {
    WireFact { score: Some(score), ..WireFact::of(fact) }
}
