//! Tables with words of the user's, made anew in steps of bounded size.
//!
//! A table that was changed keeps old rows in the free space of its pages, and an index old terms in pages that nothing
//! reads any more. So after a forgetting each is made again from its live rows under another name (`renewed_…`), and then
//! takes the old one's place.
//!
//! Invariant: a renewal changes no row, and may be given up at any time. What changes while it is under way changes in both
//! tables: by triggers where rows are copied, by [`super::index`] where terms are cut from texts. Code that doesn't know of
//! that opens no object in which one is under way, because `renewals` is a step of the schema.

use super::index::add_terms;
use super::sql::{Arg, Row, Sql, StoreError, Value, atomic, counted};
use super::{scrub, settings};

pub const SCHEMA: &str = "
-- What is still to be made anew, in this order, and how far the first one has come.
CREATE TABLE renewals (turn INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, up_to);
-- Of versions that kept this elsewhere; those before them didn't know of it, and may have changed the index meanwhile.
DROP TABLE IF EXISTS message_terms_next;
DELETE FROM meta WHERE name = 'message_terms_next';
";

/// Set while words of messages are gone that the tables of messages still hold somewhere.
pub const MESSAGES_GONE: &str = "scrub_messages";

/// How a table is made anew.
enum Making {
    /// Row by row, in the order of the first column of its key.
    Copied(&'static [&'static str], Arg<'static>),
    /// A search index, from the texts of this table.
    Cut(&'static str),
}

use Making::{Copied, Cut};

/// Below every number, also of what was imported in front.
const FIRST: Arg<'_> = Arg::Int(-(1 << 52));
const EMPTY: Arg<'_> = Arg::Text("");

/// What is remembered, and what goes with every turn.
const ALWAYS: &[(&str, Making)] = &[
    ("fact_terms", Cut("indexed_facts")),
    ("facts", Copied(&["id"], EMPTY)),
    ("leaving_facts", Copied(&["id"], EMPTY)),
    ("indexed_facts", Copied(&["doc"], FIRST)),
    ("changes", Copied(&["seq"], FIRST)),
    ("change_items", Copied(&["change", "fact"], FIRST)),
    ("threads", Copied(&["id"], EMPTY)),
    ("chunks", Copied(&["turn", "last_seq"], EMPTY)),
    ("rewrites", Copied(&["turn"], EMPTY)),
    ("fact_codes", Copied(&["doc", "model"], FIRST)),
    ("embedding_sketches", Copied(&["block"], FIRST)),
];
/// What was said, and what grew beside it and may have taken pages that its index left. Only where some of it is gone: each
/// row is billed, and a message that is left out is still there to be read by its user.
const OF_MESSAGES: &[(&str, Making)] = &[
    ("message_terms", Cut("indexed_messages")),
    ("messages", Copied(&["seq"], FIRST)),
    ("indexed_messages", Copied(&["doc"], FIRST)),
    ("turns", Copied(&["seq"], FIRST)),
    ("traces", Copied(&["turn"], EMPTY)),
    ("message_codes", Copied(&["doc", "model"], FIRST)),
];

/// Rows copied in one step: at most 2.4 MB of the longest messages, so that zeros reach all of the log ([`scrub::ROUNDS`]).
const COPIED_AT_ONCE: i64 = 100;
/// Texts cut into terms in one step; half a millisecond each.
const CUT_AT_ONCE: i64 = 100;

/// Up to which places the terms that are being made have the texts, if they are; read along with another statement.
pub(super) const FACTS_UP_TO: &str = "(SELECT up_to FROM renewals WHERE name = 'fact_terms')";
pub(super) const MESSAGES_UP_TO: &str = "(SELECT up_to FROM renewals WHERE name = 'message_terms')";

/// Whether the table that is being made has this place, by what [`FACTS_UP_TO`] or [`MESSAGES_UP_TO`] gave.
pub(super) fn has(row: &Row, column: usize, place: i64) -> Result<bool, StoreError> {
    Ok(row.optional(column, Row::int)?.is_some_and(|last| place <= last))
}

/// The table that takes this one's place when it is ready.
pub(super) fn renewed(name: &str) -> String {
    format!("renewed_{name}")
}

pub fn is_under_way(sql: &dyn Sql) -> Result<bool, StoreError> {
    Ok(!sql.exec("SELECT 1 FROM renewals LIMIT 1", &[])?.is_empty())
}

/// Begins to make anew what forgetting has touched. Gives how many rows that are.
pub fn begin(sql: &dyn Sql) -> Result<i64, StoreError> {
    atomic(sql, || {
        let of_messages = if settings::get(sql, MESSAGES_GONE)?.is_some() { OF_MESSAGES } else { &[] };
        settings::remove(sql, MESSAGES_GONE)?;
        let mut rows = 0;
        for (name, making) in of_messages.iter().chain(ALWAYS) {
            sql.exec("INSERT INTO renewals (name) VALUES (?)", &[(*name).into()])?;
            if matches!(making, Copied(..)) {
                let count = sql.exec(&format!("SELECT count(*) FROM {name}"), &[])?;
                rows += counted(&count)?.int(0)?;
            }
        }
        Ok(rows)
    })
}

/// Makes one step; `false` if there was none left to make. The last one of a table puts the new one in the old one's
/// place, and zeros over the pages of the old one.
pub fn step(sql: &dyn Sql) -> Result<bool, StoreError> {
    atomic(sql, || {
        let rows = sql.exec("SELECT name, up_to FROM renewals ORDER BY turn LIMIT 1", &[])?;
        let Some(row) = rows.first() else { return Ok(false) };
        let (name, up_to) = (row.text(0)?, row.0.get(1).filter(|_| !row.is_null(1)));
        let (_, making) = OF_MESSAGES
            .iter()
            .chain(ALWAYS)
            .find(|(own, _)| *own == name)
            .ok_or_else(|| StoreError::corrupt("renewal"))?;
        if up_to.is_none() {
            make(sql, name, making)?;
        }
        let last = match making {
            Copied(key, first) => copy(sql, name, key, up_to.map_or(*first, Value::as_arg))?,
            Cut(texts) => cut(sql, name, texts, up_to.map_or(FIRST, Value::as_arg))?,
        };
        match (last, making) {
            (None, _) => finish(sql, name)?,
            (Some(last), Copied(key, _)) => {
                if up_to.is_none() {
                    follow(sql, name, key)?;
                }
                reach(sql, name, &last)?;
            }
            (Some(last), Cut(_)) => reach(sql, name, &last)?,
        }
        Ok(true)
    })
}

fn reach(sql: &dyn Sql, name: &str, last: &Value) -> Result<(), StoreError> {
    sql.exec("UPDATE renewals SET up_to = ? WHERE name = ?", &[last.as_arg(), name.into()])?;
    Ok(())
}

/// Makes the empty table.
fn make(sql: &dyn Sql, name: &str, making: &Making) -> Result<(), StoreError> {
    let made = sql.exec("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", &[name.into()])?;
    let old = made.first().ok_or_else(|| StoreError::corrupt("table"))?.string(0)?;
    let new = renewed(name);
    let (create, from) = match making {
        Copied(..) => ("CREATE TABLE", "("),
        Cut(_) => ("CREATE VIRTUAL TABLE", "USING"),
    };
    // SQLite quotes a name that was changed.
    let rest = old.find(from).and_then(|at| old.get(at..)).ok_or_else(|| StoreError::corrupt("table"))?;
    sql.exec(&format!("{create} {new} {rest}"), &[])?;
    if matches!(making, Cut(_)) {
        sql.exec(&format!("INSERT INTO {new} ({new}, rank) VALUES ('secure-delete', 1)"), &[])?;
    }
    // The numbers of rows that are gone aren't given out again.
    sql.exec(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?, seq FROM sqlite_sequence WHERE name = ?",
        &[(&new).into(), name.into()],
    )?;
    Ok(())
}

/// Copies the next rows; gives the last one's place if there may be more.
fn copy(sql: &dyn Sql, name: &str, key: &[&str], after: Arg<'_>) -> Result<Option<Value>, StoreError> {
    let place = key.first().ok_or_else(|| StoreError::corrupt("renewal"))?;
    // Rows may share their place, but no place has many.
    let found = sql.exec(
        &format!(
            "SELECT count(*), max(place) FROM \
               (SELECT {place} AS place FROM {name} WHERE {place} > ? ORDER BY {place} LIMIT ?)"
        ),
        &[after, COPIED_AT_ONCE.into()],
    )?;
    let found = counted(&found)?;
    let Some(last) = found.0.get(1).filter(|_| !found.is_null(1)) else { return Ok(None) };
    // A row that changed meanwhile is there already.
    sql.exec(
        &format!(
            "INSERT OR IGNORE INTO {} SELECT * FROM {name} WHERE {place} > ? AND {place} <= ? ORDER BY {place}",
            renewed(name)
        ),
        &[after, last.as_arg()],
    )?;
    Ok((found.int(0)? == COPIED_AT_ONCE).then(|| last.clone()))
}

/// Lets every change of the old table happen in the new one too.
fn follow(sql: &dyn Sql, name: &str, key: &[&str]) -> Result<(), StoreError> {
    let new = renewed(name);
    let is = |row: &str| {
        key.iter().map(|column| format!("{column} = {row}.{column}")).collect::<Vec<_>>().join(" AND ")
    };
    let remove = format!("DELETE FROM {new} WHERE {};", is("old"));
    let put = format!("INSERT OR REPLACE INTO {new} SELECT * FROM {name} WHERE {};", is("new"));
    for (change, body) in
        [("insert", put.clone()), ("update", format!("{remove} {put}")), ("delete", remove.clone())]
    {
        sql.exec(&format!("CREATE TRIGGER {new}_{change} AFTER {change} ON {name} BEGIN {body} END"), &[])?;
    }
    Ok(())
}

/// Cuts the next texts into terms; gives the last one's place if there may be more.
fn cut(sql: &dyn Sql, name: &str, texts: &str, after: Arg<'_>) -> Result<Option<Value>, StoreError> {
    let rows = sql.exec(
        &format!("SELECT doc, text FROM {texts} WHERE doc > ? ORDER BY doc LIMIT ?"),
        &[after, CUT_AT_ONCE.into()],
    )?;
    for row in &rows {
        add_terms(sql, &renewed(name), row.int(0)?, row.text(1)?)?;
    }
    let is_full = rows.len() as i64 == CUT_AT_ONCE;
    Ok(rows.last().filter(|_| is_full).and_then(|row| row.0.first().cloned()))
}

/// Puts the new table in the old one's place. The indexes are made last: their names are free once the old table is gone,
/// and by then zeros have taken its pages, which SQLite doesn't clear when it takes them.
fn finish(sql: &dyn Sql, name: &str) -> Result<(), StoreError> {
    let indexes = sql.exec(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY name",
        &[name.into()],
    )?;
    scrub::measure(sql)?;
    sql.exec(&format!("DROP TABLE {name}"), &[])?;
    while scrub::fill(sql, scrub::LONGEST)? {}
    sql.exec(&format!("ALTER TABLE {} RENAME TO {name}", renewed(name)), &[])?;
    for index in &indexes {
        sql.exec(index.text(0)?, &[])?;
    }
    sql.exec("DELETE FROM renewals WHERE name = ?", &[name.into()])?;
    Ok(())
}

/// Drops what was made so far; it is to be begun again.
pub(super) fn give_up(sql: &dyn Sql) -> Result<(), StoreError> {
    if !is_under_way(sql)? {
        return Ok(());
    }
    // An index's own tables go with it.
    let made = sql.exec(
        "SELECT type, name FROM sqlite_master WHERE name GLOB 'renewed_*' AND type IN ('table', 'trigger')
           AND name NOT GLOB '*_terms_*' ORDER BY type DESC",
        &[],
    )?;
    for row in &made {
        sql.exec(&format!("DROP {} {}", row.text(0)?, row.text(1)?), &[])?;
    }
    sql.exec("DELETE FROM renewals", &[])?;
    settings::set(sql, MESSAGES_GONE, "1")
}

#[cfg(test)]
#[path = "renewal_tests.rs"]
mod tests;
