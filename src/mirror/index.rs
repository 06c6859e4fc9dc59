//! The Vectorize half of a pass: facts become vectors, unwanted vectors go, and both are followed until seen.
//!
//! Invariant: a vector is in the object's list before it is sent, and stays there until it is seen to be gone. So
//! no vector outlives its fact, wherever a pass ends.

use super::drain::{Drained, Ports, groups, is_unreachable, settle};
use super::ports::{Described, Embed, Facts, MAX_DELETE, MAX_GET, MirrorError, Table, Vector, Vectors};
use super::vectors as as_vectors;
use crate::id::FactId;
use crate::memory::model::Fact;
use crate::sorted::SortedSet;
use crate::store::mirrors::{self, Mirror};
use crate::store::outbox::{self, Change, Due, Outcome};
use crate::store::sql::{Sql, StoreError, atomic};
use crate::store::vectors::{self, Check, SETTLED_AFTER, Sent};
use crate::time::Millis;

/// As many texts as embedding providers take at once.
const FACTS_PER_VECTOR_PASS: usize = 100;
/// Deletions are cheap, and forgetting everything has many.
const DELETES_PER_PASS: usize = 10 * MAX_DELETE;
const CHECKS_PER_PASS: usize = 5 * MAX_GET;
/// Looks that are due this soon after one another are made together.
const TOGETHER: i64 = 100;

pub(super) async fn send_due<T: Table, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    index: &V,
    now: Millis,
    dice: u32,
    drained: &mut Drained,
) -> Result<(), StoreError> {
    let sql = ports.sql;
    let due = outbox::due(sql, Mirror::Vectorize, now, FACTS_PER_VECTOR_PASS)?;
    if due.is_empty() {
        return Ok(());
    }
    let without_vector = atomic(sql, || plan(ports, &due, now))?;
    // Deletions come first: they don't wait for the embedding model, and they make room in a full index.
    let deleted = delete_doomed(sql, index, now).await?;
    if let Err(error) = &deleted
        && is_unreachable(error)
    {
        return settle(sql, Mirror::Vectorize, &due, &deleted, now, dice, drained);
    }
    for (at, group) in groups(due).into_iter().enumerate() {
        let (to_send, mut rest): (Vec<Due>, Vec<Due>) = group
            .into_iter()
            .partition(|row| row.fact.as_ref().is_some_and(|fact| without_vector.contains(fact)));
        let sent = send(ports, index, &to_send, nth_call(now, DELETES_PER_PASS / MAX_DELETE + at)).await?;
        if sent.is_ok() {
            rest.extend(to_send.iter().cloned());
        }
        // Before a failure is noted: what needed no call must not be taken for an answer of the index.
        let (blocked, done) = split_blocked(sql, rest, now)?;
        settle(sql, Mirror::Vectorize, &done, &Ok(()), now, dice, drained)?;
        let mut goes_on = true;
        match sent {
            Ok(()) => {}
            Err(Unsent::NotEmbedded(error)) => {
                drained.failed += to_send.len();
                let text = format!("embedding: {error}");
                outbox::settle(sql, Mirror::Vectorize, &to_send, Outcome::Later(&text), now, dice)?;
            }
            Err(Unsent::NotAccepted(error)) => {
                goes_on = !is_unreachable(&error);
                settle(sql, Mirror::Vectorize, &to_send, &Err(error), now, dice, drained)?;
            }
        }
        if deleted.is_err() {
            settle(sql, Mirror::Vectorize, &blocked, &deleted, now, dice, drained)?;
        }
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// The n-th write of a pass counts as n milliseconds later, so that the order of writes can be told.
fn nth_call(now: Millis, n: usize) -> Millis {
    now.plus(n as i64)
}

/// Dooms the vectors that no longer say what their fact says, and gives the facts that have none that does.
fn plan<T, V, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    due: &[Due],
    now: Millis,
) -> Result<SortedSet<FactId>, StoreError> {
    let sql = ports.sql;
    let epoch = outbox::epoch(sql, now)?;
    let mut without_vector = SortedSet::new();
    for row in due {
        let Some(id) = &row.fact else {
            vectors::doom_before(sql, epoch, DELETES_PER_PASS)?;
            continue;
        };
        let mut wanted = None;
        if let Some(fact) = ports.facts.fact(id)? {
            wanted = kept(ports, &fact, epoch)?;
            if wanted.is_none() {
                without_vector.insert(id.clone());
                // Never deletes what it will send again: the deletion might be the later one to arrive.
                wanted = Some(as_vectors::vector_id(ports.owner, id, fact.version, ports.embed.model()));
            }
        }
        vectors::doom(sql, id, wanted.as_deref())?;
    }
    Ok(without_vector)
}

fn kept<T, V, E: Embed, F>(
    ports: &Ports<'_, T, V, E, F>,
    fact: &Fact,
    epoch: i64,
) -> Result<Option<String>, StoreError> {
    let digest = as_vectors::digest(&fact.text);
    vectors::keep(ports.sql, &fact.id, fact.version, epoch, ports.embed.model(), &digest)
}

async fn delete_doomed<V: Vectors>(
    sql: &dyn Sql,
    index: &V,
    now: Millis,
) -> Result<Result<(), MirrorError>, StoreError> {
    let doomed = vectors::doomed(sql, DELETES_PER_PASS)?;
    for (at, ids) in doomed.chunks(MAX_DELETE).enumerate() {
        match index.delete_by_ids(ids).await {
            Ok(mutation) => {
                let now = nth_call(now, at);
                atomic(sql, || vectors::accepted(sql, ids, false, &mutation, now))?;
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}

enum Unsent {
    NotEmbedded(MirrorError),
    NotAccepted(MirrorError),
}

/// Embeds and sends the facts of these rows, at most [`FACTS_PER_VECTOR_PASS`].
async fn send<T, V: Vectors, E: Embed, F: Facts>(
    ports: &Ports<'_, T, V, E, F>,
    index: &V,
    rows: &[Due],
    now: Millis,
) -> Result<Result<(), Unsent>, StoreError> {
    let sql = ports.sql;
    let facts = current(ports, rows)?;
    if facts.is_empty() {
        return Ok(Ok(()));
    }
    let embedded = match ports.embed.embed(&facts).await {
        Ok(embedded) if embedded.len() == facts.len() => embedded,
        Ok(_) => {
            let error = MirrorError::Refused("not one vector for each text".to_owned());
            return Ok(Err(Unsent::NotEmbedded(error)));
        }
        Err(error) => return Ok(Err(Unsent::NotEmbedded(error))),
    };
    let batch: Vec<Vector> = atomic(sql, || {
        let epoch = outbox::epoch(sql, now)?;
        let mut batch = Vec::new();
        for (fact, values) in facts.iter().zip(&embedded) {
            // What was forgotten or changed while it was embedded has another outbox row, or none.
            if ports.facts.fact(&fact.id)?.as_ref() != Some(fact) || kept(ports, fact, epoch)?.is_some() {
                continue;
            }
            let vector = as_vectors::vector(ports.owner, fact, ports.embed.model(), values.clone());
            let sent = Sent {
                id: vector.id.clone(),
                fact: fact.id.clone(),
                version: fact.version,
                epoch,
                model: vector.metadata.model.clone(),
                digest: as_vectors::digest(&fact.text),
            };
            vectors::sending(sql, &sent, now)?;
            batch.push(vector);
        }
        Ok(batch)
    })?;
    if batch.is_empty() {
        return Ok(Ok(()));
    }
    match index.upsert(&batch).await {
        Ok(mutation) => {
            let ids: Vec<String> = batch.into_iter().map(|vector| vector.id).collect();
            atomic(sql, || vectors::accepted(sql, &ids, true, &mutation, now))?;
            Ok(Ok(()))
        }
        Err(error) => Ok(Err(Unsent::NotAccepted(error))),
    }
}

fn current<T, V, E, F: Facts>(ports: &Ports<'_, T, V, E, F>, rows: &[Due]) -> Result<Vec<Fact>, StoreError> {
    let mut facts = Vec::new();
    for id in rows.iter().filter_map(|row| row.fact.as_ref()) {
        facts.extend(ports.facts.fact(id)?);
    }
    Ok(facts)
}

/// The rows for which some vector is still to be deleted, and the others.
fn split_blocked(sql: &dyn Sql, rows: Vec<Due>, now: Millis) -> Result<(Vec<Due>, Vec<Due>), StoreError> {
    let epoch = outbox::epoch(sql, now)?;
    let (mut blocked, mut done) = (Vec::new(), Vec::new());
    for row in rows {
        let is_blocked = match &row.fact {
            Some(id) => vectors::has_doomed(sql, id)?,
            None => vectors::has_before(sql, epoch)?,
        };
        if is_blocked { blocked.push(row) } else { done.push(row) }
    }
    Ok((blocked, done))
}

/// Looks whether what was sent or deleted is so by now. Vectorize applies writes later, and a write whose answer
/// was lost may never have arrived, or arrive after its deletion.
pub(super) async fn check<V: Vectors>(
    sql: &dyn Sql,
    index: &V,
    now: Millis,
    dice: u32,
) -> Result<(), StoreError> {
    let checks = vectors::to_check(sql, now.plus(TOGETHER), CHECKS_PER_PASS)?;
    if checks.is_empty() || mirrors::is_held_back(sql, Mirror::Vectorize, now)? {
        return Ok(());
    }
    let failed = |error: &MirrorError| {
        mirrors::note(sql, Mirror::Vectorize, Outcome::Unreachable(&error.to_string()), now, dice)
    };
    let described = match index.describe().await {
        Ok(described) => described,
        Err(error) => return failed(&error),
    };
    let last_processed = match &described.processed_up_to_mutation {
        Some(mutation) => vectors::sent_at(sql, mutation)?,
        None => None,
    };
    for group in checks.chunks(MAX_GET) {
        let ids: Vec<String> = group.iter().map(|check| check.id.clone()).collect();
        let present = match index.get_by_ids(&ids).await {
            Ok(present) => present,
            Err(error) => return failed(&error),
        };
        atomic(sql, || {
            for check in group {
                if !is_settled(check, &described, last_processed, now) {
                    vectors::look_later(sql, check, now)?;
                } else if present.contains(&check.id) == check.wanted {
                    vectors::confirm(sql, check, now)?;
                } else {
                    vectors::redo(sql, check)?;
                    // A row that waits already keeps its wait.
                    if !outbox::is_pending(sql, Mirror::Vectorize, check.fact.as_str())? {
                        let change = if check.wanted { Change::Upsert } else { Change::Delete };
                        outbox::requeue(sql, Mirror::Vectorize, &check.fact, check.version, change, now)?;
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Whether the index has had its chance: the mutation is the last processed one, or older than it, or so old that
/// other users' mutations have hidden when it was processed.
fn is_settled(check: &Check, described: &Described, last_processed: Option<Millis>, now: Millis) -> bool {
    let by_id = check.mutation.is_some() && check.mutation == described.processed_up_to_mutation;
    let by_order = check.mutation.is_some() && last_processed.is_some_and(|at| check.sent_at < at);
    let by_time = check.mutation.is_some()
        // Vectorize's clock is taken as ours: a later mutation of anybody's may be the only sign that this one is
        // processed, and what it did is looked up besides.
        && described.processed_up_to.is_some_and(|at| at >= check.sent_at);
    by_id || by_order || by_time || now.since(check.sent_at) >= SETTLED_AFTER
}
