//! Preparing a turn: what is recalled, and the prompt that carries it.

use serde_json::json;

use super::Session;
use super::ports::{Ports, To};
use crate::chat::prompt::{self, Input, Passage, Said};
use crate::chat::protocol::{ServerFrame, WireFact, WirePassage, WireQuery};
use crate::id::ThreadId;
use crate::llm::{Prompt, Role};
use crate::memory::model::{Fact, Status};
use crate::store::index::{self, MessageFilter, Query};
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::threads::Thread;
use crate::store::turns::Turn;
use crate::store::{facts, messages, traces};
use crate::text;

/// Facts read before ranking; the newest and those that share words with the question.
const CONSIDERED: u32 = 400;
const MAX_PASSAGES: usize = 6;
/// Reciprocal ranks are damped by this much, as is usual.
const RRF: f64 = 60.0;

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
            self.recall(&question.text, &turn.thread, Some(oldest_shown))?
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
    ) -> Result<Recalled, StoreError> {
        let sql = self.ports.sql();
        let query = Query::of(question);
        let found = index::search_facts(sql, &query, 50)?;
        let mut scores: std::collections::BTreeMap<crate::id::FactId, f64> =
            std::collections::BTreeMap::new();
        for list in [&found.by_words, &found.by_grams] {
            for (rank, hit) in list.iter().enumerate() {
                *scores.entry(hit.id.clone()).or_default() += 1.0 / (RRF + rank as f64 + 1.0);
            }
        }
        let mut candidates = facts::current(sql, CONSIDERED)?;
        let ids: Vec<_> = scores.keys().cloned().collect();
        for fact in facts::by_ids(sql, &ids)? {
            if fact.status != Status::Held && !candidates.iter().any(|known| known.id == fact.id) {
                candidates.push(fact);
            }
        }
        // The past is part of what is known: newest first behind what matches.
        for fact in
            facts::list(sql, &facts::Filter { status: Some(Status::Past), ..Default::default() }, None, 50)?
        {
            if !candidates.iter().any(|known| known.id == fact.id) {
                candidates.push(fact);
            }
        }
        candidates.retain(|fact| fact.scope.reaches(thread));
        let cost = |fact: &Fact| text::estimate::tokens(&fact.text) + 12;
        let all_fit = candidates.iter().map(cost).sum::<u32>() <= self.config.limits.memory_prompt_tokens / 2;
        let mut recalled: Vec<(Fact, f64)> = candidates
            .into_iter()
            .map(|fact| {
                let score = scores.get(&fact.id).copied().unwrap_or(0.0);
                (fact, score)
            })
            .filter(|(fact, score)| all_fit || fact.pinned || *score > 0.0)
            .collect();
        recalled.sort_by(|(a, a_score), (b, b_score)| {
            let worth = |fact: &Fact| (fact.pinned, fact.status == Status::Current);
            b.pinned
                .cmp(&a.pinned)
                .then(b_score.total_cmp(a_score))
                .then(worth(b).cmp(&worth(a)))
                .then(b.observed_at.cmp(&a.observed_at))
                .then(a.id.cmp(&b.id))
        });
        let passages = self.passages(&query, shown_from)?;
        Ok(Recalled { facts: recalled, passages })
    }

    /// Messages that share a rare word with the question; others inject nothing.
    fn passages(&self, query: &Query, shown_from: Option<i64>) -> Result<Vec<(Message, f64)>, StoreError> {
        let sql = self.ports.sql();
        let found = index::search_messages(sql, query, &MessageFilter::default(), 20)?;
        let mut scores: std::collections::BTreeMap<i64, (f64, bool)> = std::collections::BTreeMap::new();
        for list in [&found.by_words, &found.by_grams] {
            for (rank, hit) in list.iter().enumerate() {
                let entry = scores.entry(hit.id).or_default();
                entry.0 += 1.0 / (RRF + rank as f64 + 1.0);
                entry.1 |= hit.rare_term_shared;
            }
        }
        let mut ranked: Vec<(i64, f64)> = scores
            .into_iter()
            .filter(|(seq, (_, rare))| *rare && shown_from.is_none_or(|from| *seq < from))
            .map(|(seq, (score, _))| (seq, score))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let mut passages: Vec<(Message, f64)> = Vec::new();
        for (seq, score) in ranked {
            if passages.len() == MAX_PASSAGES {
                break;
            }
            if let Some(message) = messages::by_seq(sql, seq)?
                && !message.excluded
                && !self.is_forgotten(&message.text, message.created_at)?
                && !passages
                    .iter()
                    .any(|(known, _)| text::fold::fold(&known.text) == text::fold::fold(&message.text))
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
