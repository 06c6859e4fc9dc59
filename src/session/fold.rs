//! Folding: messages that no longer fit into recent enter the thread's summary, exactly once.

use super::Session;
use super::ports::{Ports, To};
use super::work::{FOLDED_AT_ONCE, PAUSE_MS, Worked};
use crate::chat::protocol::ServerFrame;
use crate::chat::{overflow, prompt};
use crate::config::Provider;
use crate::id::ThreadId;
use crate::memory::calls::{Fold, Line, read_summary};
use crate::memory::fold::{Merge, Quotes, Rejection, check, extractive};
use crate::memory::fold_echo::without_echoes;
use crate::memory::fold_keep::{keep, within};
use crate::memory::policy;
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::threads::Thread;
use crate::store::{facts, messages, receipts, threads, tombstones, usage};
use crate::time::Millis;

/// Messages of one fold: what overflows from a few turns, and bounded when a summary is made anew.
const BATCH: u32 = 20;
/// A summary that is made anew after a forgetting begins at most this many messages back; what is older stays in
/// the archive, where recall finds it.
const REFOLDED: i64 = 400;
/// A model that fails this often is not waited for: an extract is better than a growing gap.
const TRIES: u32 = 2;
/// A model whose summary is refused is asked once more, with the reason; then the extract is taken.
const ASKED: u32 = 2;

/// Facts whose words an extract may leave out, the newest of them.
const KNOWN: u32 = 300;

/// What overflows in a thread.
pub(super) struct Overflow {
    /// It is folded although the conversation goes on.
    pub must_not_wait: bool,
}

impl<P: Ports> Session<P> {
    /// What overflows in a thread, if anything does. It may wait while the prompt has room for it; the built-in model,
    /// which costs no call, waits for nothing.
    pub(super) fn overflowing(&self, thread: &Thread) -> Result<Option<Overflow>, StoreError> {
        let limits = &self.config.limits;
        let (sql, recent) = (self.ports.sql(), limits.recent_messages);
        let waiting =
            messages::overflowing(sql, &thread.id, thread.folded_seq, recent, FOLDED_AT_ONCE as u32)?;
        let room = prompt::room_for_overflow(&thread.summary, limits);
        let must_not_wait = thread.summary_stale
            || waiting.messages >= FOLDED_AT_ONCE
            || self.config.model == Provider::Embedded
            || !overflow::has_room(waiting.of_user, waiting.bytes_of_user, room);
        Ok((waiting.messages > 0).then_some(Overflow { must_not_wait }))
    }

    /// Folds what overflows in a thread. `attempts` counts the failures so far.
    pub(super) async fn fold(&self, id: &ThreadId, attempts: u32) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let Some(thread) = threads::get(sql, id, self.ports.now())? else { return Ok(Worked::Done) };
        let recent = self.config.limits.recent_messages;
        let from = thread.folded_seq.max(messages::newest_seq(sql, id)? - REFOLDED);
        let overflow = messages::overflow(sql, id, from, recent, BATCH)?;
        let Some(last) = overflow.last().map(|message| message.seq) else { return self.folded(&thread) };
        // Asked for by a turn that ended while the last fold was made: it waits like any other.
        if attempts == 0
            && let Some(paused) = self.paused_at(id)?
            && self.overflowing(&thread)?.is_some_and(|overflow| !overflow.must_not_wait)
        {
            return Ok(Worked::Later(paused));
        }
        let lines = self.lines(&overflow)?;
        let summary = if lines.is_empty() {
            thread.summary.clone()
        } else {
            match self.summarize(&thread, &lines, attempts).await? {
                Ok(summary) => summary,
                Err(code) => return Ok(Worked::Failed(code)),
            }
        };
        // A forgetting or an edit meanwhile has spoiled what this was made from.
        let now = self.ports.now();
        let unchanged = threads::get(sql, id, now)?
            .is_some_and(|known| known.summary == thread.summary && known.folded_seq == thread.folded_seq)
            && messages::overflow(sql, id, from, recent, BATCH)?.starts_with(&overflow)
            && (!tombstones::are_any(sql)? || self.lines(&overflow)? == lines);
        if unchanged {
            threads::set_summary(sql, id, &summary, last, now)?;
            self.send(To::Thread(id), &ServerFrame::Folded { thread: id.as_str(), summary: &summary });
            if overflow.len() < BATCH as usize {
                return self.folded(&Thread { summary_stale: false, ..thread });
            }
        }
        Ok(Worked::More)
    }

    /// Nothing overflows: what a forgetting had spoiled is made anew.
    fn folded(&self, thread: &Thread) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        if thread.summary_stale {
            threads::set_summary(sql, &thread.id, "", thread.folded_seq, self.ports.now())?;
        }
        if !threads::any_stale(sql)? {
            receipts::summaries_folded(sql)?;
        }
        Ok(Worked::Done)
    }

    /// When a conversation that still goes on will have paused.
    pub(super) fn paused_at(&self, thread: &ThreadId) -> Result<Option<Millis>, StoreError> {
        let Some(newest) = messages::newest_at(self.ports.sql(), thread)? else { return Ok(None) };
        // A newest message of the future was said before the clock was set back.
        let goes_on = (0..PAUSE_MS).contains(&self.ports.now().since(newest));
        Ok(goes_on.then(|| newest.plus(PAUSE_MS)))
    }

    async fn summarize(
        &self,
        thread: &Thread,
        lines: &[Line],
        attempts: u32,
    ) -> Result<Result<String, &'static str>, StoreError> {
        let max_tokens = self.config.limits.summary_max_tokens;
        let forgotten_before = self.ports.now();
        let refused = |text: &str| {
            !policy::screen(text).is_empty() || self.is_forgotten(text, forgotten_before).unwrap_or(true)
        };
        let extract = || -> Result<String, StoreError> {
            let known = Quotes::of(facts::quotes(self.ports.sql(), KNOWN)?);
            Ok(extractive(&thread.summary, lines, max_tokens, &refused, &|text| known.tell(text)))
        };
        // It extracts too, and would be asked about what it can't mend.
        if self.config.model == Provider::Embedded {
            return Ok(Ok(extract()?));
        }
        let mut call = Fold {
            summary: thread.summary.clone(),
            messages: lines.to_vec(),
            keep: within(keep(&thread.summary, lines), max_tokens),
            rejected: None,
        };
        let mut failure = "";
        for _ in 0..ASKED {
            // Room beyond the cap: a summary that is cut off inside its JSON is no summary.
            let completion = match self.complete(&call.prompt(max_tokens + 200)).await {
                Ok(completion) => completion,
                // A server that is down or slow is waited for, a while.
                Err(failure) if attempts < TRIES => return Ok(Err(failure.code())),
                Err(failed) => {
                    failure = failed.code();
                    break;
                }
            };
            if let Some(used) = completion.usage {
                usage::add(self.ports.sql(), self.ports.now(), 0, used)?;
            }
            self.let_turns_go_first().await;
            let summary =
                read_summary(&completion.text).map(|new| without_echoes(&new, &thread.summary, lines));
            let rejection = match summary {
                Ok(summary) => match check(
                    &summary,
                    &Merge { old: &thread.summary, messages: lines, keep: &call.keep },
                    max_tokens,
                    &refused,
                ) {
                    Ok(()) => return Ok(Ok(summary)),
                    Err(rejection) => rejection,
                },
                Err(_) => Rejection::Empty,
            };
            failure = rejection.as_str();
            call.rejected = Some(rejection.reason());
        }
        self.let_turns_go_first().await;
        self.ports.log("folded_by_extract", &[("reason", failure.to_owned())]);
        Ok(Ok(extract()?))
    }

    /// The messages as the memory calls see them, without those that are left out and with secrets masked.
    fn lines(&self, overflow: &[Message]) -> Result<Vec<Line>, StoreError> {
        let mut lines = Vec::new();
        for message in overflow.iter().filter(|message| !message.excluded && !message.text.is_empty()) {
            if self.is_forgotten(&message.text, message.created_at)? {
                continue;
            }
            lines.push(Line {
                reference: format!("m{}", lines.len() + 1),
                role: message.role.as_str().to_owned(),
                text: policy::mask(&message.text).into_owned(),
                said_at: message.created_at.to_rfc3339(),
            });
        }
        Ok(lines)
    }
}
