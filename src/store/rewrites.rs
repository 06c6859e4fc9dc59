//! What a question was searched as, where that isn't what was written: shown under its answer when the page comes later.
//!
//! A rewritten question can say what earlier messages said, so every forgetting removes all of them: they are shown for
//! understanding, and nothing is decided by them.

use super::sql::{Sql, StoreError};
use crate::id::TurnId;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE rewrites (
    turn TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    searched TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX rewrites_by_age ON rewrites (at);
";

/// Keeps it, unless the turn is gone meanwhile.
pub fn put(sql: &dyn Sql, turn: &TurnId, searched: &str, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO rewrites SELECT id, ?, ? FROM turns WHERE id = ?
         ON CONFLICT (turn) DO UPDATE SET at = excluded.at, searched = excluded.searched",
        &[now.into(), searched.into(), turn.as_str().into()],
    )?;
    Ok(())
}

pub fn get(sql: &dyn Sql, turn: &TurnId) -> Result<Option<String>, StoreError> {
    let rows = sql.exec("SELECT searched FROM rewrites WHERE turn = ?", &[turn.as_str().into()])?;
    rows.first().map(|row| row.string(0)).transpose()
}

pub fn remove(sql: &dyn Sql, turn: &TurnId) -> Result<(), StoreError> {
    sql.exec("DELETE FROM rewrites WHERE turn = ?", &[turn.as_str().into()])?;
    Ok(())
}

/// Removes those from before `before`.
pub fn clean(sql: &dyn Sql, before: Millis) -> Result<(), StoreError> {
    sql.exec("DELETE FROM rewrites WHERE at < ?", &[before.into()])?;
    Ok(())
}

pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM rewrites", &[])?;
    Ok(())
}
