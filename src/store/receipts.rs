//! How far each store has come: the freshness of a fact, and the receipt of one that was forgotten.
//!
//! Both are read from what is still to be done, so they can't say `done` before it is.

use super::mirrors::{self, Mirror};
use super::sql::{Row, Sql, StoreError, counted};
use super::{leaving, outbox, vectors};
use crate::id::FactId;
use crate::time::{DAY, Millis};

/// Whether a mirror shows a fact as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    Synced,
    Pending,
    /// The mirror isn't bound.
    Off,
}

impl Fresh {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Synced => "synced",
            Self::Pending => "pending",
            Self::Off => "off",
        }
    }

    /// The word of a receipt.
    pub fn as_receipt(self) -> &'static str {
        match self {
            Self::Synced => "done",
            Self::Pending => "pending",
            Self::Off => "off",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    pub d1: Fresh,
    pub vectorize: Fresh,
}

/// What forgetting does to the summaries that were made with the fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// It was in none.
    Clean,
    /// They are folded again before they are next used.
    Pending,
    Done,
}

impl Summary {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Pending => "pending",
            Self::Done => "done",
        }
    }

    fn parse(word: &str) -> Result<Self, StoreError> {
        match word {
            "clean" => Ok(Self::Clean),
            "pending" => Ok(Self::Pending),
            "done" => Ok(Self::Done),
            _ => Err(StoreError::corrupt("receipt")),
        }
    }
}

/// The state of a deletion per store. The object itself is done at once, but where many facts go with a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub forgotten_at: Millis,
    pub is_erased: bool,
    pub summary: Summary,
    pub mirrors: Freshness,
}

impl Receipt {
    pub fn is_done(&self) -> bool {
        self.is_erased
            && self.summary != Summary::Pending
            && self.mirrors.d1 != Fresh::Pending
            && self.mirrors.vectorize != Fresh::Pending
    }
}

/// A finished receipt is shown this long.
const KEPT: i64 = DAY;

/// How the mirrors show this fact.
pub fn freshness(sql: &dyn Sql, fact: &FactId) -> Result<Freshness, StoreError> {
    let d1 = if outbox::is_pending(sql, Mirror::D1, fact.as_str())? { Fresh::Pending } else { Fresh::Synced };
    let rows = sql.exec(
        "SELECT coalesce(sum(state = 'live' AND epoch = (SELECT epoch FROM mirror_epoch)), 0),
                coalesce(sum(state IN ('sent', 'doomed', 'dropped')), 0)
         FROM vectors WHERE fact = ?1",
        &[fact.as_str().into()],
    )?;
    let counts = counted(&rows)?;
    let (live, moving) = (counts.int(0)?, counts.int(1)?);
    let is_waiting = outbox::is_pending(sql, Mirror::Vectorize, fact.as_str())?;
    let vectorize = if !mirrors::is_bound(sql, Mirror::Vectorize)? {
        Fresh::Off
    } else if is_waiting || moving > 0 || live == 0 {
        Fresh::Pending
    } else {
        Fresh::Synced
    };
    Ok(Freshness { d1, vectorize })
}

/// Writes the receipt of a fact that is being forgotten. Call it in the transaction that forgets.
pub fn forgotten(sql: &dyn Sql, fact: &FactId, summary: Summary, now: Millis) -> Result<(), StoreError> {
    write(sql, fact.as_str(), summary, now)
}

/// Writes the receipt of forgetting everything, in place of those of single facts.
pub fn everything_forgotten(sql: &dyn Sql, now: Millis) -> Result<(), StoreError> {
    sql.exec("DELETE FROM receipts", &[])?;
    write(sql, "", Summary::Done, now)
}

fn write(sql: &dyn Sql, fact: &str, summary: Summary, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO receipts (fact, forgotten_at, summary) VALUES (?1, ?2, ?3)
         ON CONFLICT (fact) DO UPDATE SET forgotten_at = ?2, summary = ?3",
        &[fact.into(), now.into(), summary.as_str().into()],
    )?;
    Ok(())
}

/// The summaries that awaited folding without forgotten facts are folded.
pub fn summaries_folded(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("UPDATE receipts SET summary = 'done' WHERE summary = 'pending'", &[])?;
    Ok(())
}

/// The receipt of a forgotten fact; `None` if it wasn't forgotten, or so long ago that its receipt is gone.
pub fn receipt(sql: &dyn Sql, fact: &FactId) -> Result<Option<Receipt>, StoreError> {
    read(sql, fact.as_str())
}

/// How far the mirrors have come that have yet to drop one of these facts.
pub fn slowest(sql: &dyn Sql, facts: &[FactId]) -> Result<Freshness, StoreError> {
    let mut slowest = absence(sql, "")?;
    // The last ones are the last to be forgotten.
    for fact in facts.iter().rev() {
        let fresh = absence(sql, fact.as_str())?;
        if fresh.d1 == Fresh::Pending {
            slowest.d1 = Fresh::Pending;
        }
        if fresh.vectorize == Fresh::Pending {
            slowest.vectorize = Fresh::Pending;
        }
        if (slowest.d1, slowest.vectorize) == (Fresh::Pending, Fresh::Pending) {
            break;
        }
    }
    Ok(slowest)
}

/// The receipt of forgetting everything.
pub fn receipt_of_everything(sql: &dyn Sql) -> Result<Option<Receipt>, StoreError> {
    read(sql, "")
}

fn read(sql: &dyn Sql, fact: &str) -> Result<Option<Receipt>, StoreError> {
    let rows = sql.exec("SELECT forgotten_at, summary FROM receipts WHERE fact = ?1", &[fact.into()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(Receipt {
        forgotten_at: Millis(row.int(0)?),
        is_erased: !leaving::is_leaving(sql, fact)?,
        summary: Summary::parse(row.text(1)?)?,
        mirrors: absence(sql, fact)?,
    }))
}

/// Whether the mirrors have dropped a fact, or everything for `""`.
fn absence(sql: &dyn Sql, fact: &str) -> Result<Freshness, StoreError> {
    let waits = |mirror| -> Result<bool, StoreError> {
        Ok(outbox::is_pending(sql, mirror, fact)? || outbox::is_pending(sql, mirror, "")?)
    };
    let is_left = vectors::outlives(sql, fact)?;
    let moves = sql.exec("SELECT 1 FROM left_shards LIMIT 1", &[])?;
    let is_leaving = leaving::is_leaving(sql, fact)?;
    let d1 =
        if is_leaving || waits(Mirror::D1)? || !moves.is_empty() { Fresh::Pending } else { Fresh::Synced };
    let vectorize = if is_leaving || is_left {
        Fresh::Pending
    } else if !mirrors::is_bound(sql, Mirror::Vectorize)? {
        Fresh::Off
    } else if waits(Mirror::Vectorize)? {
        Fresh::Pending
    } else {
        Fresh::Synced
    };
    Ok(Freshness { d1, vectorize })
}

/// Drops the receipts that are done and have been shown long enough. Gives how many are left.
pub fn prune(sql: &dyn Sql, now: Millis) -> Result<usize, StoreError> {
    let rows = sql.exec(
        "SELECT fact FROM receipts WHERE forgotten_at <= ?1 ORDER BY fact",
        &[now.plus(-KEPT).into()],
    )?;
    let old: Vec<String> = rows.iter().map(|row: &Row| row.string(0)).collect::<Result<_, _>>()?;
    for fact in old {
        if read(sql, &fact)?.is_some_and(|receipt| receipt.is_done()) {
            sql.exec("DELETE FROM receipts WHERE fact = ?1", &[(&fact).into()])?;
        }
    }
    let left = sql.exec("SELECT count(*) FROM receipts", &[])?;
    Ok(counted(&left)?.int(0)?.unsigned_abs() as usize)
}
