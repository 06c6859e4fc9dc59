//! Statements for D1.
//!
//! Invariant: every statement carries the owner key, and compares epoch and version itself, so that it may run
//! late, twice, or after a newer one. A row never changes its size and is never deleted ([`super::slots`]): what is
//! forgotten is overwritten in its place, and so is what gives way to a text of another size.

use super::ports::Statement;
use super::search::searchable;
use super::slots::{FIRST_VERSION, FREED, free_keys, overwritten, padded};
use crate::id::{FactId, OwnerKey};
use crate::memory::model::Fact;
use crate::store::scrub;
use crate::store::sql::Arg;
use crate::time::{DAY, Millis};

/// Statements that one fact needs at most; a batch counts against D1's statements per invocation.
pub const STATEMENTS_PER_FACT: usize = 3;

/// Of the tables in D1. When it changes, each object sends all its facts again, and is asked instead of D1 until then.
pub const LAYOUT: i64 = 1;

/// After this no write can still be under way, and the traces of forgotten facts go too.
const LATE_AT_MOST: i64 = 7 * DAY;

/// The columns that [`super::page::read`] reads back, in its order.
pub(super) const COLUMNS: &str = "id, version - 4294967296 AS version, text, kind, scope, status, pinned, edited, \
     observed_at, valid_from, valid_until, supersedes, superseded_by, message, thread, quote, said_at, turn, \
     created_at, updated_at";

/// Every column except the last two, which pad the row, with the places of their arguments.
const STORED: [&str; 24] = [
    "owner",
    "id",
    "version",
    "epoch",
    "deleted",
    "text",
    "kind",
    "scope",
    "status",
    "pinned",
    "edited",
    "observed_at",
    "valid_from",
    "valid_until",
    "supersedes",
    "superseded_by",
    "message",
    "thread",
    "quote",
    "said_at",
    "turn",
    "created_at",
    "updated_at",
    "search",
];

/// The row that a write is about is older than what is written, `?3` and `?4`.
const OLDER: &str =
    "(epoch < ?4 OR (epoch = ?4 AND version < ?3) OR (epoch = ?4 AND version = ?3 AND deleted = 0))";

/// The owner hasn't forgotten everything since.
const IN_EPOCH: &str = "NOT EXISTS (SELECT 1 FROM owners WHERE owner = ?1 AND epoch > ?4)";

/// Shows a fact as it is, unless D1 knows a newer version of it, or its deletion. Idempotent.
pub fn upsert(owner: &OwnerKey, fact: &Fact, epoch: i64) -> [Statement; 3] {
    let supersedes: Vec<&str> = fact.supersedes.iter().map(FactId::as_str).collect();
    // Ids need no escaping in JSON: their alphabet has no character that does.
    let supersedes =
        if supersedes.is_empty() { "[]".to_owned() } else { format!("[\"{}\"]", supersedes.join("\",\"")) };
    let scope = fact.scope.to_word();
    let search = searchable(&[&fact.text, &fact.source.quote]);
    let columns: [Arg<'_>; 24] = [
        owner.as_str().into(),
        fact.id.as_str().into(),
        stored(fact.version).into(),
        epoch.into(),
        false.into(),
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
    let (size, pad) = padded(&columns);
    let outgrown = Statement::new(
        format!(
            "UPDATE facts SET {} WHERE owner = ?1 AND id = ?2 AND size <> ?5 AND {OLDER} AND {IN_EPOCH}",
            freed()
        ),
        &[columns[0], columns[1], columns[2], columns[3], size.into()],
    );
    let [fill, append] = place(&columns, size, &pad);
    [outgrown, fill, append]
}

/// Takes a fact's text away and leaves its version, unless D1 knows a newer one. Idempotent.
pub fn delete(owner: &OwnerKey, fact: &FactId, version: u32, epoch: i64, now: Millis) -> [Statement; 3] {
    let mut columns = [Arg::Text(""); 24];
    for (at, value) in [
        (0, owner.as_str().into()),
        (1, fact.as_str().into()),
        (2, stored(version).into()),
        (3, epoch.into()),
        (4, true.into()),
        (22, now.into()),
    ] {
        columns[at] = value;
    }
    for number in [9, 10, 11, 19, 21] {
        columns[number] = Arg::Int(0);
    }
    let in_place = Statement::new(
        format!(
            "UPDATE facts SET version = ?3, epoch = ?4, deleted = 1, updated_at = ?5, {} \
             WHERE owner = ?1 AND id = ?2 AND {OLDER} AND {IN_EPOCH}",
            wiped()
        ),
        &[columns[0], columns[1], columns[2], columns[3], now.into()],
    );
    let (size, pad) = padded(&columns);
    let [fill, append] = place(&columns, size, &pad);
    [in_place, fill, append]
}

/// Writes a row into its own slot, or else into a free one of its size, or else into a new one.
fn place(columns: &[Arg<'_>; 24], size: i64, pad: &str) -> [Statement; 2] {
    let (first, last) = free_keys(size);
    let rest: [Arg<'_>; 2] = [size.into(), pad.into()];
    let keys: [Arg<'_>; 2] = [(&first).into(), (&last).into()];
    let set: Vec<String> = STORED.iter().zip(1..).map(|(column, at)| format!("{column} = ?{at}")).collect();
    let given: Vec<String> = (1..=26).map(|at| format!("?{at}")).collect();
    [
        Statement::new(
            format!(
                "UPDATE facts SET {}, pad = ?26 WHERE rowid = coalesce( \
                   (SELECT rowid FROM facts WHERE owner = ?1 AND id = ?2), \
                   (SELECT rowid FROM facts WHERE owner >= ?27 AND owner < ?28 LIMIT 1)) \
                 AND size = ?25 AND (owner <> ?1 OR {OLDER}) AND {IN_EPOCH}",
                set.join(", ")
            ),
            &[&columns[..], &rest, &keys].concat(),
        ),
        Statement::new(
            format!(
                "INSERT INTO facts ({}, size, pad) SELECT {} \
                 WHERE NOT EXISTS (SELECT 1 FROM facts WHERE owner = ?1 AND id = ?2) AND {IN_EPOCH}",
                STORED.join(", "),
                given.join(", ")
            ),
            &[&columns[..], &rest].concat(),
        ),
    ]
}

fn stored(version: u32) -> i64 {
    FIRST_VERSION + i64::from(version)
}

/// Overwrites everything of the owner from before `epoch`, and lets nothing of it come back. Idempotent.
pub fn clear(owner: &OwnerKey, epoch: i64) -> [Statement; 2] {
    let args: [Arg<'_>; 2] = [owner.as_str().into(), epoch.into()];
    [
        Statement::new(
            "INSERT INTO owners (owner, epoch) VALUES (?1, ?2)
             ON CONFLICT (owner) DO UPDATE SET epoch = max(epoch, excluded.epoch)",
            &args,
        ),
        Statement::new(format!("UPDATE facts SET {} WHERE owner = ?1 AND epoch < ?2", freed()), &args),
    ]
}

/// Every column that says something about the user or the conversation, except flags, which have no bytes.
const TEXTS: [&str; 13] = [
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
];

/// Assignments that leave nothing of what a row said.
pub(super) fn wiped() -> String {
    format!("pinned = 0, edited = 0, {}", overwritten(&TEXTS))
}

/// Assignments that give a row's slot to whoever needs one of its size.
fn freed() -> String {
    format!("{FREED}, {}, deleted = 1, {}", overwritten(&["id"]), wiped())
}

/// Lets go of the traces of facts that were forgotten so long ago that no write of theirs can be late.
pub fn sweep(owner: &OwnerKey, now: Millis) -> Statement {
    Statement::new(
        format!("UPDATE facts SET {} WHERE owner = ?1 AND deleted = 1 AND updated_at < ?2", freed()),
        &[owner.as_str().into(), now.plus(-LATE_AT_MOST).into()],
    )
}

/// Repair of a row that is ahead of the object, which is the truth: takes the row of exactly this version away.
pub fn drop_exact(owner: &OwnerKey, fact: &str, version: i64, epoch: i64) -> Statement {
    Statement::new(
        format!("UPDATE facts SET {} WHERE owner = ?1 AND id = ?2 AND version = ?3 AND epoch = ?4", freed()),
        &[owner.as_str().into(), fact.into(), (FIRST_VERSION + version).into(), epoch.into()],
    )
}

/// A page of what D1 has of an owner, by id: `id, version, epoch, deleted`.
pub fn inventory(owner: &OwnerKey, after: &str, limit: usize) -> Statement {
    Statement::new(
        "SELECT id, version - 4294967296, epoch, deleted FROM facts
         WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        &[owner.as_str().into(), after.into(), (limit as i64).into()],
    )
}

/// The epoch before which D1 refuses this owner's facts.
pub fn owner_epoch(owner: &OwnerKey) -> Statement {
    Statement::new("SELECT epoch FROM owners WHERE owner = ?1", &[owner.as_str().into()])
}

/// Writes a megabyte of zeros into the log. Their pages are those that [`no_zeros`] gave back in the same batch.
pub fn zeros(owner: &OwnerKey) -> Statement {
    zeros_of("?3", 1, 64 + 6, Some(owner))
}

/// Writes so many megabytes of zeros under a key; `others` bytes of a row are the key's and the record's own.
pub(super) fn zeros_of(key: &str, megabytes: i64, others: i64, owner: Option<&OwnerKey>) -> Statement {
    let numbers: [Arg<'_>; 2] = [megabytes.into(), scrub::filling(scrub::PAGES, others).into()];
    let owner: Option<Arg<'_>> = owner.map(|owner| owner.as_str().into());
    let rows = scrub::rows_of_zeros(&format!("{key},"));
    let args: Vec<Arg<'_>> = numbers.into_iter().chain(owner).collect();
    Statement::new(format!("INSERT INTO zeros (rowid, owner, bytes) {rows}"), &args)
}

/// Gives the pages of the owner's zeros back, and those of a migration.
pub fn no_zeros(owner: &OwnerKey) -> Statement {
    Statement::new("DELETE FROM zeros WHERE owner IN (?1, '')", &[owner.as_str().into()])
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
