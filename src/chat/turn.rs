//! A running turn as a state machine: what the model says goes in, what is to be done comes out.
//!
//! Invariant: the deltas are numbered from 1 without a gap, their texts joined are what was said, and exactly one
//! `Close` comes out, last. Nothing here does I/O, reads a clock or knows of tabs.

use crate::llm::{FinishReason, ModelFailure, Piece, Usage};
use crate::text;
use crate::time::{MINUTE, Millis, SECOND};

/// The first words go out at once; then one frame for all that comes within this time. A frame, an event and a
/// write per token is what costs.
const COALESCE_MS: i64 = 40;
const COALESCE_BYTES: usize = 256;
/// Deltas are saved in pieces of about a second or this size, so that a killed object loses little of what was said.
const SAVE_MS: i64 = SECOND;
const SAVE_BYTES: usize = 4 * 1024;
/// A server that has told the finish reason but keeps the connection open is not waited for any longer.
const LINGER_MS: i64 = 2 * SECOND;
/// No answer takes longer, whatever trickles in.
const LONGEST_MS: i64 = 10 * MINUTE;
/// A row holds 2 MB; an answer this long is not a chat's any more.
const MAX_REPLY_BYTES: usize = 512 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The model said these pieces.
    Heard(Vec<Piece>),
    /// The model's stream ended.
    Ended,
    /// The call failed.
    Broke(ModelFailure),
    /// The user stopped it.
    StopAsked,
    /// Time passed.
    Tick,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Tell every tab.
    Emit { seq: u32, text: String },
    /// Make the newest deltas durable, the last of which is `last_seq`.
    Save { last_seq: u32, deltas: Vec<String> },
    /// Call the model once more, after a wait.
    AskAgain { after_ms: i64 },
    /// End the turn; nothing comes after it.
    Close(Outcome),
}

/// How the turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `truncated`: the length limit or the provider cut the answer.
    Done {
        truncated: bool,
    },
    Stopped,
    Failed {
        code: &'static str,
        retryable: bool,
    },
}

/// The answer of a running turn, as far as it has come.
#[derive(Clone, Debug)]
pub struct Answer {
    said: String,
    deltas: Vec<String>,
    pending: String,
    saved: usize,
    unsaved_bytes: usize,
    began_at: Millis,
    heard_at: Millis,
    emitted_at: Option<Millis>,
    saved_at: Millis,
    first_token_at: Option<Millis>,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    asked_again: bool,
    /// How long the model is waited for before it is asked again; 0 once it spoke.
    wait_ms: i64,
    /// No more text is taken.
    full: bool,
    closed: bool,
    stall_ms: i64,
}

impl Answer {
    /// An answer that begins now and fails when the model is silent for `stall_ms`.
    pub fn new(now: Millis, stall_ms: i64) -> Self {
        Self {
            said: String::new(),
            deltas: Vec::new(),
            pending: String::new(),
            saved: 0,
            unsaved_bytes: 0,
            began_at: now,
            heard_at: now,
            emitted_at: None,
            saved_at: now,
            first_token_at: None,
            finish: None,
            usage: None,
            asked_again: false,
            wait_ms: 0,
            full: false,
            closed: false,
            stall_ms,
        }
    }

    /// Takes one event. `dice` is any random number.
    pub fn step(&mut self, event: Event, now: Millis, dice: u32) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.closed {
            return effects;
        }
        self.follow_clock(now);
        match event {
            Event::Heard(pieces) => self.hear(pieces, now),
            Event::Ended => self.end(&mut effects),
            Event::Broke(failure) => self.broke(&failure, now, dice, &mut effects),
            Event::StopAsked => self.close(Outcome::Stopped, &mut effects),
            Event::Tick => {}
        }
        if !self.closed {
            self.check_time(now, &mut effects);
        }
        if !self.closed {
            self.coalesce(now, &mut effects);
        }
        effects
    }

    /// When a `Tick` is due at the latest.
    pub fn wake_at(&self) -> Millis {
        let patience = self.heard_at.plus(if self.finish.is_some() { LINGER_MS } else { self.stall_ms });
        let mut at = patience.min(self.began_at.plus(LONGEST_MS));
        if !self.pending.is_empty() {
            at = at.min(self.emitted_at.map_or(self.heard_at, |emitted| emitted.plus(COALESCE_MS)));
        }
        at
    }

    /// Everything that was said so far.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// The deltas emitted so far; the first is number 1.
    pub fn deltas(&self) -> &[String] {
        &self.deltas
    }

    pub fn first_token_at(&self) -> Option<Millis> {
        self.first_token_at
    }

    /// What the provider counted.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// A clock that jumped back would hold words and the end of a silence back until it has caught up.
    fn follow_clock(&mut self, now: Millis) {
        self.began_at = self.began_at.min(now);
        self.saved_at = self.saved_at.min(now);
        self.emitted_at = self.emitted_at.map(|at| at.min(now));
        self.heard_at = self.heard_at.min(now.plus(self.wait_ms));
    }

    fn hear(&mut self, pieces: Vec<Piece>, now: Millis) {
        self.heard_at = now;
        self.wait_ms = 0;
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let room = MAX_REPLY_BYTES.saturating_sub(self.said.len());
                    let fits = text::prefix(&text, room);
                    if fits.len() < text.len() {
                        self.full = true;
                        self.finish = Some(FinishReason::Length);
                    }
                    if !fits.is_empty() {
                        self.first_token_at.get_or_insert(now);
                        self.said.push_str(fits);
                        self.pending.push_str(fits);
                    }
                }
                Piece::Finished(reason) => self.finish = self.finish.or(Some(reason)),
                Piece::Usage(usage) => self.usage = Some(usage),
                // What an answer calls for is done before it is heard.
                Piece::ToolCalls(_) => {}
            }
        }
    }

    fn end(&mut self, effects: &mut Vec<Effect>) {
        let outcome = match self.finish {
            Some(_) if self.said.trim().is_empty() => failed(&ModelFailure::CutShort),
            Some(reason) => {
                Outcome::Done { truncated: matches!(reason, FinishReason::Length | FinishReason::Filtered) }
            }
            None => failed(&ModelFailure::CutShort),
        };
        self.close(outcome, effects);
    }

    fn broke(&mut self, failure: &ModelFailure, now: Millis, dice: u32, effects: &mut Vec<Effect>) {
        match failure.backoff(dice) {
            // Once something was said, a second answer would not continue it.
            Some(wait) if !self.asked_again && self.said.is_empty() => {
                self.asked_again = true;
                // The wait is not the model's silence.
                self.wait_ms = wait.0;
                self.heard_at = now.plus(wait.0);
                effects.push(Effect::AskAgain { after_ms: wait.0 });
            }
            _ if self.finish.is_some() && !self.said.trim().is_empty() => self.end(effects),
            _ => self.close(failed(failure), effects),
        }
    }

    fn check_time(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let silent = now.since(self.heard_at);
        if self.finish.is_some() && (silent >= LINGER_MS || self.full) {
            self.end(effects);
        } else if silent >= self.stall_ms || now.since(self.began_at) >= LONGEST_MS {
            self.close(failed(&ModelFailure::Stalled), effects);
        }
    }

    fn coalesce(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let due = self.emitted_at.is_none_or(|emitted| now.since(emitted) >= COALESCE_MS);
        if !self.pending.is_empty() && (due || self.pending.len() >= COALESCE_BYTES) {
            self.emit(now, effects);
        }
        let enough = now.since(self.saved_at) >= SAVE_MS || self.unsaved_bytes >= SAVE_BYTES;
        if self.unsaved_bytes > 0 && enough {
            effects.push(Effect::Save {
                last_seq: self.deltas.len() as u32,
                deltas: self.deltas[self.saved..].to_vec(),
            });
            self.saved = self.deltas.len();
            self.unsaved_bytes = 0;
            self.saved_at = now;
        }
    }

    fn emit(&mut self, now: Millis, effects: &mut Vec<Effect>) {
        let text = std::mem::take(&mut self.pending);
        self.emitted_at = Some(now);
        self.unsaved_bytes += text.len();
        self.deltas.push(text.clone());
        effects.push(Effect::Emit { seq: self.deltas.len() as u32, text });
    }

    fn close(&mut self, outcome: Outcome, effects: &mut Vec<Effect>) {
        if !self.pending.is_empty() {
            self.emit(self.heard_at, effects);
        }
        self.closed = true;
        effects.push(Effect::Close(outcome));
    }
}

fn failed(failure: &ModelFailure) -> Outcome {
    Outcome::Failed { code: failure.code(), retryable: failure.retryable() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STALL: i64 = 30_000;

    fn text(said: &str) -> Event {
        Event::Heard(vec![Piece::Text(said.to_owned())])
    }

    fn finished(reason: FinishReason) -> Event {
        Event::Heard(vec![Piece::Finished(reason)])
    }

    fn closing(effects: &[Effect]) -> Option<&Outcome> {
        match effects.last() {
            Some(Effect::Close(outcome)) => Some(outcome),
            _ => None,
        }
    }

    #[test]
    fn the_first_words_go_out_at_once_and_the_next_ones_together() {
        let mut answer = Answer::new(Millis(0), STALL);
        assert_eq!(answer.step(text("こん"), Millis(5), 0), [Effect::Emit { seq: 1, text: "こん".into() }]);
        assert_eq!(answer.step(text("に"), Millis(10), 0), []);
        assert_eq!(answer.step(text("ちは"), Millis(20), 0), []);
        assert_eq!(answer.wake_at(), Millis(45));
        assert_eq!(answer.step(Event::Tick, Millis(45), 0), [Effect::Emit { seq: 2, text: "にちは".into() }]);
    }

    #[test]
    fn a_second_of_deltas_is_saved_in_one_row() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("a"), Millis(0), 0);
        answer.step(text("b"), Millis(500), 0);
        let effects = answer.step(text("c"), Millis(1000), 0);
        let deltas = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        assert_eq!(effects.last(), Some(&Effect::Save { last_seq: 3, deltas }));
    }

    #[test]
    fn an_answer_is_done_only_with_a_finish_reason_and_some_text() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("yes"), Millis(1), 0);
        answer.step(finished(FinishReason::Stop), Millis(2), 0);
        assert_eq!(
            closing(&answer.step(Event::Ended, Millis(3), 0)),
            Some(&Outcome::Done { truncated: false })
        );

        let cut = Outcome::Failed { code: "model_cut_short", retryable: true };
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("half a"), Millis(1), 0);
        assert_eq!(closing(&answer.step(Event::Ended, Millis(3), 0)), Some(&cut));
        assert_eq!(answer.said(), "half a");

        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(finished(FinishReason::Stop), Millis(2), 0);
        assert_eq!(closing(&answer.step(Event::Ended, Millis(3), 0)), Some(&cut));
    }

    #[test]
    fn a_truncated_answer_is_marked() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("long"), Millis(1), 0);
        answer.step(finished(FinishReason::Length), Millis(2), 0);
        assert_eq!(
            closing(&answer.step(Event::Ended, Millis(3), 0)),
            Some(&Outcome::Done { truncated: true })
        );
    }

    #[test]
    fn a_server_that_keeps_a_finished_stream_open_is_not_waited_for() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("yes"), Millis(1), 0);
        answer.step(finished(FinishReason::Stop), Millis(2), 0);
        answer.step(Event::Tick, Millis(45), 0);
        assert_eq!(answer.wake_at(), Millis(2 + LINGER_MS));
        assert!(closing(&answer.step(Event::Tick, Millis(2 + LINGER_MS), 0)).is_some());
    }

    #[test]
    fn a_busy_model_is_asked_again_once_and_never_after_it_has_spoken() {
        let busy = Event::Broke(ModelFailure::Busy { retry_after_ms: Some(1000) });
        let mut answer = Answer::new(Millis(0), STALL);
        assert_eq!(answer.step(busy.clone(), Millis(1), 3), [Effect::AskAgain { after_ms: 1003 }]);
        let failed = Outcome::Failed { code: "model_busy", retryable: true };
        assert_eq!(closing(&answer.step(busy.clone(), Millis(1100), 3)), Some(&failed));

        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("well"), Millis(1), 0);
        assert_eq!(closing(&answer.step(busy, Millis(2), 0)), Some(&failed));

        let mut answer = Answer::new(Millis(0), STALL);
        let refused = Event::Broke(ModelFailure::Refused { status: 401 });
        let failed = Outcome::Failed { code: "model_refused", retryable: false };
        assert_eq!(closing(&answer.step(refused, Millis(1), 0)), Some(&failed));
    }

    #[test]
    fn a_silent_model_is_given_up_and_what_it_said_is_kept() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("well"), Millis(10), 0);
        assert_eq!(answer.wake_at(), Millis(10 + STALL));
        let stalled = Outcome::Failed { code: "model_stalled", retryable: true };
        assert_eq!(closing(&answer.step(Event::Tick, Millis(10 + STALL), 0)), Some(&stalled));
        assert_eq!(answer.said(), "well");
    }

    #[test]
    fn stopping_emits_what_was_pending_before_it_closes() {
        let mut answer = Answer::new(Millis(0), STALL);
        answer.step(text("a"), Millis(0), 0);
        answer.step(text("b"), Millis(1), 0);
        let effects = answer.step(Event::StopAsked, Millis(2), 0);
        assert_eq!(effects, [Effect::Emit { seq: 2, text: "b".into() }, Effect::Close(Outcome::Stopped)]);
        assert_eq!(answer.step(text("c"), Millis(3), 0), []);
    }

    #[test]
    fn an_endless_answer_ends_as_a_truncated_one() {
        let mut answer = Answer::new(Millis(0), STALL);
        let mut outcome = None;
        for _ in 0..=MAX_REPLY_BYTES / 3_000 {
            let effects = answer.step(text(&"犬".repeat(1000)), Millis(1), 0);
            outcome = closing(&effects).cloned();
            if outcome.is_some() {
                break;
            }
        }
        assert_eq!(outcome, Some(Outcome::Done { truncated: true }));
        assert!(answer.said().len() <= MAX_REPLY_BYTES);
    }

    fn events() -> impl Strategy<Value = Vec<(Event, i64)>> {
        let event = prop_oneof![
            8 => "[a-z犬🐕]{0,300}".prop_map(|said| text(&said)),
            1 => Just(finished(FinishReason::Stop)),
            1 => Just(Event::Ended),
            1 => Just(Event::Broke(ModelFailure::Stalled)),
            1 => Just(Event::Broke(ModelFailure::Busy { retry_after_ms: None })),
            1 => Just(Event::StopAsked),
            4 => Just(Event::Tick),
        ];
        prop::collection::vec((event, -100..5_000_i64), 0..60)
    }

    proptest! {
        #[test]
        fn deltas_join_to_what_was_said_and_exactly_one_close_comes_last(events in events(), dice in any::<u32>()) {
            let mut answer = Answer::new(Millis(0), STALL);
            let (mut now, mut heard, mut saved) = (Millis(0), String::new(), Vec::new());
            let (mut emitted, mut closed) = (0, 0);
            let ended = [(Event::Broke(ModelFailure::Stalled), 0), (Event::Tick, 2 * LONGEST_MS)];
            for (event, passed) in events.into_iter().chain(ended) {
                now = now.plus(passed);
                for effect in answer.step(event, now, dice) {
                    prop_assert_eq!(closed, 0);
                    match effect {
                        Effect::Emit { seq, text } => {
                            emitted += 1;
                            prop_assert_eq!(seq, emitted);
                            prop_assert!(!text.is_empty());
                            heard.push_str(&text);
                        }
                        Effect::Save { last_seq, deltas } => {
                            saved.extend(deltas);
                            prop_assert_eq!(last_seq as usize, saved.len());
                        }
                        Effect::AskAgain { .. } => {}
                        Effect::Close(_) => closed += 1,
                    }
                }
            }
            prop_assert_eq!(closed, 1);
            prop_assert_eq!(&heard, answer.said());
            prop_assert_eq!(answer.deltas().concat(), answer.said());
            prop_assert!(answer.deltas().starts_with(&saved));
        }
    }
}
