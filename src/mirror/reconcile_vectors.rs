//! The steps of a comparison that look at Vectorize.
//!
//! Vectors carry no version that a query shows, so what should be there is asked for by id, and what should not is found as a neighbour.

use super::drain::Ports;
use super::ports::{Embed, Facts, MAX_GET, MAX_TOP_K, Vectors};
use super::reconcile::{Interrupted, ROWS, Run};
use super::vectors::{digest, namespace};
use crate::id::FactId;
use crate::store::mirrors::Mirror;
use crate::store::outbox::Change;
use crate::store::sql::{Sql, StoreError, atomic};
use crate::store::{outbox, vectors};
use crate::time::Millis;

/// Vectors looked at in one step: ten requests.
const VECTORS: usize = 10 * MAX_GET;

/// Finds facts without a vector that says what they say now; false at the end. Asks nobody but the object.
pub(super) fn compare_facts<T, V, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    run: &mut Run,
    now: Millis,
) -> Result<bool, StoreError> {
    let sql = ports.sql;
    atomic(sql, || {
        let page = ports.facts.page(FactId::parse(&run.after).as_ref(), ROWS)?;
        let epoch = outbox::epoch(sql, now)?;
        for (id, version) in &page {
            let Some(fact) = ports.facts.fact(id)? else { continue };
            let model = ports.embed.model();
            if outbox::is_pending(sql, Mirror::Vectorize, id.as_str())?
                || vectors::keep(sql, id, *version, epoch, model, &digest(&fact.text))?.is_some()
            {
                continue;
            }
            if vectors::may_exist(sql, id.as_str())? {
                run.vectorize.stale += 1;
            } else {
                run.vectorize.missing += 1;
            }
            outbox::requeue(sql, Mirror::Vectorize, id, *version, Change::Upsert, now)?;
        }
        run.after = page.last().map(|(id, _)| id.as_str().to_owned()).unwrap_or_default();
        Ok(!page.is_empty())
    })
}

/// Looks whether the next vectors that should be there are; false at the end.
pub(super) async fn compare_vectors<V: Vectors>(
    sql: &dyn Sql,
    index: &V,
    run: &mut Run,
    now: Millis,
) -> Result<bool, Interrupted> {
    let page = vectors::live_after(sql, &run.after, VECTORS)?;
    for group in page.chunks(MAX_GET) {
        let ids: Vec<String> = group.iter().map(|check| check.id.clone()).collect();
        let present =
            index.get_by_ids(&ids).await.map_err(|error| Interrupted::Mirror(Mirror::Vectorize, error))?;
        atomic(sql, || {
            for check in group {
                run.vectorize.checked += 1;
                if !present.contains(&check.id) {
                    run.vectorize.missing += 1;
                    vectors::redo(sql, check)?;
                    outbox::requeue(sql, Mirror::Vectorize, &check.fact, check.version, Change::Upsert, now)?;
                }
            }
            Ok(())
        })?;
    }
    run.after = page.last().map(|check| check.id.clone()).unwrap_or_default();
    Ok(!page.is_empty())
}

/// Looks for vectors of this owner that the object doesn't know of: those of an object that was lost or restored.
///
/// Vectorize can't list ids, so neighbours are asked for in several directions. Up to 100 vectors this finds all;
/// of more it finds what is nearest, and what it deletes makes room for the rest in the next run.
pub(super) async fn find_strangers<T, V: Vectors, E, F>(
    ports: &Ports<'_, T, V, E, F>,
    index: &V,
    run: &mut Run,
    now: Millis,
) -> Result<(), Interrupted> {
    let sql = ports.sql;
    let failed = |error| Interrupted::Mirror(Mirror::Vectorize, error);
    let dimensions = index.describe().await.map_err(failed)?.dimensions;
    for direction in 0..4 {
        let probe = probe(dimensions, direction);
        let matches = index
            .query(&probe, MAX_TOP_K, &namespace(ports.owner), ports.owner.as_str())
            .await
            .map_err(failed)?;
        atomic(sql, || {
            for found in &matches {
                if vectors::is_known(sql, &found.id)? {
                    continue;
                }
                run.vectorize.orphan += 1;
                let stranger = vectors::doom_stranger(sql, &found.id, now)?;
                outbox::requeue(sql, Mirror::Vectorize, &stranger, 0, Change::Delete, now)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Unit-sized steps along a pattern of signs; the four directions are two patterns and their opposites.
fn probe(dimensions: u32, direction: u32) -> Vec<f32> {
    let size = 1.0 / (f64::from(dimensions.max(1))).sqrt() as f32;
    (0..dimensions)
        .map(|at| {
            let is_negative = (at.wrapping_mul(0x9e37_79b9) >> (13 + direction / 2)) & 1 == direction % 2;
            if is_negative { -size } else { size }
        })
        .collect()
}
