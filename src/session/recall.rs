//! Recall: the facts and passages that a question is answered with, from the object alone.

use crate::sorted::SortedSet;
use std::ops::Range;

use serde_json::Value;

use super::Session;
use super::ports::Ports;
use crate::chat::protocol::{WireFact, WirePassage};
use crate::id::{FactId, MessageId, ThreadId};
use crate::llm::Role;
use crate::memory::gate::{AJAR, Gate, OPEN};
use crate::memory::model::{Fact, Status};
use crate::memory::passages::{self, Taken};
use crate::memory::query::{Wants, wants};
use crate::memory::recall::{Evidence, Reason, choose, known_about, worth_reading};
use crate::memory::when::{When, when};
use crate::store::index::{self, MessageFilter, Query};
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::{facts, messages, tombstones};
use crate::text::estimate;
use crate::time::{DAY, Millis, first_instant, local_date};

/// Facts read whatever the question: if they are all there are and all fit, nothing is left out. More never fit.
const CONSIDERED: u32 = 64;
/// Passages of one prompt at most.
pub(super) const MAX_PASSAGES: usize = 6;
/// For every passage so many are looked at, the best first, whether they say anything new.
const LOOKED_AT: usize = 6;
/// Of the memory's tokens, facts have this much whatever passages there are.
const FACTS_PERCENT: u32 = 60;
/// What happened is told of within this many days, what was said was said then.
const TOLD_WITHIN: i64 = 7;
/// Tokens of JSON around a passage in the prompt.
const PASSAGE_OVERHEAD: u32 = 24;

/// What is asked of memory.
pub(super) struct Asked<'a> {
    pub question: &'a str,
    /// Where it is asked: facts of other threads stay away.
    pub thread: &'a ThreadId,
    /// The user's: "yesterday" is a day of theirs.
    pub zone: &'a str,
    /// Messages from this place on are in the prompt anyway.
    pub shown_from: Option<i64>,
    /// And these.
    pub shown: &'a [i64],
    pub most_passages: usize,
    /// Also what isn't about the question enough to be given to a model.
    pub everything: bool,
    pub filter: MessageFilter<'a>,
}

/// What a question recalls, best first.
#[derive(Default)]
pub(super) struct Recalled {
    pub facts: Vec<(Fact, f64)>,
    pub passages: Vec<(Message, f64)>,
    /// Whether any of it is about the question.
    pub given: bool,
    /// Why the question was searched for by its words alone, if it was.
    pub words_only: Option<&'static str>,
}

impl<P: Ports> Session<P> {
    /// What a question recalls in a thread.
    pub(super) async fn recall(&self, asked: &Asked<'_>) -> Result<Recalled, StoreError> {
        let sql = self.ports.sql();
        let query = Query::by_words(asked.question);
        let wants = wants(asked.question);
        let near = self.near(asked.question, &asked.filter).await?;
        let time = when(asked.question, local_date(self.ports.zones(), asked.zone, self.ports.now()));
        let keywords = index::search_facts_knowing(sql, &query, &mut self.familiar.borrow_mut().facts, 50)?;
        let known_about = known_about(&time, &keywords, &near.facts);
        let (passages, talked_about) =
            self.passages(asked, &query, wants.wording, &time, &near.messages, known_about)?;
        let many = facts::exceed(sql, CONSIDERED)?;
        let mut candidates = if many && !wants.list {
            facts::pinned(sql, CONSIDERED)?
        } else {
            facts::current(sql, CONSIDERED)?
        };
        let evidence = Evidence {
            asked: &time,
            keywords: &keywords,
            near: &near.facts,
            many,
            talked_about,
            everything: asked.everything,
        };
        let mut found = facts::by_ids(sql, &worth_reading(wants, &evidence))?;
        if wants.past {
            let past = facts::Filter { status: Some(Status::Past), ..Default::default() };
            found.extend(facts::list(sql, &past, None, 50)?);
        }
        for fact in found {
            if !candidates.iter().any(|known| known.id == fact.id) {
                candidates.push(fact);
            }
        }
        // What passages don't need is the facts'.
        let budget = self.config.limits.memory_prompt_tokens;
        let given = passages.iter().take(MAX_PASSAGES);
        let spent: u32 = given.map(|(message, _)| estimate::tokens(&message.text) + PASSAGE_OVERHEAD).sum();
        let budget = budget.saturating_sub(spent).max(budget * FACTS_PERCENT / 100);
        let recalled = choose(wants, asked.thread, candidates, &evidence, budget);
        // A time alone has messages, and nothing that they are about.
        let given = known_about.max(talked_about) >= OPEN || (!asked.everything && !passages.is_empty());
        let facts = recalled.into_iter().map(|chosen| (chosen.fact, chosen.score)).collect();
        Ok(Recalled { facts, passages, given, words_only: near.words_only })
    }

    /// The facts that a question is about: not those that come because all fit, or because they are pinned.
    pub(super) async fn recall_about(&self, asked: &Asked<'_>) -> Result<Vec<Fact>, StoreError> {
        let sql = self.ports.sql();
        let near = self.near(asked.question, &asked.filter).await?;
        let keywords = index::search_facts(sql, &Query::by_words(asked.question), 50)?;
        let ids: SortedSet<FactId> = keywords
            .by_words
            .iter()
            .map(|hit| hit.id.clone())
            .chain(near.facts.iter().filter(|(_, nearness)| *nearness >= 1.0).map(|(id, _)| id.clone()))
            .collect();
        let ids: Vec<FactId> = ids.into_iter().collect();
        let time = When::whole(asked.question);
        let evidence = Evidence {
            asked: &time,
            keywords: &keywords,
            near: &near.facts,
            many: true,
            talked_about: 0.0,
            everything: false,
        };
        let found = facts::by_ids(sql, &ids)?;
        let chosen = choose(Wants::default(), asked.thread, found, &evidence, u32::MAX);
        let about =
            chosen.into_iter().filter(|chosen| matches!(chosen.reason, Reason::Words | Reason::Meaning));
        Ok(about.map(|chosen| chosen.fact).collect())
    }

    /// Messages that are about the question, and what answered them; a question about something else gets none. Gives
    /// how much they are about it, too.
    fn passages(
        &self,
        asked: &Asked<'_>,
        query: &Query,
        wording: bool,
        time: &When,
        near: &[(i64, f32)],
        known_about: f64,
    ) -> Result<(Vec<(Message, f64)>, f64), StoreError> {
        let sql = self.ports.sql();
        let familiar = &mut self.familiar.borrow_mut().messages;
        let found = index::search_messages_knowing(sql, query, familiar, &asked.filter, 100)?;
        let gate = Gate::of(time, &found);
        let about = passages::about(&gate, &found, near);
        if asked.most_passages == 0 {
            return Ok((Vec::new(), about));
        }
        let then = self.instants(time, asked.zone, if wording { 0 } else { TOLD_WITHIN });
        let is_open = asked.everything || about >= OPEN || (about >= AJAR && known_about >= OPEN);
        let mut ranked = if is_open {
            let around = index::neighbours(sql, &passages::lenders(&found, near))?;
            passages::rank(&gate, &found, &around, near, &then)
        } else if wording && gate.is_empty() {
            // "What did I tell you yesterday?" names nothing but the time.
            let said = messages::said_within(sql, &then, asked.most_passages)?;
            said.into_iter().map(|seq| (seq, OPEN)).collect()
        } else {
            Vec::new()
        };
        ranked
            .retain(|(seq, _)| asked.shown_from.is_none_or(|from| *seq < from) && !asked.shown.contains(seq));
        if !asked.filter.is_open() {
            // A neighbour may be of another time.
            let docs: Vec<i64> = ranked.iter().map(|(seq, _)| *seq).collect();
            let kept = index::let_through(sql, &docs, &asked.filter)?;
            ranked.retain(|(seq, _)| kept.contains(seq));
        }
        let forgetful = tombstones::are_any(sql)?;
        let mut taken = Taken::default();
        let mut passages: Vec<(Message, f64)> = Vec::new();
        // Where many say the same, the rest is hardly worth reading.
        ranked.truncate(LOOKED_AT * asked.most_passages.max(MAX_PASSAGES));
        for some in ranked.chunks(2 * asked.most_passages) {
            let places: Vec<i64> = some.iter().map(|(seq, _)| *seq).collect();
            let mut read = messages::at(sql, &places)?;
            for (seq, score) in some {
                if passages.len() == asked.most_passages {
                    return Ok((passages, about));
                }
                if let Some(message) = read.iter().position(|m| m.seq == *seq).map(|at| read.swap_remove(at))
                    && !(forgetful && self.is_forgotten(&message.text, message.created_at)?)
                    && taken.take(&message.text)
                {
                    passages.push((message, *score));
                }
            }
        }
        Ok((passages, about))
    }

    /// The times that a question asks about, and as many days more, in which it may have been told.
    fn instants(&self, time: &When, zone: &str, more: i64) -> Vec<Range<Millis>> {
        let begin = |date| first_instant(self.ports.zones(), zone, date);
        let days = time.days.iter();
        days.filter_map(|days| {
            let next = days.end().plus_days(1)?;
            Some(begin(*days.start())..begin(next).plus(more * DAY))
        })
        .collect()
    }

    /// What a trace says was recalled, as it is now: without what is held, excluded, erased or gone since.
    pub(super) fn recalled_then(
        &self,
        recall: &Value,
    ) -> Result<(Vec<WireFact>, Vec<WirePassage>), StoreError> {
        let sql = self.ports.sql();
        let mut given: Vec<WireFact> = Vec::new();
        for (id, score) in entries(recall, "facts", "fact") {
            let Some(fact) = FactId::parse(id).map_or(Ok(None), |id| facts::get(sql, &id))? else { continue };
            if fact.status != Status::Held {
                given.push(scored(&fact, score));
            }
        }
        let mut passages: Vec<(Message, f64)> = Vec::new();
        for (id, score) in entries(recall, "passages", "message") {
            let Some(message) = MessageId::parse(id).map_or(Ok(None), |id| messages::get(sql, &id))? else {
                continue;
            };
            if !message.excluded && !message.text.is_empty() {
                passages.push((message, score));
            }
        }
        let passages: Vec<&(Message, f64)> = passages.iter().collect();
        Ok((given, self.told(&passages)?))
    }

    /// Passages as tabs and programs are told them.
    pub(super) fn told(&self, passages: &[&(Message, f64)]) -> Result<Vec<WirePassage>, StoreError> {
        // Only what was imported had another id elsewhere, and it belongs to no turn.
        let imported = passages.iter().filter(|(message, _)| message.turn.is_none());
        let imported: Vec<&MessageId> = imported.map(|(message, _)| &message.id).collect();
        let external = messages::external_ids(self.ports.sql(), &imported)?;
        let passages = passages.iter().map(|(message, score)| WirePassage {
            message: message.id.to_string(),
            external_id: external.get(message.id.as_str()).cloned(),
            thread: message.thread.to_string(),
            role: match message.role {
                Role::User => "user",
                Role::Assistant | Role::System => "assistant",
            },
            text: message.text.clone(),
            said_at: message.created_at.to_rfc3339(),
            score: *score,
        });
        Ok(passages.collect())
    }
}

pub(super) fn scored(fact: &Fact, score: f64) -> WireFact {
    WireFact { score: Some(score), ..WireFact::of(fact) }
}

/// Ids and scores of a list in the trace.
fn entries<'a>(recall: &'a Value, list: &str, id: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    let entries = recall[list].as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(move |entry| Some((entry[id].as_str()?, entry["score"].as_f64().unwrap_or(0.0))))
}
