//! What the user has cost, by UTC day.

use super::sql::{Sql, StoreError};
use crate::llm::Usage;
use crate::time::{DAY, Millis};

pub const SCHEMA: &str = "
CREATE TABLE usage (
    day TEXT PRIMARY KEY,
    turns INTEGER NOT NULL DEFAULT 0,
    model_calls INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayUsage {
    pub turns: i64,
    pub model_calls: i64,
    pub prompt_tokens: i64,
    pub completion_tokens: i64,
}

impl DayUsage {
    pub fn tokens(&self) -> i64 {
        self.prompt_tokens + self.completion_tokens
    }
}

/// Counts one model call; `turns` is 1 for an answer, 0 for memory work.
pub fn add(sql: &dyn Sql, now: Millis, turns: u32, usage: Usage) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO usage VALUES (?1, ?2, 1, ?3, ?4) ON CONFLICT (day) DO UPDATE SET
             turns = turns + ?2, model_calls = model_calls + 1,
             prompt_tokens = prompt_tokens + ?3, completion_tokens = completion_tokens + ?4",
        &[
            now.utc_day().as_str().into(),
            i64::from(turns).into(),
            i64::from(usage.prompt_tokens).into(),
            i64::from(usage.completion_tokens).into(),
        ],
    )?;
    Ok(())
}

/// When the day's budget begins anew.
pub fn day_ends(now: Millis) -> Millis {
    Millis((now.0.div_euclid(DAY) + 1) * DAY)
}

pub fn on_day(sql: &dyn Sql, now: Millis) -> Result<DayUsage, StoreError> {
    let rows = sql.exec(
        "SELECT turns, model_calls, prompt_tokens, completion_tokens FROM usage WHERE day = ?",
        &[now.utc_day().as_str().into()],
    )?;
    rows.first().map_or(Ok(DayUsage::default()), |row| {
        Ok(DayUsage {
            turns: row.int(0)?,
            model_calls: row.int(1)?,
            prompt_tokens: row.int(2)?,
            completion_tokens: row.int(3)?,
        })
    })
}
