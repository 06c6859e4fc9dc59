//! Traces: why a turn recalled, injected, stored or refused something.
//!
//! A trace holds ids, codes and numbers, and never a memory's text, so that forgetting need not search traces.

use serde_json::{Map, Value};

use super::sql::{Sql, StoreError};
use crate::id::TurnId;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE traces (
    turn TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    json TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX traces_by_age ON traces (at);
";

/// Sets one part of a turn's trace; the other parts stay. A part's name is a word.
pub fn put(
    sql: &dyn Sql,
    turn: &TurnId,
    part: &'static str,
    value: &Value,
    now: Millis,
) -> Result<(), StoreError> {
    let value = value.to_string();
    sql.exec(
        "INSERT INTO traces VALUES (?1, ?2, json_object(?3, json(?4)))
         ON CONFLICT (turn) DO UPDATE SET json = json_set(json, '$.' || ?3, json(?4))",
        &[turn.as_str().into(), now.into(), part.into(), value.as_str().into()],
    )?;
    Ok(())
}

pub fn get(sql: &dyn Sql, turn: &TurnId) -> Result<Option<Map<String, Value>>, StoreError> {
    let rows = sql.exec("SELECT json FROM traces WHERE turn = ?", &[turn.as_str().into()])?;
    rows.first()
        .map(|row| serde_json::from_slice(row.text(0)?.as_bytes()).map_err(|_| StoreError::corrupt("trace")))
        .transpose()
}

/// Removes traces from before `before`, at most 500 at once; says whether there may be more.
pub fn clean(sql: &dyn Sql, before: Millis) -> Result<bool, StoreError> {
    let rows = sql.exec(
        "DELETE FROM traces WHERE turn IN (SELECT turn FROM traces WHERE at < ? LIMIT 500) RETURNING 1",
        &[before.into()],
    )?;
    Ok(rows.len() == 500)
}

pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM traces", &[])?;
    Ok(())
}
