//! Memory work gives way to turns: a reply must not wait behind it, neither for the model nor for the thread.

use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};

use futures::channel::oneshot;
use futures::future::{Either, select};

use super::ports::Ports;
use super::work::Worked;
use super::{Running, Session};
use crate::id::TurnId;
use crate::store::sql::StoreError;
use crate::time::{Millis, SECOND};

/// Memory work that a turn interrupts goes on this much later; the turn's end asks for it anew anyway.
const GIVES_WAY_MS: i64 = 3 * SECOND;
/// Memory work gives way to so many turns; then it is done beside the next one, or a chat without a pause would never
/// be learned from.
const GIVES_WAY_TO: u32 = 3;

/// How often memory work looks whether a turn is still being prepared.
const PREPARING_MS: i64 = 5;
/// An answer that comes at once is told whole before memory work goes on; one that takes longer leaves time for it.
const ANSWERING_MS: i64 = 100;
/// Who says the next thing at once, as programs do, is heard first.
const REPLYING_MS: i64 = 50;
/// One job waits so often, or a chat without a pause would leave it ever further behind.
const MOST_WAITS: u32 = 12;

/// Objects that share a thread begin their pieces so far apart: if all went on at once, a turn would wait for one of each
/// of them wherever it awaits something.
const APART_MS: i64 = 10;
/// A piece waits no longer than this for those of others.
const MOST_APART_MS: i64 = 100;

/// Whose piece of memory work comes last of all that were planned on this thread, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastPiece {
    /// Where the session lies, which tells it from all others that are there.
    session: usize,
    at: Millis,
}

impl LastPiece {
    /// The next piece, of this session.
    fn next(self, session: usize, now: Millis) -> Self {
        let apart = if self.session == session { 0 } else { APART_MS };
        // Far ahead is only a clock that was set back.
        let wait_ms = self.at.plus(apart).since(now).clamp(0, MOST_APART_MS);
        Self { session, at: now.plus(wait_ms) }
    }
}

/// Turns that go before a piece of memory work.
#[derive(Default)]
pub(super) struct GoingFirst {
    /// How often the job that is being done has waited for one.
    waits: Cell<u32>,
    ended_at: Cell<Option<Millis>>,
    /// Dropped when there may be time for what waits.
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

impl GoingFirst {
    /// Another job begins.
    pub(super) fn begin(&self) {
        self.waits.set(0);
    }

    /// A turn has ended.
    pub(super) fn ended(&self, now: Millis) {
        self.ended_at.set(Some(now));
        self.wake();
    }

    pub(super) fn wake(&self) {
        self.waiting.borrow_mut().clear();
    }
}

/// Which turns memory work has given way to since it was last done.
#[derive(Default)]
pub(super) struct GivingWay {
    turns: u32,
    last: Option<TurnId>,
    /// Dropped or used when a turn begins.
    interrupt: Option<oneshot::Sender<()>>,
}

impl<P: Ports> Session<P> {
    /// Work that calls a model. Some servers answer one call at a time, and a reply must not wait behind memory: there a
    /// call is given up when a turn begins, at whatever await it stands, as if the object had been evicted there.
    pub(super) async fn give_way(
        &self,
        work: Pin<&mut dyn Future<Output = Result<Worked, StoreError>>>,
    ) -> Result<Worked, StoreError> {
        if self.config.calls_side_by_side {
            return work.await;
        }
        let running = self.running.borrow().as_ref().map(|running| running.turn.clone());
        if let Some(turn) = running
            && self.gives_way_to(&turn)
        {
            return Ok(Worked::Later(self.ports.now().plus(GIVES_WAY_MS)));
        }
        let (interrupt, interrupted) = oneshot::channel();
        self.giving_way.borrow_mut().interrupt = Some(interrupt);
        let worked = match select(work, interrupted).await {
            Either::Left((worked, _)) => worked,
            Either::Right((Ok(()), _)) => return Ok(Worked::Later(self.ports.now().plus(GIVES_WAY_MS))),
            Either::Right((Err(_), work)) => work.await,
        };
        let mut giving_way = self.giving_way.borrow_mut();
        giving_way.interrupt = None;
        // What has fallen behind is caught up on before turns are given way to again.
        if !matches!(worked, Ok(Worked::More)) {
            *giving_way = GivingWay::default();
        }
        drop(giving_way);
        worked
    }

    /// Between two pieces of work that hold the thread: what has arrived meanwhile begins, and while a turn is prepared
    /// or an answer comes, work waits. The best time for it is when a model was asked and has said nothing yet.
    pub(super) async fn let_turns_go_first(&self) {
        let last = self.ports.last_piece();
        let now = self.ports.now();
        let piece = last.get().next(std::ptr::from_ref(self).addr(), now);
        last.set(piece);
        self.ports.sleep(piece.at.since(now)).await;
        while let Some(wait_ms) = self.goes_first_for() {
            let (sender, woken) = oneshot::channel();
            self.going_first.waiting.borrow_mut().push(sender);
            select(pin!(self.ports.sleep(wait_ms)), woken).await;
        }
    }

    /// How long a turn still goes before other work, unless it is over sooner.
    fn goes_first_for(&self) -> Option<i64> {
        let now = self.ports.now();
        let (began, most) = match &*self.running.borrow() {
            Some(Running { asked_at: None, .. }) => return Some(PREPARING_MS),
            Some(Running { asked_at: Some(asked_at), answer, .. }) => {
                answer.borrow().first_token_at()?;
                (*asked_at, ANSWERING_MS)
            }
            None => (self.going_first.ended_at.get()?, REPLYING_MS),
        };
        let wait_ms = most - now.since(began);
        let waits = self.going_first.waits.get();
        // What began in the future did so before the clock was set back.
        if !(1..=most).contains(&wait_ms) || waits >= MOST_WAITS {
            return None;
        }
        self.going_first.waits.set(waits + 1);
        Some(wait_ms)
    }

    /// Interrupts memory work for a turn that begins.
    pub(super) fn interrupt_memory_work(&self, turn: &TurnId) {
        if self.giving_way.borrow().interrupt.is_some()
            && self.gives_way_to(turn)
            && let Some(interrupt) = self.giving_way.borrow_mut().interrupt.take()
        {
            // The work may have ended by itself just now.
            let _ = interrupt.send(());
        }
    }

    fn gives_way_to(&self, turn: &TurnId) -> bool {
        let mut giving_way = self.giving_way.borrow_mut();
        if giving_way.last.as_ref() != Some(turn) {
            giving_way.last = Some(turn.clone());
            giving_way.turns += 1;
        }
        giving_way.turns <= GIVES_WAY_TO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_several_sessions_come_one_after_the_other_and_those_of_one_at_once() {
        let now = Millis(1_000_000);
        let first = LastPiece::default().next(1, now);
        assert_eq!(first.at, now);
        assert_eq!(first.next(1, now).at, now);
        let second = first.next(2, now);
        assert_eq!(second.at, now.plus(APART_MS));
        assert_eq!(second.next(3, now).at, now.plus(2 * APART_MS));
        assert_eq!(second.next(1, now.plus(SECOND)).at, now.plus(SECOND));
    }

    #[test]
    fn no_piece_waits_long_however_many_there_are_and_whatever_the_clock_does() {
        let now = Millis(1_000_000);
        let last = (1..1_000).fold(LastPiece::default(), |last, session| last.next(session, now));
        assert_eq!(last.at, now.plus(MOST_APART_MS));
        assert_eq!(last.next(7, now.plus(-SECOND)).at, now.plus(MOST_APART_MS - SECOND));
    }
}
