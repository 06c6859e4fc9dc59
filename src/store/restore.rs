//! Facts that come back from an export.
//!
//! Invariant: a fact that is known, or was once known here and removed, isn't brought back by an old file; only the
//! user's hand or a new message can do that.

use super::ledger::{Act, Applied, Draft, commit, next_version};
use super::sql::{Sql, StoreError, atomic};
use super::{facts, tombstones};
use crate::memory::model::{Fact, Op, Status};
use crate::memory::reconcile::Reason;

/// Why a fact wasn't restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRestored {
    /// It is there, by its id or word for word.
    Known,
    /// It was forgotten, or its addition was undone.
    Removed,
    /// `FACTS_MAX` facts are stored.
    Full,
}

/// Writes a fact as it was exported, with an entry of the ledger. `hold` makes it wait for the user's approval.
pub fn restore(
    sql: &dyn Sql,
    fact: &Fact,
    hold: Option<Reason>,
    facts_max: usize,
    act: &mut Act<'_>,
) -> Result<Result<Applied, NotRestored>, StoreError> {
    atomic(sql, || {
        if facts::get(sql, &fact.id)?.is_some() || is_there(sql, fact)? {
            return Ok(Err(NotRestored::Known));
        }
        let source = &fact.source;
        if next_version(sql, &fact.id)? > 1
            || tombstones::is_tombstoned(sql, &fact.text, &source.quote, source.said_at)?
        {
            return Ok(Err(NotRestored::Removed));
        }
        if facts::count(sql)? >= facts_max as i64 {
            return Ok(Err(NotRestored::Full));
        }
        let mut fact = fact.clone();
        if hold.is_some() {
            fact.status = Status::Held;
        }
        let id = fact.id.clone();
        let quote = fact.source.quote.clone();
        let draft = Draft {
            op: if hold.is_some() { Op::Held } else { Op::Added },
            fact: &id,
            reason: "imported",
            quote: Some(&quote),
            undoes: None,
            after: vec![(id.clone(), Some(fact))],
        };
        let applied = commit(sql, draft, act)?;
        if let Some(reason) = hold {
            facts::set_hold(sql, &id, reason.as_str(), None)?;
        }
        Ok(Ok(applied))
    })
}

/// The same text, of the same standing, dates and reach.
fn is_there(sql: &dyn Sql, fact: &Fact) -> Result<bool, StoreError> {
    let same = facts::same_text(sql, &fact.text)?;
    Ok(same.iter().any(|known| {
        known.status == fact.status
            && known.scope == fact.scope
            && known.valid_from == fact.valid_from
            && known.valid_until == fact.valid_until
    }))
}
