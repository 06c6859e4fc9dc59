//! Preparing a turn: the question understood, memory recalled, the prompt built, all of it told.

use std::pin::pin;

use futures::future::{Either, select};
use serde_json::json;

use super::Session;
use super::ports::{Ports, To};
use super::recall::{Asked, MAX_PASSAGES, Recalled, scored};
use crate::chat::overflow::{self, Waiting};
use crate::chat::prompt::{self, Input, Passage, Said};
use crate::chat::protocol::{ServerFrame, WireQuery};
use crate::id::ThreadId;
use crate::llm::{Prompt, Role};
use crate::memory::calls::{Line, Rewrite, read_query};
use crate::memory::leaning::leans_on_context;
use crate::memory::model::Fact;
use crate::memory::query::without_quotes;
use crate::store::index::MessageFilter;
use crate::store::messages::Message;
use crate::store::settings::Settings;
use crate::store::sql::StoreError;
use crate::store::threads::Thread;
use crate::store::turns::Turn;
use crate::store::{messages, rewrites, tombstones, traces, usage};
use crate::text;
use crate::time::{MINUTE, Millis, SECOND};

/// A question that waits longer for its rewriting is searched for as it is, with the message before it.
const REWRITE_DEADLINE_MS: i64 = 3 * SECOND;
/// Messages that a question may lean on.
const LEANED_ON: usize = 4;
const MAX_QUERY_TOKENS: u32 = 100;
/// Messages that wait to be folded are looked at so far back.
const WAITING: u32 = 24;
/// A query longer than this was not rewritten but answered.
const MAX_QUERY_CHARS: usize = 500;

/// What a turn is answered from, read once.
pub(super) struct Occasion {
    pub settings: Settings,
    pub thread: Thread,
    /// What was said just before, oldest first.
    pub before: Vec<Message>,
    pub question: Message,
    /// How a program that asks wants answers to be.
    pub instructions: String,
}

/// What a model is asked, and what it was made from.
pub(super) struct Prepared {
    pub prompt: Prompt,
    pub given: Given,
}

/// What an answer is given of memory.
pub(super) struct Given {
    searched: String,
    recalled: Recalled,
    /// Without its messages, which are the prompt's.
    built: prompt::Built,
}

impl Occasion {
    /// Whether memory may be used: not in a temporary thread, nor with memory off.
    pub(super) fn reads(&self) -> bool {
        self.settings.memory_mode.reads() && !self.thread.temporary
    }
}

impl<P: Ports> Session<P> {
    /// Reads what a turn is answered from.
    pub(super) fn occasion(&self, turn: &Turn) -> Result<Occasion, StoreError> {
        let sql = self.ports.sql();
        let recent_messages = self.config.limits.recent_messages;
        let (mut before, question) = messages::up_to(sql, &turn.thread, &turn.user_message, recent_messages)?;
        let thread = self.thread(&turn.thread)?.ok_or_else(|| StoreError::corrupt("thread"))?;
        let brought = self.brought.borrow().get(&turn.id).cloned();
        let mut instructions = String::new();
        if let Some(brought) = brought {
            instructions = brought.instructions;
            if let Some(said) = brought.before {
                before = self.said_elsewhere(said, &question)?;
            }
        } else if turn.thread == ThreadId::programs() {
            // What stands before it in this thread was said in other conversations.
            before.clear();
        }
        Ok(Occasion { settings: self.settings()?, thread, before, question, instructions })
    }

    /// A conversation that a program keeps, as if it had been said just before the question.
    fn said_elsewhere(
        &self,
        said: Vec<(Role, String)>,
        question: &Message,
    ) -> Result<Vec<Message>, StoreError> {
        let skipped = said.len().saturating_sub(self.config.limits.recent_messages);
        said.into_iter()
            .skip(skipped)
            .map(|(role, text)| {
                // A program goes on repeating what was forgotten here.
                let excluded = self.is_forgotten(&text, Millis(0))?;
                Ok(Message { role, text, excluded, turn: None, status: None, ..question.clone() })
            })
            .collect()
    }

    /// The prompt of a turn, and what is to be told of it.
    pub(super) async fn prepare(&self, turn: &Turn, occasion: &Occasion) -> Result<Prepared, StoreError> {
        let Occasion { settings, thread, before, question, instructions } = occasion;
        let reads = occasion.reads();
        let oldest_shown = before.first().map_or(question.seq, |message| message.seq);
        let (overflow, shown) = self.overflow(occasion, oldest_shown)?;
        let (searched, recalled) = if reads {
            let searched = self.searched(&question.text, before).await?;
            let asked = Asked {
                question: &searched,
                thread: &turn.thread,
                zone: &settings.timezone,
                shown_from: Some(oldest_shown),
                shown: &shown,
                most_passages: MAX_PASSAGES,
                everything: false,
                filter: MessageFilter::default(),
            };
            let recalled = self.recall(&asked).await?;
            (searched, recalled)
        } else {
            (question.text.clone(), Recalled::default())
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
        let mut built = prompt::build(
            &Input {
                question: &question.text,
                instructions,
                summary: summary_of(thread, reads),
                facts: &given,
                passages: &passages,
                overflow: &overflow,
                recent: &recent,
                timezone: &settings.timezone,
                now: self.ports.now(),
            },
            self.config.layout,
            &self.config.limits,
        );
        let prompt = Prompt {
            messages: std::mem::take(&mut built.messages),
            max_tokens: self.config.limits.reply_max_tokens,
            schema: None,
        };
        Ok(Prepared { prompt, given: Given { searched, recalled, built } })
    }

    /// Tells the thread, and the trace, what an answer is given. The model has been asked by then: nothing of this is
    /// needed for its answer.
    pub(super) fn tell_given(
        &self,
        turn: &Turn,
        occasion: &Occasion,
        given: &Given,
    ) -> Result<(), StoreError> {
        let (sql, question) = (self.ports.sql(), &occasion.question);
        let Given { searched, recalled, built } = given;
        let facts: Vec<&(Fact, f64)> = built.facts.iter().filter_map(|&at| recalled.facts.get(at)).collect();
        let passages: Vec<&(Message, f64)> =
            built.passages.iter().filter_map(|&at| recalled.passages.get(at)).collect();
        if occasion.reads() {
            self.keep_rewrite(turn, question, searched)?;
            let frame = ServerFrame::Recalled {
                turn: turn.id.as_str(),
                query: WireQuery { original: question.text.clone(), searched: searched.clone() },
                facts: facts.iter().map(|(fact, score)| scored(fact, *score)).collect(),
                passages: self.told(&passages)?,
            };
            self.send(To::Thread(&turn.thread), &frame);
        }
        let dropped = &built.dropped;
        let trace = json!({
            "facts": facts
                .iter()
                .map(|(fact, score)| json!({"fact": fact.id, "score": score}))
                .collect::<Vec<_>>(),
            "passages": passages
                .iter()
                .map(|(message, score)| json!({"message": message.id, "score": score}))
                .collect::<Vec<_>>(),
            "words_only": recalled.words_only,
            "tokens": built.tokens,
            "dropped": {
                "facts": dropped.facts, "passages": dropped.passages, "overflow": dropped.overflow,
                "recent": dropped.recent, "excluded": dropped.excluded, "summary_cut": dropped.summary_cut,
                "question_cut": dropped.question_cut,
            },
        });
        traces::put(sql, &turn.id, "recall", &trace, self.ports.now())
    }

    /// What is neither among the recent messages, which begin at `recent_from`, nor in the summary yet, as far as it has
    /// room; and the places of what is given whole.
    fn overflow(&self, occasion: &Occasion, recent_from: i64) -> Result<(Vec<Said>, Vec<i64>), StoreError> {
        let sql = self.ports.sql();
        let thread = &occasion.thread;
        let is_given = occasion.reads() || thread.temporary;
        // A conversation that a program brought stands at the question's own place, and waits for no fold.
        let is_long = occasion.before.len() >= self.config.limits.recent_messages
            && recent_from < occasion.question.seq;
        if !(is_given && is_long) {
            return Ok(Default::default());
        }
        let mut waiting =
            messages::waiting_to_be_folded(sql, &thread.id, thread.folded_seq, recent_from, WAITING)?;
        waiting.retain(|message| !message.excluded && !message.text.is_empty());
        if !waiting.is_empty() && tombstones::are_any(sql)? {
            let mut kept = Vec::new();
            for message in waiting {
                if !self.is_forgotten(&message.text, message.created_at)? {
                    kept.push(message);
                }
            }
            waiting = kept;
        }
        let all: Vec<Waiting<'_>> =
            waiting.iter().map(|message| Waiting { role: message.role, text: &message.text }).collect();
        let room = prompt::room_for_overflow(summary_of(thread, true), &self.config.limits);
        let (mut given, mut shown) = (Vec::new(), Vec::new());
        for part in overflow::fit(&all, room) {
            let Some(message) = waiting.get(part.at) else { continue };
            if part.is_whole {
                shown.push(message.seq);
            }
            given.push(Said { role: message.role, text: part.text, excluded: false });
        }
        Ok((given, shown))
    }

    /// Keeps what was searched for, if that isn't what was written, for pages that come later.
    pub(super) fn keep_rewrite(
        &self,
        turn: &Turn,
        question: &Message,
        searched: &str,
    ) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        // Something may have been forgotten while a model wrote it.
        if searched != question.text && !self.is_forgotten(searched, question.created_at)? {
            rewrites::put(sql, &turn.id, searched, self.ports.now())?;
        } else if turn.attempts > 1 {
            rewrites::remove(sql, &turn.id)?;
        }
        Ok(())
    }

    /// What to search for: the question, or what it means if it can't be understood alone.
    ///
    /// A rewriting that fails or is late leaves the question joined with the user's message before it.
    async fn searched(&self, question: &str, before: &[Message]) -> Result<String, StoreError> {
        let leaned_on: Vec<&Message> =
            before.iter().filter(|message| !message.excluded && !message.text.is_empty()).collect();
        let leaned_on = &leaned_on[leaned_on.len().saturating_sub(LEANED_ON)..];
        let Some(last) = leaned_on.iter().rev().find(|message| message.role.is_user()) else {
            return Ok(without_quotes(question));
        };
        if !leans_on_context(question) {
            return Ok(without_quotes(question));
        }
        let joined = || format!("{} {}", without_quotes(question), text::prefix_chars(&last.text, 500));
        if self.rewriting.get().rests_until > self.ports.now() {
            return Ok(joined());
        }
        let messages = leaned_on
            .iter()
            .enumerate()
            .map(|(at, message)| Line {
                reference: format!("m{}", at + 1),
                role: message.role.as_str().to_owned(),
                text: text::prefix_chars(&message.text, 1000).to_owned(),
                said_at: message.created_at.to_rfc3339(),
            })
            .collect();
        let prompt = Rewrite { messages, question: question.to_owned() }.prompt(MAX_QUERY_TOKENS);
        let deadline = self.ports.sleep(REWRITE_DEADLINE_MS);
        let in_time = match select(pin!(self.complete(&prompt)), pin!(deadline)).await {
            Either::Left((completion, _)) => completion.ok(),
            Either::Right(_) => None,
        };
        self.rewriting.set(self.rewriting.get().after(in_time.is_some(), self.ports.now()));
        let Some(completion) = in_time else { return Ok(joined()) };
        if let Some(used) = completion.usage {
            usage::add(self.ports.sql(), self.ports.now(), 0, used)?;
        }
        let rewritten = read_query(&completion.text).map(|query| without_quotes(&query).trim().to_owned());
        Ok(rewritten
            .ok()
            .filter(|query| !query.is_empty() && query.chars().count() <= MAX_QUERY_CHARS)
            .unwrap_or_else(joined))
    }
}

/// Whether the model is asked to rewrite questions. One that is too slow for it would delay every reply by the whole
/// deadline, so after failures in a row it is left alone for a while.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rewriting {
    failures: u32,
    rests_until: Millis,
}

impl Rewriting {
    const FAILURES: u32 = 2;
    const RESTS_MS: i64 = 10 * MINUTE;

    fn after(self, in_time: bool, now: Millis) -> Self {
        match (in_time, self.failures + 1) {
            (true, _) => Self::default(),
            (false, Self::FAILURES..) => Self { failures: 0, rests_until: now.plus(Self::RESTS_MS) },
            (false, failures) => Self { failures, ..self },
        }
    }
}

fn summary_of(thread: &Thread, reads: bool) -> &str {
    // A temporary thread's summary is its own context, not memory; with memory off it is what was said before too.
    if thread.summary_stale || !(reads || thread.temporary) { "" } else { &thread.summary }
}
