//! Changes of memory: each one atomic with its ledger entry, its search terms and its outbox rows, and told to tabs.

use super::Session;
use super::ports::{Ports, To};
use crate::chat::protocol::{ServerFrame, WireChange, WireFact, WireMirrors};
use crate::id::{FactId, MessageId, TurnId};
use crate::memory::model::Fact;
use crate::store::ledger::{Act, Applied, Told};
use crate::store::outbox::Change;
use crate::store::receipts::{self, Summary};
use crate::store::sql::{Sql, StoreError, atomic};
use crate::store::{
    forget, index, jobs, leaving, ledger, messages, outbox, rewrites, scrub, threads, tombstones, traces,
    turns,
};
use crate::time::Millis;

impl<P: Ports> Session<P> {
    /// Runs `change` with everything that a change of memory needs besides the fact itself.
    pub(super) fn act<T>(
        &self,
        turn: Option<&TurnId>,
        change: impl FnOnce(&mut Act<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let mut dice = || self.ports.random();
        let mut told = |told: Told<'_>| tell_mirrors(sql, told, now);
        change(&mut Act { now, turn, dice: &mut dice, told: &mut told })
    }

    /// A fact with how fresh its mirrors are.
    pub(super) fn wire_fact(&self, fact: &Fact) -> Result<WireFact, StoreError> {
        let fresh = receipts::freshness(self.ports.sql(), &fact.id)?;
        let mut wire = WireFact::of(fact);
        wire.mirrors = Some(WireMirrors { d1: fresh.d1.as_str(), vectorize: fresh.vectorize.as_str() });
        Ok(wire)
    }

    /// Tells tabs what memory learned, under the turn that taught it.
    pub(super) fn tell_remembered(
        &self,
        to: To<'_>,
        turn: Option<&TurnId>,
        applied: &[(Applied, Option<String>)],
    ) -> Result<(), StoreError> {
        let mut changes = Vec::new();
        for (applied, reason) in applied {
            if let Some(fact) = &applied.fact {
                changes.push(WireChange {
                    change: applied.change.to_string(),
                    op: applied.op.as_str(),
                    fact: self.wire_fact(fact)?,
                    reason: reason.clone(),
                });
            }
        }
        if !changes.is_empty() {
            self.send(to, &ServerFrame::Remembered { turn: turn.map(TurnId::as_str), changes });
        }
        Ok(())
    }

    /// Forgets a fact for good, with what it rested on. `None` if nothing knows it.
    pub(super) fn forget_fact(&self, id: &FactId, erase: bool) -> Result<Option<Summary>, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let random = self.random_key();
        let forgotten = atomic(sql, || {
            scrub::measure(sql)?;
            let Some(forgotten) = self.act(None, |act| forget::forget(sql, id, &random, act))? else {
                return Ok(None);
            };
            let messages = self.messages_that_say(&forgotten.sources, &forgotten.texts, erase)?;
            let mut summary = self.exclude_messages(&messages, erase, now)?;
            for thread in self.threads_that_say(&forgotten.texts)? {
                if self.fold_again(&thread, now)? {
                    summary = Summary::Pending;
                }
            }
            rewrites::clear(sql)?;
            receipts::forgotten(sql, id, summary, now)?;
            self.ask_to_scrub(erase)?;
            Ok(Some((forgotten.change, summary)))
        })?;
        let Some((_, summary)) = forgotten else { return Ok(None) };
        self.arm()?;
        Ok(Some(summary))
    }

    /// Leaves messages out of prompts, folds and recall, and has the summaries made from them folded again.
    pub(super) fn exclude_messages(
        &self,
        ids: &[MessageId],
        erase: bool,
        now: Millis,
    ) -> Result<Summary, StoreError> {
        let sql = self.ports.sql();
        // What was said in the last turn is still known piece by piece.
        self.finished.borrow_mut().take();
        let mut summary = Summary::Clean;
        for thread in messages::exclude(sql, ids, erase)? {
            if self.fold_again(&thread, now)? {
                summary = Summary::Pending;
            }
        }
        for id in ids {
            if let Some(message) = messages::get(sql, id)? {
                index::drop_message(sql, message.seq)?;
            }
        }
        Ok(summary)
    }

    /// Forgets everything but settings and tokens, here at once and in the mirrors by owner.
    pub(super) fn forget_everything(&self) -> Result<(), StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        self.stop_running(|_| true);
        self.finished.borrow_mut().take();
        self.brought.borrow_mut().clear();
        atomic(sql, || {
            scrub::measure(sql)?;
            // First, because it lets go of the tables that are being made anew.
            index::clear(sql)?;
            // Turns that still wait are told to be over by the closing of every connection.
            turns::clear(sql)?;
            messages::clear(sql)?;
            threads::clear(sql)?;
            traces::clear(sql)?;
            rewrites::clear(sql)?;
            jobs::clear(sql)?;
            forget::clear(sql)?;
            leaving::clear(sql)?;
            outbox::clear(sql, now)?;
            receipts::everything_forgotten(sql, now)?;
            self.ask_to_scrub(true)
        })?;
        // Told first: between what is durable and its telling nothing may fail.
        self.ports.peers().close(None, 4005, "everything was forgotten");
        self.drop_listeners(None);
        self.arm()
    }

    /// Undoes a change of the ledger.
    pub(super) fn undo(
        &self,
        id: &crate::id::ChangeId,
    ) -> Result<Result<Applied, ledger::UndoRefused>, StoreError> {
        let sql = self.ports.sql();
        let undone = self.act(None, |act| ledger::undo(sql, id, act))?;
        self.arm()?;
        Ok(undone)
    }

    /// Whether a text says something that was forgotten after `said_at`.
    pub(super) fn is_forgotten(&self, text: &str, said_at: Millis) -> Result<bool, StoreError> {
        tombstones::is_tombstoned(self.ports.sql(), text, text, said_at)
    }

    /// A key for the tombstones, if there is none yet.
    pub(super) fn random_key(&self) -> [u8; 32] {
        let mut key = [0; 32];
        for part in key.chunks_mut(10) {
            let random = self.ports.random();
            for (byte, random) in part.iter_mut().zip(random) {
                *byte = random;
            }
        }
        key
    }
}

/// What a changed fact means for the search index and the mirrors.
fn tell_mirrors(sql: &dyn Sql, told: Told<'_>, now: Millis) -> Result<(), StoreError> {
    match told {
        Told::Changed(fact) => {
            index::put_fact(sql, &fact.id, &fact.text)?;
            jobs::ask(sql, jobs::JobKind::Embed, "all", now, now)?;
            super::upkeep::ask_to_reconcile(sql, now)?;
            super::consolidate::ask_to_consolidate(sql, fact, now)?;
            outbox::enqueue(sql, &fact.id, fact.version, Change::Upsert, now)
        }
        Told::Removed { fact, version } => {
            index::drop_fact(sql, fact)?;
            outbox::enqueue(sql, fact, version, Change::Delete, now)
        }
    }
}
