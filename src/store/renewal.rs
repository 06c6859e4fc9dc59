//! The messages' search terms, made anew in steps of bounded size.
//!
//! An index that was changed keeps old terms in pages that nothing reads any more, so after messages were erased it is
//! made anew from the texts that are still indexed. Invariant: the table that is being made holds exactly the texts up to
//! the place in [`UP_TO`]; what changes among them meanwhile changes in both tables. It may be given up at any time.

use super::index::add_terms;
use super::sql::{Row, Sql, StoreError, atomic};
use super::{scrub, settings};

pub(super) const NEXT: &str = "message_terms_next";
/// Texts cut into terms in one step; half a millisecond each.
const AT_ONCE: i64 = 100;

/// Up to which place the table that is being made has the texts, if there is one; read along with another statement.
pub(super) const UP_TO: &str = "(SELECT value FROM meta WHERE name = 'message_terms_next')";

/// Whether the table that is being made has this place, by what [`UP_TO`] gave.
pub(super) fn has(row: &Row, column: usize, place: i64) -> Result<bool, StoreError> {
    let last = row.optional(column, Row::string)?.and_then(|last| last.parse::<i64>().ok());
    Ok(last.is_some_and(|last| place <= last))
}

/// Makes one step; `true` while there are more. The last one puts the new table in the old one's place, and zeros over
/// the pages of the old one.
pub fn step(sql: &dyn Sql) -> Result<bool, StoreError> {
    atomic(sql, || {
        let last = match settings::get(sql, NEXT)?.and_then(|last| last.parse().ok()) {
            Some(last) => last,
            None => begin(sql)?,
        };
        let rows = sql.exec(
            "SELECT doc, text FROM indexed_messages WHERE doc > ? ORDER BY doc LIMIT ?",
            &[last.into(), AT_ONCE.into()],
        )?;
        for row in &rows {
            add_terms(sql, NEXT, row.int(0)?, row.text(1)?)?;
        }
        match rows.last() {
            Some(row) => settings::set(sql, NEXT, &row.int(0)?.to_string()).map(|()| true),
            None => finish(sql).map(|()| false),
        }
    })
}

/// Below every place, also of what was imported in front.
const FIRST: i64 = -(1 << 52);

fn begin(sql: &dyn Sql) -> Result<i64, StoreError> {
    let made =
        sql.exec("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'message_terms'", &[])?;
    let create = made.first().ok_or_else(|| StoreError::corrupt("search index"))?.string(0)?;
    give_up(sql)?;
    sql.exec(&renamed(&create), &[])?;
    sql.exec(&format!("INSERT INTO {NEXT} ({NEXT}, rank) VALUES ('secure-delete', 1)"), &[])?;
    settings::set(sql, NEXT, &FIRST.to_string())?;
    Ok(FIRST)
}

/// The statement that makes the table, with the name of the new one; SQLite quotes a name that was changed.
fn renamed(create: &str) -> String {
    let rest = create.find(" USING").and_then(|at| create.get(at..)).unwrap_or_default();
    format!("CREATE VIRTUAL TABLE {NEXT}{rest}")
}

fn finish(sql: &dyn Sql) -> Result<(), StoreError> {
    // A text's terms take some four times its bytes.
    let rows =
        sql.exec("SELECT count(*) + coalesce(sum(octet_length(text)), 0) / 250 FROM indexed_messages", &[])?;
    let rows = rows.first().ok_or_else(|| StoreError::corrupt("count"))?.int(0)?;
    sql.exec("DROP TABLE message_terms", &[])?;
    scrub::fill_for(sql, rows)?;
    sql.exec(&format!("ALTER TABLE {NEXT} RENAME TO message_terms"), &[])?;
    settings::remove(sql, NEXT)
}

/// Drops what was made so far.
pub(super) fn give_up(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec(&format!("DROP TABLE IF EXISTS {NEXT}"), &[])?;
    settings::remove(sql, NEXT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ThreadId;
    use crate::sqlite::Sqlite;
    use crate::store::index::{self, MessageFilter, Query};
    use crate::store::schema;
    use crate::time::Millis;

    fn indexed(count: i64) -> Sqlite {
        let sql = Sqlite::memory();
        schema::migrate(&sql, Millis(1)).unwrap();
        for place in 0..count {
            put(&sql, place - 50, &format!("message number{place} 第{place}号"));
        }
        sql
    }

    fn put(sql: &Sqlite, place: i64, text: &str) {
        index::put_message(sql, place, &ThreadId::main(), Millis(1), text).unwrap();
    }

    fn found(sql: &Sqlite, text: &str) -> Vec<i64> {
        let hits = index::search_messages(sql, &Query::by_words(text), &MessageFilter::default(), 9).unwrap();
        hits.by_words.iter().map(|hit| hit.id).collect()
    }

    #[test]
    fn what_changes_while_the_terms_are_made_anew_is_found_as_it_is() {
        let sql = indexed(350);
        for (step, place) in [10, 110, 210].into_iter().enumerate() {
            assert!(step_of(&sql), "there is more");
            // Before and behind the place that was reached.
            for place in [place - 50, place + 250 - 50] {
                index::drop_message(&sql, place).unwrap();
                put(&sql, place, &format!("changed{step} 変更{step}"));
            }
            put(&sql, 1_000 + place, &format!("later{step} 後で{step}"));
            assert_eq!(found(&sql, "number200"), [150], "the old table answers");
        }
        while step_of(&sql) {}
        for step in 0..3 {
            let place = step * 100 + 10;
            assert_eq!(found(&sql, &format!("number{place}")), Vec::<i64>::new());
            assert_eq!(found(&sql, &format!("later{step}")), [1_000 + place]);
            assert!(found(&sql, &format!("changed{step}")).contains(&(place - 50)));
        }
        assert_eq!(found(&sql, "number200"), [150]);
        let left = sql.exec("SELECT count(*) FROM sqlite_master WHERE name LIKE '%next%'", &[]).unwrap();
        assert_eq!(left[0].int(0), Ok(0));
        index::drop_message(&sql, 150).unwrap();
        assert_eq!(found(&sql, "number200"), Vec::<i64>::new(), "the new table is changed like the old one");
    }

    fn step_of(sql: &Sqlite) -> bool {
        step(sql).unwrap()
    }

    #[test]
    fn a_step_that_fails_anywhere_is_made_again_and_forgetting_everything_gives_up() {
        let sql = indexed(120);
        for statements in (0..60).step_by(3) {
            sql.fail_after(statements);
            let _ = step(&sql);
            sql.heal();
        }
        while step_of(&sql) {}
        assert_eq!(found(&sql, "number100"), [50]);
        step_of(&sql);
        index::clear(&sql).unwrap();
        assert_eq!(settings::get(&sql, NEXT), Ok(None));
        put(&sql, 1, "anew");
        assert_eq!(found(&sql, "anew"), [1]);
    }
}
