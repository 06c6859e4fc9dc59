//! Memory changes as they are decided: a plan applied, a fact added, edited or approved by hand.
//!
//! Invariant: whatever was decided outside is checked once more against the rows of this moment, because a fact may
//! have been edited, superseded or forgotten while a model was asked. What is no longer true of the old fact makes
//! the new one wait; nothing forgotten comes back.

use super::facts;
use super::ledger::{Act, Applied, Draft, commit};
use super::sql::{Sql, StoreError, atomic};
use super::tombstones;
use crate::id::{FactId, MessageId};
use crate::memory::model::{Fact, Op, Status};
use crate::memory::reconcile::{Change, NewFact, Reason};
use crate::time::Millis;

/// A change that was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was forgotten after it had been said.
    Forgotten,
    /// `FACTS_MAX` facts are stored.
    Full,
    /// The fact that it is about is gone.
    Gone,
}

/// What became of a plan, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub applied: Vec<Applied>,
    pub refused: Vec<Refused>,
}

/// Applies the changes together with their ledger entries: all of them or, on an error, none.
pub fn apply(
    sql: &dyn Sql,
    plan: &[Change],
    facts_max: usize,
    act: &mut Act<'_>,
) -> Result<Outcome, StoreError> {
    atomic(sql, || {
        let mut outcome = Outcome::default();
        for change in plan {
            match apply_one(sql, change, facts_max, act)? {
                Ok(applied) => outcome.applied.push(applied),
                Err(refused) => outcome.refused.push(refused),
            }
        }
        Ok(outcome)
    })
}

type One = Result<Result<Applied, Refused>, StoreError>;

fn apply_one(sql: &dyn Sql, change: &Change, facts_max: usize, act: &mut Act<'_>) -> One {
    match change {
        Change::Add(new) => add(sql, new, &[], facts_max, act),
        Change::Supersede { old, new, ended } => supersede(sql, old, new, ended.as_deref(), facts_max, act),
        Change::Hold { new, reason, contests } => hold(sql, new, *reason, contests.as_ref(), facts_max, act),
        Change::Confirm { fact, message, quote, said_at } => {
            confirm(sql, fact, Some(message), quote, *said_at, act)
        }
        Change::ProposeForget { fact, quote } => {
            if facts::get(sql, fact)?.is_none() {
                return Ok(Err(Refused::Gone));
            }
            let draft = Draft {
                op: Op::Held,
                fact,
                reason: Reason::ForgetProposed.as_str(),
                quote: Some(quote),
                undoes: None,
                after: Vec::new(),
            };
            let mut applied = commit(sql, draft, act)?;
            applied.fact = facts::get(sql, fact)?;
            Ok(Ok(applied))
        }
    }
}

/// Adds a fact; those of `old` become past and are linked to it, in the same entry.
fn add(sql: &dyn Sql, new: &NewFact, old: &[Fact], facts_max: usize, act: &mut Act<'_>) -> One {
    if is_forgotten(sql, new, act.now)? {
        return Ok(Err(Refused::Forgotten));
    }
    // Two candidates of one batch may say the same: the second confirms what the first has just added.
    if old.is_empty() && new.status == Status::Current && new.valid_from.is_none() {
        let same = facts::same_text(sql, &new.text)?.into_iter().find(|fact| {
            fact.scope == new.scope && fact.status == Status::Current && fact.valid_from == new.valid_from
        });
        if let Some(same) = same {
            let source = &new.source;
            return confirm(sql, &same.id, source.message.as_ref(), &source.quote, source.said_at, act);
        }
    }
    if facts::count(sql)? >= facts_max as i64 {
        return Ok(Err(Refused::Full));
    }
    let mut fact = stored(new, act);
    let successor = new.superseded_by.as_ref().map(|id| facts::get(sql, id)).transpose()?.flatten();
    fact.superseded_by = successor.as_ref().map(|successor| successor.id.clone());
    let mut after: Vec<(FactId, Option<Fact>)> =
        old.iter().map(|old| (old.id.clone(), Some(old.clone()))).collect();
    for (_, old) in &mut after {
        if let Some(old) = old {
            old.status = Status::Past;
            old.superseded_by = Some(fact.id.clone());
        }
    }
    // The successor's own row stays, but it is read with one more link from now on.
    after.extend(successor.map(|successor| (successor.id.clone(), Some(successor))));
    let id = fact.id.clone();
    after.push((id.clone(), Some(fact)));
    let draft = Draft {
        op: if old.is_empty() { Op::Added } else { Op::Superseded },
        fact: &id,
        reason: new.reason,
        quote: Some(&new.source.quote),
        undoes: None,
        after,
    };
    commit(sql, draft, act).map(Ok)
}

fn supersede(
    sql: &dyn Sql,
    old: &[FactId],
    new: &NewFact,
    ended: Option<&str>,
    facts_max: usize,
    act: &mut Act<'_>,
) -> One {
    let mut replaced = Vec::new();
    for id in old {
        let Some(mut fact) = facts::get(sql, id)? else { continue };
        if fact.status != Status::Current || fact.scope != new.scope {
            continue;
        }
        if fact.pinned || fact.edited {
            return hold(sql, new, Reason::Protected, Some(id), facts_max, act);
        }
        fact.valid_until = fact.valid_until.or_else(|| ended.map(str::to_owned));
        replaced.push(fact);
    }
    add(sql, new, &replaced, facts_max, act)
}

fn hold(
    sql: &dyn Sql,
    new: &NewFact,
    reason: Reason,
    contests: Option<&FactId>,
    facts_max: usize,
    act: &mut Act<'_>,
) -> One {
    if is_forgotten(sql, new, act.now)? {
        return Ok(Err(Refused::Forgotten));
    }
    let waiting = facts::same_text(sql, &new.text)?
        .into_iter()
        .find(|fact| fact.scope == new.scope && fact.status == Status::Held);
    if let Some(waiting) = waiting {
        let source = &new.source;
        return confirm(sql, &waiting.id, source.message.as_ref(), &source.quote, source.said_at, act);
    }
    if facts::count(sql)? >= facts_max as i64 {
        return Ok(Err(Refused::Full));
    }
    let mut fact = stored(new, act);
    fact.status = Status::Held;
    let id = fact.id.clone();
    let draft = Draft {
        op: Op::Held,
        fact: &id,
        reason: reason.as_str(),
        quote: Some(&new.source.quote),
        undoes: None,
        after: vec![(id.clone(), Some(fact))],
    };
    let applied = commit(sql, draft, act)?;
    facts::set_hold(sql, &id, reason.as_str(), contests)?;
    Ok(Ok(applied))
}

fn confirm(
    sql: &dyn Sql,
    id: &FactId,
    message: Option<&MessageId>,
    quote: &str,
    said_at: Millis,
    act: &mut Act<'_>,
) -> One {
    // A fact that went while this was decided must not come back.
    let Some(mut fact) = facts::get(sql, id)? else { return Ok(Err(Refused::Gone)) };
    fact.observed_at = fact.observed_at.max(said_at);
    if let Some(message) = message {
        facts::add_source(sql, id, message)?;
    }
    let draft = Draft {
        op: Op::Confirmed,
        fact: id,
        reason: "said again",
        quote: Some(quote),
        undoes: None,
        after: vec![(id.clone(), Some(fact))],
    };
    commit(sql, draft, act).map(Ok)
}

/// What is said at this very moment is said anew, also in the millisecond of the deletion.
fn is_forgotten(sql: &dyn Sql, new: &NewFact, now: Millis) -> Result<bool, StoreError> {
    let source = &new.source;
    Ok(source.said_at < now && tombstones::is_tombstoned(sql, &new.text, &source.quote, source.said_at)?)
}

fn stored(new: &NewFact, act: &mut Act<'_>) -> Fact {
    Fact {
        kind: new.kind,
        scope: new.scope.clone(),
        status: new.status,
        observed_at: new.source.said_at,
        valid_from: new.valid_from.clone(),
        valid_until: new.valid_until.clone(),
        superseded_by: new.superseded_by.clone(),
        source: new.source.clone(),
        turn: act.turn.cloned(),
        ..Fact::new(FactId::new((act.dice)()), &new.text, act.now)
    }
}

/// What the user changes by hand; `None` leaves it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edit<'a> {
    pub text: Option<&'a str>,
    pub pinned: Option<bool>,
    pub status: Option<Status>,
    /// Why the new text awaits approval, unless the same edit gives that.
    pub hold: Option<Reason>,
}

/// Edits a fact. A held one that becomes current replaces the fact it was held against; one that becomes past
/// ended on `today`, the user's local date. `None` if there is no such fact. A change that changes nothing gives
/// the fact without an entry.
pub fn edit(
    sql: &dyn Sql,
    id: &FactId,
    edit: Edit<'_>,
    today: &str,
    act: &mut Act<'_>,
) -> Result<Option<(Fact, Option<Applied>)>, StoreError> {
    atomic(sql, || {
        let Some(was) = facts::get(sql, id)? else { return Ok(None) };
        let mut fact = was.clone();
        if let Some(text) = edit.text.filter(|text| *text != was.text) {
            // Added by hand, its text is its quote; a kept old one would still be found by words taken back.
            if was.source.message.is_none() && was.source.quote == was.text {
                text.clone_into(&mut fact.source.quote);
                fact.source.said_at = act.now;
            }
            text.clone_into(&mut fact.text);
            fact.edited = true;
        }
        fact.pinned = edit.pinned.unwrap_or(was.pinned);
        // Only rules hold a fact; a hand can approve it or end it.
        fact.status = edit.status.filter(|status| *status != Status::Held).unwrap_or(was.status);
        let asks = fact.text != was.text && edit.status.is_none() && was.status != Status::Held;
        let hold = edit.hold.filter(|_| asks);
        if hold.is_some() {
            fact.status = Status::Held;
        }
        let mut after = Vec::new();
        match (was.status, fact.status) {
            (Status::Current, Status::Past) => {
                fact.valid_until = fact.valid_until.or_else(|| Some(today.to_owned()));
            }
            // Current again, by the user's word: what replaced it stays, but replaced nothing.
            (Status::Past, Status::Current) => {
                fact.valid_until = None;
                if let Some(successor) = fact.superseded_by.take() {
                    after.extend(facts::get(sql, &successor)?.map(|fact| (successor, Some(fact))));
                }
            }
            (Status::Held, Status::Current) => {
                if let Some((_, Some(contested))) = facts::hold(sql, id)?
                    && let Some(mut old) = facts::get(sql, &contested)?
                    && old.status == Status::Current
                {
                    old.status = Status::Past;
                    old.superseded_by = Some(id.clone());
                    old.valid_until = old.valid_until.or_else(|| Some(today.to_owned()));
                    after.push((contested, Some(old)));
                }
            }
            _ => {}
        }
        if fact == was {
            return Ok(Some((was, None)));
        }
        after.push((id.clone(), Some(fact)));
        let draft = Draft {
            op: Op::Edited,
            fact: id,
            reason: "edited by the user",
            quote: None,
            undoes: None,
            after,
        };
        let applied = commit(sql, draft, act)?;
        if let Some(reason) = hold {
            facts::set_hold(sql, id, reason.as_str(), None)?;
        }
        let fact = applied.fact.clone().ok_or_else(|| StoreError::corrupt("edited fact"))?;
        Ok(Some((fact, Some(applied))))
    })
}
