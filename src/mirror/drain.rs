//! One bounded pass from the outbox to the mirrors.
//!
//! Invariant: between two awaits the fact is read, what will be sent is recorded, and nothing is assumed to still
//! hold after the next await. So passes may overlap, the object may be evicted at any await, and an answer may be
//! lost after its write: the outbox row is still there, and sending again changes nothing. The mirrors
//! are served side by side; one that is down or slow doesn't hold the other up.

use super::ports::{Embed, Facts, MirrorError, Statement, Table, Vectors};
use super::{former, index, rows};
use crate::id::{FactId, OwnerKey};
use crate::store::mirrors::{self, Mirror};
use crate::store::outbox::{self, Change, Due, Outcome};
use crate::store::receipts;
use crate::store::sql::{Sql, StoreError, atomic};
use crate::time::Millis;

/// The worlds a pass speaks to. `tables` are the D1 databases in the order of their bindings; `vectors` is `None`
/// without a Vectorize binding.
pub struct Ports<'a, T, V, E, F> {
    pub sql: &'a dyn Sql,
    pub facts: &'a F,
    pub tables: &'a [T],
    pub vectors: Option<&'a V>,
    pub embed: &'a E,
    pub owner: &'a OwnerKey,
}

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drained {
    /// Outbox rows that were sent and accepted.
    pub sent: usize,
    /// Outbox rows that were tried and will be tried again.
    pub failed: usize,
    /// When to call again: for the object's one alarm. `None` when every mirror has everything.
    pub next: Option<Millis>,
}

/// D1's free plan allows 50 statements an invocation.
const FACTS_PER_D1_PASS: usize = 48 / rows::STATEMENTS_PER_FACT;
/// Rows that were refused are sent alone, so that they can't spoil a batch again; so many a pass.
const ALONE: usize = 3;
/// Page size when every fact is put into the outbox.
const PAGE: usize = 500;

/// Sends what is due. Safe to call at any time and while another pass runs.
pub async fn drain<T: Table, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    now: Millis,
    dice: u32,
) -> Result<Drained, StoreError> {
    prepare(ports, now)?;
    let of_table = async {
        let mut drained = Drained::default();
        drain_table(ports, now, dice, &mut drained).await.map(|()| drained)
    };
    let of_index = async {
        let mut drained = Drained::default();
        if let Some(vectors) = ports.vectors {
            index::send_due(ports, vectors, now, dice, &mut drained).await?;
            index::check(ports.sql, vectors, now, dice).await?;
        }
        Ok::<_, StoreError>(drained)
    };
    let (of_table, of_index) = futures::join!(of_table, of_index);
    let (of_table, of_index) = (of_table?, of_index?);
    receipts::prune(ports.sql, now)?;
    Ok(Drained {
        sent: of_table.sent + of_index.sent,
        failed: of_table.failed + of_index.failed,
        next: outbox::next_due(ports.sql)?.map(|at| at.max(now)),
    })
}

/// Puts every fact into a mirror's outbox: a mirror that was lost, added, moved, or is of another model.
pub fn enqueue_all<F: Facts>(
    sql: &dyn Sql,
    facts: &F,
    mirror: Mirror,
    now: Millis,
) -> Result<usize, StoreError> {
    atomic(sql, || {
        let mut count = 0;
        let mut after: Option<FactId> = None;
        loop {
            let page = facts.page(after.as_ref(), PAGE)?;
            for (id, version) in &page {
                outbox::requeue(sql, mirror, id, *version, Change::Upsert, now)?;
            }
            count += page.len();
            match page.last() {
                Some((id, _)) => after = Some(id.clone()),
                None => return Ok(count),
            }
        }
    })
}

/// Notices bindings, models and shards that changed since the last pass.
fn prepare<T: Table, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    now: Millis,
) -> Result<(), StoreError> {
    let sql = ports.sql;
    atomic(sql, || {
        mirrors::set_bound(sql, Mirror::D1, !ports.tables.is_empty())?;
        let is_new_binding = mirrors::set_bound(sql, Mirror::Vectorize, ports.vectors.is_some())?;
        let is_new_model = ports.vectors.is_some() && mirrors::set_model(sql, ports.embed.model())?;
        if ports.vectors.is_some() && (is_new_binding || is_new_model) {
            enqueue_all(sql, ports.facts, Mirror::Vectorize, now)?;
        }
        if !ports.tables.is_empty() {
            // First: a memory that is in no database yet has left no table either.
            let is_new_layout = mirrors::set_layout(sql, rows::LAYOUT)?;
            if mirrors::set_shard(sql, rows::shard(ports.owner, ports.tables.len()))? || is_new_layout {
                enqueue_all(sql, ports.facts, Mirror::D1, now)?;
            }
        }
        Ok(())
    })
}

async fn drain_table<T: Table, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    now: Millis,
    dice: u32,
    drained: &mut Drained,
) -> Result<(), StoreError> {
    let sql = ports.sql;
    let Some(table) = ports.tables.get(rows::shard(ports.owner, ports.tables.len())) else { return Ok(()) };
    leave_old_shard(ports, now, dice).await?;
    for group in groups(outbox::due(sql, Mirror::D1, now, FACTS_PER_D1_PASS)?) {
        let epoch = outbox::epoch(sql, now)?;
        let statements = atomic(sql, || {
            let mut statements: Vec<Statement> = Vec::new();
            for row in &group {
                match &row.fact {
                    None => statements.extend(rows::clear(ports.owner, epoch)),
                    Some(id) => match ports.facts.fact(id)? {
                        Some(fact) => statements.extend(rows::upsert(ports.owner, &fact, epoch)),
                        None => statements.extend(rows::delete(ports.owner, id, row.version, epoch, now)),
                    },
                }
            }
            Ok(statements)
        })?;
        let result = table.batch(&statements).await.map(|_| ());
        settle(sql, Mirror::D1, &group, &result, now, dice, drained)?;
        if result.is_err_and(|error| is_unreachable(&error)) {
            break;
        }
    }
    Ok(())
}

/// The rows of a pass in the groups they are sent in.
pub(super) fn groups(due: Vec<Due>) -> Vec<Vec<Due>> {
    let (fresh, refused): (Vec<Due>, Vec<Due>) = due.into_iter().partition(|row| row.attempts == 0);
    let mut groups: Vec<Vec<Due>> = refused.into_iter().take(ALONE).map(|row| vec![row]).collect();
    if !fresh.is_empty() {
        groups.insert(0, fresh);
    }
    groups
}

/// Empties the database this memory moved out of. A binding that is gone took its database with it.
async fn leave_old_shard<T: Table, V, E, F>(
    ports: &Ports<'_, T, V, E, F>,
    now: Millis,
    dice: u32,
) -> Result<(), StoreError> {
    let sql = ports.sql;
    let Some(shard) = mirrors::left_shard(sql, now)? else { return Ok(()) };
    let (index, statements) = if shard == mirrors::FORMER_TABLE {
        (rows::shard(ports.owner, ports.tables.len()), vec![former::overwrite(ports.owner)])
    } else {
        // Later than every row there, and than any write of ours that may still be under way.
        let epoch = outbox::epoch(sql, now)?.saturating_add(1);
        (usize::try_from(shard).unwrap_or(usize::MAX), rows::clear(ports.owner, epoch).to_vec())
    };
    let Some(table) = ports.tables.get(index) else { return mirrors::emptied(sql, shard) };
    match table.batch(&statements).await {
        Ok(_) => mirrors::emptied(sql, shard),
        Err(error) => {
            let text = format!("the database or table that was left: {error}");
            mirrors::note(sql, Mirror::D1, Outcome::Later(&text), now, dice)?;
            mirrors::empty_later(sql, shard, now, dice)
        }
    }
}

pub(super) fn settle(
    sql: &dyn Sql,
    mirror: Mirror,
    rows: &[Due],
    result: &Result<(), MirrorError>,
    now: Millis,
    dice: u32,
    drained: &mut Drained,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    match result {
        Ok(()) => {
            drained.sent += rows.len();
            outbox::settle(sql, mirror, rows, Outcome::Done, now, dice)
        }
        Err(error) => {
            drained.failed += rows.len();
            outbox::settle(sql, mirror, rows, error.outcome(&error.to_string()), now, dice)
        }
    }
}

pub(super) fn is_unreachable(error: &MirrorError) -> bool {
    matches!(error, MirrorError::Unavailable(_) | MirrorError::Absent)
}
