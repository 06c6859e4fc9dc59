//! Compares the object with its mirrors and puts what differs into the outbox.
//!
//! The object is right. What is missing or stale in a mirror is sent again, what it has and shouldn't is deleted,
//! and a row that is ahead of the object (which was restored from a backup) is dropped first, because no write of
//! ours could replace it. What waits in the outbox isn't drift. A run goes in steps of bounded size; facts that
//! change between two steps may be sent once too often, never too seldom.

use crate::sorted::SortedMap;
use serde::{Deserialize, Serialize};

use super::drain::{Ports, enqueue_all};
use super::ports::{Embed, Facts, MirrorError, Statement, Table, Vectors};
use super::reconcile_vectors::{compare_facts, compare_vectors, find_strangers};
use super::rows;
use crate::id::FactId;
use crate::store::mirrors::Mirror;
use crate::store::outbox;
use crate::store::outbox::Change;
use crate::store::sql::{Row, StoreError, atomic};
use crate::time::Millis;

/// What was found to differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub checked: u64,
    /// The object has it, the mirror doesn't.
    pub missing: u64,
    /// The mirror has an older version.
    pub stale: u64,
    /// The mirror has it, the object doesn't.
    pub orphan: u64,
    /// The mirror has a version that the object never made.
    pub ahead: u64,
}

impl Drift {
    pub fn is_none(&self) -> bool {
        (self.missing, self.stale, self.orphan, self.ahead) == (0, 0, 0, 0)
    }
}

/// Where a run is. It starts at the default and may be stored between steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    stage: Stage,
    /// The last id that was compared.
    pub(super) after: String,
    pub d1: Drift,
    pub vectorize: Drift,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    #[default]
    Start,
    Rows,
    Facts,
    Vectors,
    Strangers,
    Done,
}

impl Run {
    pub fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }
}

/// Why a step couldn't be made. It can be made again later from the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interrupted {
    Mirror(Mirror, MirrorError),
    Store(StoreError),
}

impl From<StoreError> for Interrupted {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Rows compared in one step: one request to D1, two if something is ahead.
pub(super) const ROWS: usize = 500;

/// D1's free plan allows 50 statements an invocation.
const DROPS: usize = 40;

/// Makes one step. Call [`super::drain::drain`] afterwards, which sends the repairs.
pub async fn step<T: Table, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    run: &mut Run,
    now: Millis,
) -> Result<(), Interrupted> {
    let stage = run.stage;
    let goes_on = match (stage, ports.vectors) {
        (Stage::Start, _) => {
            start(ports, run, now).await?;
            false
        }
        (Stage::Rows, _) => compare_rows(ports, run, now).await?,
        (Stage::Facts, Some(_)) => compare_facts(ports, run, now)?,
        (Stage::Vectors, Some(index)) => compare_vectors(ports.sql, index, run, now).await?,
        (Stage::Strangers, Some(index)) => {
            find_strangers(ports, index, run, now).await?;
            false
        }
        (_, None) | (Stage::Done, _) => false,
    };
    if !goes_on {
        run.after.clear();
        run.stage = match stage {
            Stage::Start => Stage::Rows,
            Stage::Rows => Stage::Facts,
            Stage::Facts => Stage::Vectors,
            Stage::Vectors => Stage::Strangers,
            Stage::Strangers | Stage::Done => Stage::Done,
        };
    }
    Ok(())
}

/// Gives parked rows a new chance, sweeps old traces, and notices an object that was restored to before it forgot
/// everything: D1 would refuse all its facts, so it begins a new epoch and sends everything anew.
async fn start<T: Table, V, E, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    run: &mut Run,
    now: Millis,
) -> Result<(), Interrupted> {
    let sql = ports.sql;
    outbox::resume(sql, now)?;
    let Some(table) = own_table(ports) else { return Ok(()) };
    let statements = [rows::owner_epoch(ports.owner), rows::sweep(ports.owner, now)];
    let answers = table.batch(&statements).await.map_err(|error| Interrupted::Mirror(Mirror::D1, error))?;
    let known = answers.first().and_then(|rows| rows.first()).map_or(Ok(0), |row| row.int(0))?;
    if known > outbox::epoch(sql, now)? {
        run.d1.ahead += 1;
        atomic(sql, || {
            outbox::begin_epoch(sql, Millis(known))?;
            outbox::clear(sql, now)?;
            enqueue_all(sql, ports.facts, Mirror::D1, now)?;
            enqueue_all(sql, ports.facts, Mirror::Vectorize, now).map(|_| ())
        })?;
    }
    Ok(())
}

fn own_table<'a, T, V, E, F>(ports: &Ports<'a, T, V, E, F>) -> Option<&'a T> {
    ports.tables.get(rows::shard(ports.owner, ports.tables.len()))
}

#[derive(Clone, Copy, Default)]
struct Pair {
    /// Version in the object.
    own: Option<u32>,
    mirrored: Option<Mirrored>,
}

#[derive(Clone, Copy)]
struct Mirrored {
    version: i64,
    epoch: i64,
    is_deleted: bool,
}

/// Compares the next page of ids with D1; false at the end.
async fn compare_rows<T: Table, V, E, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    run: &mut Run,
    now: Millis,
) -> Result<bool, Interrupted> {
    let sql = ports.sql;
    let Some(table) = own_table(ports) else { return Ok(false) };
    let failed = |error| Interrupted::Mirror(Mirror::D1, error);
    let answers = table.batch(&[rows::inventory(ports.owner, &run.after, ROWS)]).await.map_err(failed)?;
    let mirrored = answers.first().map_or(&[][..], Vec::as_slice);
    let own = ports.facts.page(FactId::parse(&run.after).as_ref(), ROWS)?;

    // Both pages are only complete up to the smaller of their last ids.
    let last_mirrored = if mirrored.len() < ROWS { None } else { mirrored.last().map(|row| row.text(0)) };
    let last_mirrored = last_mirrored.transpose()?;
    let last_own = if own.len() < ROWS { None } else { own.last().map(|(id, _)| id.as_str()) };
    let end = [last_mirrored, last_own].into_iter().flatten().min().map(str::to_owned);
    let is_within = |id: &str| end.as_deref().is_none_or(|end| id <= end);

    let mut pairs: SortedMap<&str, Pair> = SortedMap::new();
    for (id, version) in own.iter().filter(|(id, _)| is_within(id.as_str())) {
        pairs.or_default(id.as_str()).own = Some(*version);
    }
    for row in mirrored {
        let id = row.text(0)?;
        if is_within(id) {
            pairs.or_default(id).mirrored = Some(read_mirrored(row)?);
        }
    }
    let epoch = outbox::epoch(sql, now)?;
    let drops = atomic(sql, || {
        let mut drops = Vec::new();
        for (&id, pair) in pairs.iter() {
            drops.extend(compare(ports, id, *pair, epoch, &mut run.d1, now)?);
        }
        Ok(drops)
    })?;
    for batch in drops.chunks(DROPS) {
        table.batch(batch).await.map_err(failed)?;
    }
    run.after = end.clone().unwrap_or_default();
    Ok(end.is_some())
}

fn read_mirrored(row: &Row) -> Result<Mirrored, StoreError> {
    Ok(Mirrored { version: row.int(1)?, epoch: row.int(2)?, is_deleted: row.flag(3)? })
}

/// Counts and repairs one id; gives the statement without which the repair would be refused.
fn compare<T, V, E, F>(
    ports: &Ports<'_, T, V, E, F>,
    id: &str,
    pair: Pair,
    epoch: i64,
    drift: &mut Drift,
    now: Millis,
) -> Result<Option<Statement>, StoreError> {
    let sql = ports.sql;
    drift.checked += 1;
    if outbox::is_pending(sql, Mirror::D1, id)? || outbox::is_pending(sql, Mirror::D1, "")? {
        return Ok(None);
    }
    let drop = |row: &Mirrored| rows::drop_exact(ports.owner, id, row.version, row.epoch);
    let Some(fact) = FactId::parse(id) else {
        drift.orphan += 1;
        return Ok(pair.mirrored.as_ref().map(drop));
    };
    match pair {
        Pair { own: None, mirrored: None } => Ok(None),
        Pair { own: None, mirrored: Some(row) } => {
            if row.is_deleted {
                return Ok(None);
            }
            drift.orphan += 1;
            if row.epoch > epoch {
                return Ok(Some(drop(&row)));
            }
            let version = u32::try_from(row.version).unwrap_or(u32::MAX);
            outbox::requeue(sql, Mirror::D1, &fact, version, Change::Delete, now)?;
            Ok(None)
        }
        Pair { own: Some(version), mirrored } => {
            let own = (epoch, i64::from(version));
            let mut first = None;
            match mirrored {
                Some(row) if (row.epoch, row.version) == own && !row.is_deleted => return Ok(first),
                Some(row) if (row.epoch, row.version) >= own => {
                    drift.ahead += 1;
                    first = Some(drop(&row));
                }
                Some(row) if !row.is_deleted => drift.stale += 1,
                Some(_) | None => drift.missing += 1,
            }
            outbox::requeue(sql, Mirror::D1, &fact, version, Change::Upsert, now)?;
            Ok(first)
        }
    }
}
