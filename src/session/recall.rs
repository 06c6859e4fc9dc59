//! Preparing a turn: what is recalled, and the prompt that carries it.

use serde_json::json;

use super::Session;
use super::ports::{Ports, To};
use crate::chat::prompt::{self, Input, Passage, Said};
use crate::chat::protocol::{ServerFrame, WireFact, WirePassage, WireQuery};
use crate::config::Provider;
use crate::id::{FactId, ThreadId};
use crate::llm::table::{self, MODEL as EMBEDDED};
use crate::llm::{Prompt, Role};
use crate::memory::model::{Fact, Status};
use crate::memory::passages;
use crate::memory::query::wants;
use crate::memory::recall::{Evidence, choose};
use crate::store::index::{self, MessageFilter, Query};
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::threads::Thread;
use crate::store::turns::Turn;
use crate::store::{embeddings, facts, messages, traces};
use crate::text::fold::fold;

/// Facts read before ranking; the newest and those that share words with the question.
const CONSIDERED: u32 = 400;
const MAX_PASSAGES: usize = 6;
/// Facts that one recall embeds at most, if an import left many without a vector.
const EMBEDDED_AT_ONCE: u32 = 50;

/// What a question recalls, best first.
#[derive(Default)]
pub(super) struct Recalled {
    pub facts: Vec<(Fact, f64)>,
    pub passages: Vec<(Message, f64)>,
}

impl<P: Ports> Session<P> {
    /// The prompt of a turn; tells the thread what it was given.
    #[expect(clippy::unused_async, reason = "embedding a question is a network call with most providers")]
    pub(super) async fn prepare(&self, turn: &Turn) -> Result<Prompt, StoreError> {
        let sql = self.ports.sql();
        let settings = self.settings()?;
        let question = messages::get(sql, &turn.user_message)?.ok_or(StoreError::Corrupt("question"))?;
        let thread = self.thread(&turn.thread)?.ok_or(StoreError::Corrupt("thread"))?;
        let reads = settings.memory_mode.reads() && !thread.temporary;
        let before = messages::before(sql, &turn.thread, question.seq, self.config.limits.recent_messages)?;
        let oldest_shown = before.first().map_or(question.seq, |message| message.seq);
        let recalled = if reads {
            self.recall(&question.text, &turn.thread, Some(oldest_shown), MAX_PASSAGES)?
        } else {
            Recalled::default()
        };
        let recent: Vec<Said> = before
            .iter()
            .map(|message| Said {
                role: message.role,
                text: message.text.clone(),
                excluded: message.excluded,
            })
            .collect();
        let given: Vec<Fact> = recalled.facts.iter().map(|(fact, _)| fact.clone()).collect();
        let passages: Vec<Passage> = recalled
            .passages
            .iter()
            .map(|(message, _)| Passage {
                text: message.text.clone(),
                role: message.role,
                said_at: message.created_at,
            })
            .collect();
        let built = prompt::build(
            &Input {
                question: &question.text,
                summary: summary_of(&thread, reads),
                facts: &given,
                passages: &passages,
                recent: &recent,
                timezone: &settings.timezone,
                now: self.ports.now(),
            },
            self.config.layout,
            &self.config.limits,
        );
        let facts: Vec<&(Fact, f64)> = built.facts.iter().filter_map(|&at| recalled.facts.get(at)).collect();
        let passages: Vec<&(Message, f64)> =
            built.passages.iter().filter_map(|&at| recalled.passages.get(at)).collect();
        if reads {
            let frame = ServerFrame::Recalled {
                turn: turn.id.as_str(),
                query: WireQuery { original: question.text.clone(), searched: question.text.clone() },
                facts: facts.iter().map(|(fact, score)| scored(fact, *score)).collect(),
                passages: passages.iter().map(|(message, score)| self.passage(message, *score)).collect(),
            };
            self.send(To::Thread(&turn.thread), &frame);
        }
        let dropped = built.dropped;
        let trace = json!({
            "facts": facts.iter().map(|(fact, score)| json!({"fact": fact.id, "score": score})).collect::<Vec<_>>(),
            "passages": passages
                .iter()
                .map(|(message, score)| json!({"message": message.id, "score": score}))
                .collect::<Vec<_>>(),
            "tokens": built.tokens,
            "dropped": {
                "facts": dropped.facts, "passages": dropped.passages, "recent": dropped.recent,
                "excluded": dropped.excluded, "summary_cut": dropped.summary_cut,
                "question_cut": dropped.question_cut,
            },
        });
        traces::put(sql, &turn.id, "recall", trace, self.ports.now())?;
        let max_tokens = self.config.limits.reply_max_tokens;
        Ok(Prompt { messages: built.messages, max_tokens, schema: None })
    }

    /// What a question recalls in a thread. Messages from `shown_from` on are in the prompt anyway.
    pub(super) fn recall(
        &self,
        question: &str,
        thread: &ThreadId,
        shown_from: Option<i64>,
        most_passages: usize,
    ) -> Result<Recalled, StoreError> {
        let sql = self.ports.sql();
        let query = Query::of(question);
        let keywords = index::search_facts(sql, &query, 50)?;
        let vectors = self.near_facts(question)?;
        let mut candidates = facts::current(sql, CONSIDERED)?;
        let ids: std::collections::BTreeSet<FactId> = keywords
            .by_words
            .iter()
            .chain(&keywords.by_grams)
            .map(|hit| &hit.id)
            .chain(vectors.iter().map(|(id, _)| id))
            .cloned()
            .collect();
        let ids: Vec<FactId> = ids.into_iter().collect();
        let past = facts::Filter { status: Some(Status::Past), ..Default::default() };
        for fact in facts::by_ids(sql, &ids)?.into_iter().chain(facts::list(sql, &past, None, 50)?) {
            if !candidates.iter().any(|known| known.id == fact.id) {
                candidates.push(fact);
            }
        }
        let evidence = Evidence { keywords: &keywords, vectors: &vectors, model: EMBEDDED };
        let budget = self.config.limits.memory_prompt_tokens / 2;
        let recalled = choose(wants(question), thread, candidates, &evidence, budget);
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
        for (id, text) in embeddings::missing(sql, EMBEDDED, EMBEDDED_AT_ONCE)? {
            embeddings::put(sql, &id, EMBEDDED, &table::embed(&text))?;
        }
        embeddings::nearest(sql, EMBEDDED, &table::embed(question), 50)
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
        let mut passages: Vec<(Message, f64)> = Vec::new();
        for (seq, score) in ranked {
            if passages.len() == most {
                break;
            }
            if let Some(message) = messages::by_seq(sql, seq)?
                && !message.excluded
                && !self.is_forgotten(&message.text, message.created_at)?
                && !passages.iter().any(|(known, _)| fold(&known.text) == fold(&message.text))
            {
                passages.push((message, score));
            }
        }
        Ok(passages)
    }

    pub(super) fn passage(&self, message: &Message, score: f64) -> WirePassage {
        WirePassage {
            message: message.id.to_string(),
            external_id: messages::external_id(self.ports.sql(), &message.id).ok().flatten(),
            thread: message.thread.to_string(),
            role: match message.role {
                Role::User => "user",
                Role::Assistant | Role::System => "assistant",
            },
            text: message.text.clone(),
            said_at: message.created_at.to_rfc3339(),
            score,
        }
    }
}

pub(super) fn scored(fact: &Fact, score: f64) -> WireFact {
    WireFact { score: Some(score), ..WireFact::of(fact) }
}

fn summary_of(thread: &Thread, reads: bool) -> &str {
    // A temporary thread's summary is its own context, not memory; with memory off it is what was said before too.
    if thread.summary_stale || !(reads || thread.temporary) { "" } else { &thread.summary }
}
