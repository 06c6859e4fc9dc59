//! Which week an episode was merged into.
//!
//! Invariant: only the place is kept. What a week says is read from its facts, so merging loses no quote, and what is
//! edited, ended or forgotten is so in its week at once.

use super::sql::{Row, Sql, StoreError, atomic};
use crate::calendar::Date;
use crate::id::FactId;
use crate::memory::episodes::Week;
use crate::sorted::SortedMap;

pub const SCHEMA: &str = "CREATE TABLE weeks (fact TEXT PRIMARY KEY, monday TEXT NOT NULL) WITHOUT ROWID;";

/// What was stored before there were weeks is merged at once.
pub const SEED: &str = "
INSERT INTO jobs (kind, key, due_at, created_at)
SELECT 'consolidate', 'weeks', 0, 0 WHERE EXISTS (SELECT 1 FROM facts WHERE kind = 'event');
";

/// The Monday of each merged episode.
pub fn places(sql: &dyn Sql) -> Result<SortedMap<FactId, Date>, StoreError> {
    let mut found = SortedMap::new();
    for row in &sql.exec("SELECT fact, monday FROM weeks", &[])? {
        let fact = FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("weeks.fact"))?;
        let monday = Date::parse(row.text(1)?).ok_or_else(|| StoreError::corrupt("weeks.monday"))?;
        found.insert(fact, monday);
    }
    Ok(found)
}

/// Merges the episodes of these weeks. One that was merged before stays where it is.
pub fn merge(sql: &dyn Sql, weeks: &[Week]) -> Result<(), StoreError> {
    atomic(sql, || {
        for week in weeks {
            let monday = week.monday.to_string();
            for fact in &week.facts {
                sql.exec(
                    "INSERT INTO weeks (fact, monday) VALUES (?, ?) ON CONFLICT (fact) DO NOTHING",
                    &[fact.as_str().into(), monday.as_str().into()],
                )?;
            }
        }
        Ok(())
    })
}

/// Whether there is anything that a week could hold, now or later.
pub fn has_episodes(sql: &dyn Sql) -> Result<bool, StoreError> {
    let rows = sql.exec("SELECT count(*) FROM (SELECT 1 FROM facts WHERE kind = 'event' LIMIT 1)", &[])?;
    rows.first().map_or(Ok(false), |row: &Row| Ok(row.int(0)? > 0))
}
