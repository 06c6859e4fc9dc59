//! The object's schema, as steps that only ever grow.
//!
//! Invariant: a step that has been released is never edited; a change is a new step. A stored schema newer than
//! this code is refused untouched, so that a rolled-back Worker damages nothing.

use super::sql::{Row, Sql, StoreError, atomic};
use crate::time::Millis;

/// Each step is SQL without arguments, several statements a step.
const STEPS: &[&[&str]] = &[
    FIRST,
    &[super::archive::SCHEMA],
    &[super::tokens::SCHEMA],
    &[super::index::NUMBERED, super::threads::IDLE],
    &[super::scrub::SCHEMA],
    // In the first step there was a table of facts' vectors alone, which this one drops where it is.
    &[super::embeddings::SCHEMA],
    &[super::rewrites::SCHEMA],
    &[super::mirrors::LAYOUT],
    &[super::weeks::SCHEMA, super::weeks::SEED],
    &[super::renewal::SCHEMA],
    &[super::embeddings::SKETCHED, super::index::CUT],
    &[super::leaving::SCHEMA],
    &[super::vectors::INDEXES, super::forget::INDEX],
];
/// From this step on tables may be found half made anew; a step after it would change only one of the two.
pub(super) const RENEWALS: i64 = 10;
const FIRST: &[&str] = &[
    super::settings::SCHEMA,
    super::threads::SCHEMA,
    super::messages::SCHEMA,
    super::turns::SCHEMA,
    super::jobs::SCHEMA,
    super::usage::SCHEMA,
    super::traces::SCHEMA,
    super::facts::SCHEMA,
    super::ledger::SCHEMA,
    super::tombstones::SCHEMA,
    super::outbox::SCHEMA,
    super::index::SCHEMA,
];

/// Brings the storage to this version's schema. Idempotent; all steps or none.
pub fn migrate(sql: &dyn Sql, now: Millis) -> Result<(), StoreError> {
    sql.exec(
        "CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)",
        &[],
    )?;
    let stored = stored_step(&sql.exec("SELECT max(step) FROM schema_steps", &[])?)?;
    let known = STEPS.len() as i64;
    if stored > known {
        return Err(StoreError::newer_schema(stored, known));
    }
    if stored == known {
        return Ok(());
    }
    atomic(sql, || {
        if stored >= RENEWALS {
            super::renewal::give_up(sql)?;
        }
        for (number, step) in (1_i64..).zip(STEPS) {
            if number > stored {
                for part in *step {
                    sql.exec(part, &[])?;
                }
                sql.exec("INSERT INTO schema_steps VALUES (?, ?)", &[number.into(), now.into()])?;
            }
        }
        Ok(())
    })
}

fn stored_step(rows: &[Row]) -> Result<i64, StoreError> {
    rows.first().map_or(Ok(0), |row| Ok(row.optional(0, Row::int)?.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    #[test]
    fn migrating_twice_changes_nothing() {
        let sql = Sqlite::memory();
        migrate(&sql, Millis(1)).unwrap();
        migrate(&sql, Millis(2)).unwrap();
        let rows = sql.exec("SELECT count(*), max(applied_at) FROM schema_steps", &[]).unwrap();
        assert_eq!((rows[0].int(0), rows[0].int(1)), (Ok(STEPS.len() as i64), Ok(1)));
    }

    #[test]
    fn a_failed_migration_leaves_nothing_half_made() {
        for statements in 2.. {
            let sql = Sqlite::memory();
            sql.fail_after(statements);
            if migrate(&sql, Millis(1)).is_ok() {
                break;
            }
            let rows = sql.exec("SELECT count(*) FROM sqlite_master WHERE name = 'messages'", &[]).unwrap();
            assert_eq!(rows[0].int(0), Ok(0), "after {statements} statements");
            migrate(&sql, Millis(2)).unwrap();
        }
    }

    #[test]
    fn storage_of_a_newer_version_is_refused() {
        let sql = Sqlite::memory();
        migrate(&sql, Millis(1)).unwrap();
        sql.exec("INSERT INTO schema_steps VALUES (999, 0)", &[]).unwrap();
        let refused = StoreError::newer_schema(999, STEPS.len() as i64);
        assert_eq!(migrate(&sql, Millis(2)), Err(refused));
    }
}
