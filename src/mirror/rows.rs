//! Statements for D1.
//!
//! Invariant: every statement carries the owner key, and compares epoch and version itself, so that it may run
//! late, twice, or after a newer one. Text that goes is overwritten before it is let go of, because SQLite leaves
//! the bytes of a shortened row where they were.

use super::ports::Statement;
use super::search::searchable;
use crate::id::{FactId, OwnerKey};
use crate::memory::model::Fact;
use crate::store::sql::Arg;
use crate::time::{DAY, Millis};

/// Statements that one fact needs at most; a batch counts against D1's statements per invocation.
pub const STATEMENTS_PER_FACT: usize = 2;

/// After this no write can still be under way, and the traces of forgotten facts go too.
const LATE_AT_MOST: i64 = 7 * DAY;

/// The columns that [`super::page::read`] reads back, in its order.
pub(super) const COLUMNS: &str = "id, version, text, kind, scope, status, pinned, edited, observed_at, \
     valid_from, valid_until, supersedes, superseded_by, message, thread, quote, said_at, turn, created_at, updated_at";

/// Shows a fact as it is, unless D1 knows a newer version of it, or its deletion. Idempotent.
pub fn upsert(owner: &OwnerKey, fact: &Fact, epoch: i64) -> Vec<Statement> {
    let supersedes: Vec<&str> = fact.supersedes.iter().map(FactId::as_str).collect();
    // Ids need no escaping in JSON: their alphabet has no character that does.
    let supersedes =
        if supersedes.is_empty() { "[]".to_owned() } else { format!("[\"{}\"]", supersedes.join("\",\"")) };
    let scope = fact.scope.to_word();
    let search = searchable(&[&fact.text, &fact.source.quote]);
    let args: [Arg<'_>; 23] = [
        owner.as_str().into(),
        fact.id.as_str().into(),
        i64::from(fact.version).into(),
        epoch.into(),
        (&fact.text).into(),
        fact.kind.as_str().into(),
        (&scope).into(),
        fact.status.as_str().into(),
        fact.pinned.into(),
        fact.edited.into(),
        fact.observed_at.into(),
        fact.valid_from.as_deref().into(),
        fact.valid_until.as_deref().into(),
        (&supersedes).into(),
        fact.superseded_by.as_ref().map(FactId::as_str).into(),
        fact.source.message.as_ref().map(crate::id::MessageId::as_str).into(),
        fact.source.thread.as_ref().map(crate::id::ThreadId::as_str).into(),
        (&fact.source.quote).into(),
        fact.source.said_at.into(),
        fact.turn.as_ref().map(crate::id::TurnId::as_str).into(),
        fact.created_at.into(),
        fact.updated_at.into(),
        (&search).into(),
    ];
    // The old text first, in place: a row that changes its size is written elsewhere.
    let overwrite = Statement::new(
        format!(
            "UPDATE facts SET {} WHERE owner = ?1 AND id = ?2 AND deleted = 0 AND (text <> ?5 OR quote <> ?6)
               AND (epoch < ?4 OR (epoch = ?4 AND version <= ?3))",
            overwritten(&["text", "quote", "search"])
        ),
        &[args[0], args[1], args[2], args[3], (&fact.text).into(), (&fact.source.quote).into()],
    );
    let upsert = Statement::new(
        "INSERT INTO facts (owner, id, version, epoch, deleted, text, kind, scope, status, pinned, edited,
           observed_at, valid_from, valid_until, supersedes, superseded_by, message, thread, quote, said_at, turn,
           created_at, updated_at, search)
         SELECT ?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
           ?21, ?22, ?23
         WHERE NOT EXISTS (SELECT 1 FROM owners WHERE owner = ?1 AND epoch > ?4)
         ON CONFLICT (owner, id) DO UPDATE SET version = excluded.version, epoch = excluded.epoch,
           deleted = 0, text = excluded.text, kind = excluded.kind, scope = excluded.scope,
           status = excluded.status, pinned = excluded.pinned, edited = excluded.edited,
           observed_at = excluded.observed_at, valid_from = excluded.valid_from,
           valid_until = excluded.valid_until, supersedes = excluded.supersedes,
           superseded_by = excluded.superseded_by, message = excluded.message, thread = excluded.thread,
           quote = excluded.quote, said_at = excluded.said_at, turn = excluded.turn,
           created_at = excluded.created_at, updated_at = excluded.updated_at, search = excluded.search
         WHERE excluded.epoch > facts.epoch
           OR (excluded.epoch = facts.epoch AND excluded.version > facts.version)
           OR (excluded.epoch = facts.epoch AND excluded.version = facts.version AND facts.deleted = 0)",
        &args,
    );
    // A first version has no older text.
    if fact.version > 1 { vec![overwrite, upsert] } else { vec![upsert] }
}

/// Takes a fact's text away and leaves its version, unless D1 knows a newer one. Idempotent.
pub fn delete(owner: &OwnerKey, fact: &FactId, version: u32, epoch: i64, now: Millis) -> Statement {
    Statement::new(
        format!(
            "INSERT INTO facts (owner, id, version, epoch, deleted, text, kind, scope, status, pinned, edited,
               observed_at, supersedes, quote, said_at, created_at, updated_at, search)
             SELECT ?1, ?2, ?3, ?4, 1, '', '', '', '', 0, 0, 0, '', '', 0, 0, ?5, ''
             WHERE NOT EXISTS (SELECT 1 FROM owners WHERE owner = ?1 AND epoch > ?4)
             ON CONFLICT (owner, id) DO UPDATE SET version = ?3, epoch = ?4, deleted = 1, updated_at = ?5, {}
             WHERE deleted = 0 AND (facts.epoch < ?4 OR (facts.epoch = ?4 AND facts.version <= ?3))
                OR deleted = 1 AND (facts.epoch < ?4 OR (facts.epoch = ?4 AND facts.version < ?3))",
            overwritten(&TEXTS)
        ),
        &[owner.as_str().into(), fact.as_str().into(), i64::from(version).into(), epoch.into(), now.into()],
    )
}

/// Overwrites everything of the owner from before `epoch`, and lets nothing of it come back. Idempotent.
///
/// [`drop_cleared`] takes the rows themselves away, in a batch of its own: SQLite doesn't write pages that are
/// changed and freed in the same transaction, so their old bytes would stay.
pub fn clear(owner: &OwnerKey, epoch: i64, now: Millis) -> [Statement; 2] {
    let args: [Arg<'_>; 3] = [owner.as_str().into(), epoch.into(), now.into()];
    [
        Statement::new(
            "INSERT INTO owners (owner, epoch) VALUES (?1, ?2)
             ON CONFLICT (owner) DO UPDATE SET epoch = max(epoch, excluded.epoch)",
            &args[..2],
        ),
        Statement::new(
            format!(
                "UPDATE facts SET deleted = 1, updated_at = ?3, {} WHERE owner = ?1 AND epoch < ?2",
                overwritten(&TEXTS)
            ),
            &args,
        ),
    ]
}

/// Drops the rows that [`clear`] has overwritten. Idempotent.
pub fn drop_cleared(owner: &OwnerKey, epoch: i64) -> Statement {
    Statement::new(
        "DELETE FROM facts WHERE owner = ?1 AND epoch < ?2",
        &[owner.as_str().into(), epoch.into()],
    )
}

/// Every column that says something about the user or the conversation.
const TEXTS: [&str; 14] = [
    "text",
    "kind",
    "scope",
    "status",
    "valid_from",
    "valid_until",
    "supersedes",
    "superseded_by",
    "message",
    "thread",
    "quote",
    "turn",
    "search",
    "pinned",
];

/// Assignments that put filler of the same size into columns, which SQLite then writes in place.
fn overwritten(columns: &[&str]) -> String {
    let assignment = |column: &&str| match *column {
        "pinned" => "pinned = 0".to_owned(),
        column => {
            format!("{column} = substr(hex(zeroblob(octet_length({column}))), 1, octet_length({column}))")
        }
    };
    columns.iter().map(assignment).collect::<Vec<_>>().join(", ")
}

/// Drops the traces of facts that were forgotten so long ago that no write of theirs can be late.
pub fn sweep(owner: &OwnerKey, now: Millis) -> Statement {
    Statement::new(
        "DELETE FROM facts WHERE owner = ?1 AND deleted = 1 AND updated_at < ?2",
        &[owner.as_str().into(), now.plus(-LATE_AT_MOST).into()],
    )
}

/// Repair of a row that is ahead of the object, which is the truth: the first statement overwrites the row of
/// exactly this version, the second, in a later batch, drops it.
pub fn drop_exact(owner: &OwnerKey, fact: &str, version: i64, epoch: i64) -> [Statement; 2] {
    let args: [Arg<'_>; 4] = [owner.as_str().into(), fact.into(), version.into(), epoch.into()];
    let which = "WHERE owner = ?1 AND id = ?2 AND version = ?3 AND epoch = ?4";
    [
        Statement::new(format!("UPDATE facts SET {} {which}", overwritten(&TEXTS)), &args),
        Statement::new(format!("DELETE FROM facts {which}"), &args),
    ]
}

/// A page of what D1 has of an owner, by id: `id, version, epoch, deleted`.
pub fn inventory(owner: &OwnerKey, after: &str, limit: usize) -> Statement {
    Statement::new(
        "SELECT id, version, epoch, deleted FROM facts
         WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        &[owner.as_str().into(), after.into(), (limit as i64).into()],
    )
}

/// The epoch before which D1 refuses this owner's facts.
pub fn owner_epoch(owner: &OwnerKey) -> Statement {
    Statement::new("SELECT epoch FROM owners WHERE owner = ?1", &[owner.as_str().into()])
}

/// Writes zeros over free pages and round the log; [`no_zeros`] gives their pages back, in a batch of its own, because
/// pages that are written and freed in one never reach the file.
pub fn zeros(owner: &OwnerKey) -> Vec<Statement> {
    let insert = "INSERT INTO zeros (owner, bytes) VALUES (?1, zeroblob(1000000))".to_owned();
    vec![Statement::new(insert, &[owner.as_str().into()]); 2]
}

pub fn no_zeros(owner: &OwnerKey) -> Vec<Statement> {
    vec![Statement::new("DELETE FROM zeros WHERE owner = ?1".to_owned(), &[owner.as_str().into()])]
}

/// Which of `count` databases holds this owner. Adding one moves only the owners that now belong to it
/// (rendezvous hashing), so a database can be added without moving everybody.
pub fn shard(owner: &OwnerKey, count: usize) -> usize {
    let seed = owner_hash(owner);
    (0..count).max_by_key(|&index| (mix(seed ^ mix(index as u64 + 1)), index)).unwrap_or(0)
}

/// The first 60 bits of the owner key, which is itself a hash.
pub(super) fn owner_hash(owner: &OwnerKey) -> u64 {
    u64::from_str_radix(crate::text::prefix(owner.as_str(), 15), 16).unwrap_or(0)
}

/// Spreads neighbouring numbers over all 64 bits (the finalizer of SplitMix64).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
