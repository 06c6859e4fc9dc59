//! Running turns, one at a time.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::{Either, poll_immediate, select};

use super::asking::{Asking, Next, Source};
use super::model::{AnswerStream, estimated};
use super::ports::{Models, Ports, To};
use super::{Running, Session};
use crate::chat::protocol::{ServerFrame, Timing, WireMessage, WireUsage, failure_text};
use crate::chat::turn::{Answer, Effect, Event, Outcome};
use crate::id::MessageId;
use crate::llm::thoughts::behind_the_close;
use crate::llm::{FinishReason, ModelFailure, Piece, Prompt, Usage};
use crate::store::sql::{StoreError, atomic};
use crate::store::turns::{self, Ending, State, Turn};
use crate::store::usage;
use crate::time::{Millis, SECOND};

/// The alarm that finds a turn whose object died comes this long after its model must have spoken or stalled.
const GUARD_SLACK_MS: i64 = 5 * SECOND;

type BodyOf<P> = <<P as Ports>::Models as Models>::Body;

/// When the parts of a turn were reached.
struct Marks {
    started_at: Millis,
    recalled_at: Millis,
}

impl<P: Ports> Session<P> {
    /// Runs queued turns until none waits. Returns at once if that is happening already.
    pub(super) async fn pump(&self) -> Result<(), StoreError> {
        if self.pumping.replace(true) {
            return Ok(());
        }
        let result = self.run_queue().await;
        self.pumping.set(false);
        if result.is_err() {
            // A turn may have stayed running without an owner, or queued without anybody to run it.
            self.recovered.set(false);
            self.armed_for.set(None);
            self.arm_at(self.ports.now().plus(SECOND));
        }
        result
    }

    /// Runs what waits, for a request whose answer doesn't wait for it.
    pub async fn run_turns(&self) {
        if let Err(error) = self.pump().await {
            self.ports.log("turns_failed", &[("error", error.to_string())]);
        }
    }

    async fn run_queue(&self) -> Result<(), StoreError> {
        while let Some(turn) = turns::start_next(self.ports.sql(), self.ports.now())? {
            let guard = self.config.limits.model_stall_ms + GUARD_SLACK_MS;
            self.arm_at(self.ports.now().plus(guard));
            self.interrupt_memory_work(&turn.id);
            let (stop, stopped) = oneshot::channel();
            let answer =
                Rc::new(RefCell::new(Answer::new(self.ports.now(), self.config.limits.model_stall_ms)));
            *self.running.borrow_mut() = Some(Running {
                turn: turn.id.clone(),
                answer: Rc::clone(&answer),
                stop: Some(stop),
                asked_at: None,
                gone: Vec::new(),
            });
            let result = self.run(&turn, &answer, stopped).await;
            self.running.borrow_mut().take();
            self.going_first.ended(self.ports.now());
            result?;
        }
        // Nothing waits any more.
        self.brought.borrow_mut().clear();
        Ok(())
    }

    async fn run(
        &self,
        turn: &Turn,
        answer: &RefCell<Answer>,
        mut stopped: oneshot::Receiver<()>,
    ) -> Result<(), StoreError> {
        let started_at = self.ports.now();
        let occasion = self.occasion(turn)?;
        let said = self.said_by_code(turn, &occasion)?;
        let (prompt, given) = if said.is_some() {
            (Prompt { messages: Vec::new(), max_tokens: 0, schema: None }, None)
        } else {
            let prepare = pin!(self.prepare(turn, &occasion));
            match select(&mut stopped, prepare).await {
                Either::Right((prepared, _)) => {
                    let prepared = prepared?;
                    (prepared.prompt, Some(prepared.given))
                }
                Either::Left(_) => {
                    let marks = Marks { started_at, recalled_at: self.ports.now() };
                    return self.end(turn, &answer.borrow(), &Outcome::Stopped, Usage::default(), &marks);
                }
            }
        };
        let marks = Marks { started_at, recalled_at: self.ports.now() };
        // Recall's time is not the model's silence.
        *answer.borrow_mut() = Answer::new(marks.recalled_at, self.config.limits.model_stall_ms);

        let first = said.map_or(Source::Ask { after_ms: 0 }, Source::Say);
        let tools = self.tools_for(&occasion)?;
        let asking = Asking { turn, prompt: &prompt, tools: &tools };
        let mut next = Box::pin(self.next_event(first, &asking));
        // The model is asked; what isn't needed for that is done while it is waited for.
        if let Some((event, source)) = poll_immediate(&mut next).await {
            next = Box::pin(self.next_event(Source::Came(event, Box::new(source)), &asking));
        }
        if let Some(running) = self.running.borrow_mut().as_mut() {
            running.asked_at = Some(self.ports.now());
        }
        self.going_first.wake();
        if let Some(given) = given {
            self.tell_given(turn, &occasion, &given)?;
            if occasion.reads() {
                self.read_ahead()?;
            }
        }
        let mut timer_at = answer.borrow().wake_at();
        let mut timer = Box::pin(self.ports.sleep(timer_at.since(self.ports.now())));
        loop {
            // A stop comes first: a model that always has more to say must not outrun it.
            let event = match select(&mut stopped, select(&mut next, &mut timer)).await {
                Either::Left(_) => Event::StopAsked,
                Either::Right((Either::Left(((event, source), _)), _)) => {
                    next = Box::pin(self.next_event(source, &asking));
                    event
                }
                Either::Right((Either::Right(((), _)), _)) => {
                    timer_at = Millis(i64::MIN);
                    Event::Tick
                }
            };
            let now = self.ports.now();
            // Chance is asked for only where it decides: each chunk of an answer comes by here.
            let dice = if matches!(event, Event::Broke(_)) { self.dice() } else { 0 };
            let effects = answer.borrow_mut().step(event, now, dice);
            for effect in effects {
                match effect {
                    Effect::Emit { seq, text } => {
                        let delta = ServerFrame::Delta { turn: turn.id.as_str(), seq, text: &text };
                        self.send(To::Thread(&turn.thread), &delta);
                    }
                    Effect::Save { last_seq, deltas } => {
                        turns::save_chunk(self.ports.sql(), &turn.id, last_seq, &deltas)?;
                    }
                    Effect::AskAgain { after_ms } => {
                        next = Box::pin(self.next_event(Source::Ask { after_ms }, &asking));
                    }
                    Effect::Close(outcome) => {
                        let answer = answer.borrow();
                        let usage =
                            answer.usage().unwrap_or_else(|| tools.total(estimated(&prompt, answer.said())));
                        return self.end(turn, &answer, &outcome, usage, &marks);
                    }
                }
            }
            let wake_at = answer.borrow().wake_at();
            // A timer that fires early only ticks; one that fires late would hold words back.
            if timer_at == Millis(i64::MIN) || wake_at < timer_at {
                timer_at = wake_at;
                timer = Box::pin(self.ports.sleep(wake_at.since(now)));
            }
        }
    }

    async fn next_event(&self, source: Source<BodyOf<P>>, asking: &Asking<'_>) -> (Event, Source<BodyOf<P>>) {
        let broke = |failure: ModelFailure| (Event::Broke(failure), Source::Silent);
        let mut stream = match source {
            Source::Silent => std::future::pending().await,
            Source::Listen(stream) => stream,
            Source::Say(text) => {
                let pieces = vec![
                    Piece::Text(text),
                    Piece::Usage(Usage::default()),
                    Piece::Finished(FinishReason::Stop),
                ];
                return (Event::Heard(pieces), Source::Over);
            }
            Source::Came(event, source) => return (event, *source),
            Source::Over => return (Event::Ended, Source::Silent),
            Source::Broken(failure) => return broke(failure),
            Source::Ask { after_ms } => {
                if after_ms > 0 {
                    self.ports.sleep(after_ms).await;
                }
                match self.ask(asking).await {
                    Ok(stream) => stream,
                    Err(failure) => return broke(failure),
                }
            }
            Source::Call(calls) => {
                if let Err(error) = self.use_tools(asking.turn, asking.tools, calls).await {
                    self.ports.log("tools_failed", &[("error", error.to_string())]);
                    return broke(ModelFailure::Garbled("a tool failed"));
                }
                return (Event::Heard(Vec::new()), Source::Ask { after_ms: 0 });
            }
        };
        let next = stream.next().await;
        if stream.began_plainly() {
            self.begins_in_thought(false);
        }
        match next {
            Ok(Some(pieces)) => {
                let (heard, next) = asking.hear(pieces);
                let source = match next {
                    Next::Listen => Source::Listen(stream),
                    Next::Call(calls) => Source::Call(calls),
                    Next::AskWithout => {
                        if asking.tools.exchanges().is_empty() {
                            self.no_more_tools();
                        }
                        Source::Ask { after_ms: 0 }
                    }
                };
                (Event::Heard(heard), source)
            }
            Ok(None) => asking.last_words(Event::Ended, Source::Over),
            Err(failure) => asking.last_words(Event::Broke(failure.clone()), Source::Broken(failure)),
        }
    }

    /// Asks for an answer, with tools where they are taken.
    async fn ask(&self, asking: &Asking<'_>) -> Result<AnswerStream<BodyOf<P>>, ModelFailure> {
        let exchanges = asking.tools.exchanges();
        let offered = self.offered(asking.tools, asking.prompt);
        asking.tools.begin(offered.is_some());
        let opened = self.open_answer(asking.prompt, &exchanges, offered.as_ref()).await;
        let refuses = match &opened {
            Err(ModelFailure::Refused { status }) => matches!(status, 400 | 404 | 422),
            // Servers that were started without templates for tools call that a fault of their own.
            Err(ModelFailure::Unavailable { status, .. }) => matches!(status, Some(500 | 501)),
            _ => false,
        };
        if !refuses || offered.is_none() || !exchanges.is_empty() {
            return opened;
        }
        asking.tools.begin(false);
        let without = self.open_answer(asking.prompt, &[], None).await;
        if without.is_ok() {
            self.no_more_tools();
        }
        without
    }

    /// Makes an end durable together with the work that should follow it. `false` if the turn had ended already.
    pub(super) fn close(&self, turn: &Turn, ending: &Ending<'_>) -> Result<bool, StoreError> {
        let sql = self.ports.sql();
        atomic(sql, || {
            let closed = turns::close(sql, turn, ending)?;
            if closed {
                self.ask_for_memory_work(turn, ending.now)?;
            }
            Ok(closed)
        })
    }

    /// Makes the end durable, then tells it.
    fn end(
        &self,
        turn: &Turn,
        answer: &Answer,
        outcome: &Outcome,
        used: Usage,
        marks: &Marks,
    ) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        let now = self.ports.now();
        let (state, code, status) = match outcome {
            Outcome::Done { truncated: false } => (State::Done, None, None),
            Outcome::Done { truncated: true } => (State::Done, None, Some("truncated")),
            Outcome::Stopped => (State::Stopped, None, Some("stopped")),
            Outcome::Failed { code, .. } => (State::Failed, Some(*code), Some("failed")),
        };
        let id = MessageId::new(self.ports.random());
        let said = behind_the_close(answer.said());
        if said.len() < answer.said().len() {
            self.begins_in_thought(true);
        }
        let gone = self.says_what_is_gone(said);
        let (said, status) = if gone == Some(true) { ("", Some("erased")) } else { (said, status) };
        let reply = (!answer.said().is_empty()).then_some((&id, said, status));
        let closed = atomic(sql, || {
            let closed = self.close(turn, &Ending { state, code, reply, usage: used, now })?;
            if closed {
                usage::add(sql, now, 1, used)?;
            }
            if let (true, Some(erase), Some(_)) = (closed, gone, reply) {
                self.exclude_messages(std::slice::from_ref(&id), erase, now)?;
                self.ask_to_scrub(erase)?;
            }
            Ok(closed)
        })?;
        if gone.is_none() {
            *self.finished.borrow_mut() = Some((turn.id.clone(), answer.deltas().to_vec()));
        }
        if !closed {
            // Its thread was deleted, or everything forgotten, while it ran: who was connected was told then.
            return Ok(());
        }
        // Built and not read back: between the durable end and its frame nothing may fail.
        let message = reply.map(|reply| {
            let excluded = gone.is_some();
            WireMessage { excluded, ..WireMessage::of_reply(turn, reply, now) }
        });
        let turn_id = turn.id.as_str();
        let timing = Timing {
            queued_ms: marks.started_at.since(turn.accepted_at),
            recall_ms: marks.recalled_at.since(marks.started_at),
            first_token_ms: answer.first_token_at().unwrap_or(now).since(marks.recalled_at),
            total_ms: now.since(turn.accepted_at),
        };
        self.count_turn(turn, state, code, &timing, used);
        let frame = match (outcome, message) {
            (Outcome::Done { .. }, Some(message)) => {
                ServerFrame::Done { turn: turn_id, message, usage: WireUsage::from(used), timing }
            }
            (Outcome::Done { .. }, None) => return Err(StoreError::corrupt("reply")),
            (Outcome::Stopped, message) => ServerFrame::Stopped { turn: turn_id, message },
            (Outcome::Failed { code, retryable }, reply) => {
                let (message, retryable) = (failure_text(code), *retryable);
                ServerFrame::Failed { turn: turn_id, code, message, retryable, reply }
            }
        };
        self.send(To::Thread(&turn.thread), &frame);
        // Here and not by an alarm of its own; the job that was asked for finds what an object that dies here leaves.
        self.index_messages(&turn.thread)?;
        self.arm()
    }
}
