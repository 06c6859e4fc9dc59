//! Deleted bytes: what was forgotten is overwritten where SQLite would leave it lying.
//!
//! A deleted row stays readable in the free space of its page, in pages that are free, and in the write-ahead log; the
//! runtime refuses `secure_delete`, `VACUUM` and checkpoints. So the tables that hold text are written anew from their
//! live rows ([`rebuild`]) between zeros that take the freed pages ([`fill`], [`empty`]), and then zeros go round the log
//! ([`refill`]), each in a transaction of its own, because pages that are written and freed in one never reach the file.
//!
//! Invariant: a rebuild changes no row. Deliberate limits: a table with more rows than [`MOST_ROWS`] isn't written anew,
//! because each row is billed; its forgotten texts were overwritten in their places ([`OVERWRITTEN`]), and only copies
//! that splitting pages left behind may stay until their pages are used again.

use super::index;
use super::sql::{Row, Sql, StoreError, atomic};

pub const SCHEMA: &str = "CREATE TABLE zeros (bytes BLOB NOT NULL)";

/// Tables with words of the user's: of what is remembered and of what goes with every turn, and of what was said.
const TABLES: &[&str] =
    &["facts", "indexed_facts", "changes", "change_items", "threads", "chunks", "rewrites"];
const OF_MESSAGES: &[&str] = &["messages", "indexed_messages"];
const MOST_ROWS: i64 = 20_000;
/// How many megabytes [`refill`] writes into the log after what [`fill`] and [`rebuild`] have written: the log is begun anew
/// after 4 MB, so that 8 MB go round all of it, wherever it stood.
pub const ROUNDS: usize = 6;
const ZEROS_BYTES: i64 = 1_000_000;

/// An expression of as many bytes as `text` has: an update of the same length is made in the row's place.
pub const OVERWRITTEN: &str =
    "substr(hex(zeroblob(length(CAST(text AS BLOB)))), 1, length(CAST(text AS BLOB)))";

/// Writes the tables with text anew. All or nothing; changes no row. Leaves zeros, which [`refill`] or [`empty`] removes.
///
/// New pages must not be taken from those that the old rows leave, because SQLite doesn't clear what it takes: so
/// what was free is full of zeros by then ([`fill`]), everything is copied before anything is dropped, and zeros take
/// what was dropped before the indexes are made.
///
/// What was said is only written anew where some of it is gone: each row is billed, and a message that is left out is
/// still there to be read by its user.
pub fn rebuild(sql: &dyn Sql) -> Result<(), StoreError> {
    write_anew(sql, false)
}

/// [`rebuild`], and the tables of messages too.
pub fn rebuild_with_messages(sql: &dyn Sql) -> Result<(), StoreError> {
    write_anew(sql, true)
}

fn write_anew(sql: &dyn Sql, with_messages: bool) -> Result<(), StoreError> {
    atomic(sql, || {
        let mut old: Vec<String> = Vec::new();
        let mut indexes: Vec<String> = Vec::new();
        let mut rows = 0;
        let messages = if with_messages { OF_MESSAGES } else { &[] };
        for table in TABLES.iter().chain(messages) {
            let count = count(sql, table)?;
            if count <= MOST_ROWS {
                rows += count;
                indexes.extend(copy(sql, table)?);
                old.push(format!("scrubbed_{table}"));
            }
        }
        index::copy_terms(sql, "fact_terms", "indexed_facts")?;
        old.push("scrubbed_fact_terms".to_owned());
        for table in old {
            sql.exec(&format!("DROP TABLE {table}"), &[])?;
        }
        fill_for(sql, rows)?;
        for index in indexes {
            sql.exec(&index, &[])?;
        }
        Ok(())
    })
}

/// Writes zeros over the pages that so many rows took. With their indexes they took less than twice a thousand bytes.
pub(super) fn fill_for(sql: &dyn Sql, rows: i64) -> Result<(), StoreError> {
    for _ in 0..=rows.min(MOST_ROWS) * 1_000 / ZEROS_BYTES {
        fill(sql)?;
    }
    Ok(())
}

/// Writes zeros over pages that are free.
pub fn fill(sql: &dyn Sql) -> Result<(), StoreError> {
    for _ in 0..2 {
        sql.exec("INSERT INTO zeros VALUES (zeroblob(?))", &[ZEROS_BYTES.into()])?;
    }
    Ok(())
}

/// Writes zeros again over the pages of the last ones: into the log, but hardly into the file.
pub fn refill(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
        empty(sql)?;
        sql.exec("INSERT INTO zeros VALUES (zeroblob(?))", &[ZEROS_BYTES.into()])?;
        Ok(())
    })
}

/// Gives the pages of the zeros back.
pub fn empty(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("DELETE FROM zeros", &[])?;
    Ok(())
}

/// Writes a table's rows into a new one and puts the old one aside. Gives the statements that make its indexes, whose
/// names are free once the old one is gone.
fn copy(sql: &dyn Sql, table: &str) -> Result<Vec<String>, StoreError> {
    let made = sql.exec(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = 'table' DESC, name",
        &[table.into()],
    )?;
    let made: Vec<String> = made.iter().map(|row| row.string(0)).collect::<Result<_, _>>()?;
    let (create, indexes) = made.split_first().ok_or_else(|| StoreError::corrupt("table"))?;
    let numbered = sql.exec("SELECT seq FROM sqlite_sequence WHERE name = ?", &[table.into()])?;
    let last = numbered.first().map(|row| row.int(0)).transpose()?;
    sql.exec(&format!("ALTER TABLE {table} RENAME TO scrubbed_{table}"), &[])?;
    sql.exec(create, &[])?;
    sql.exec(&format!("INSERT INTO {table} SELECT * FROM scrubbed_{table}"), &[])?;
    if let Some(last) = last {
        // The numbers of rows that are gone aren't given out again.
        sql.exec("DELETE FROM sqlite_sequence WHERE name = ?", &[table.into()])?;
        sql.exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", &[table.into(), last.into()])?;
    }
    Ok(indexes.to_vec())
}

fn count(sql: &dyn Sql, table: &str) -> Result<i64, StoreError> {
    let rows: Vec<Row> = sql.exec(&format!("SELECT count(*) FROM {table}"), &[])?;
    rows.first().ok_or_else(|| StoreError::corrupt("count"))?.int(0)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::id::{FactId, MessageId, ThreadId};
    use crate::llm::Role;
    use crate::sqlite::Sqlite;
    use crate::store::{archive, messages, schema};
    use crate::time::Millis;

    /// A file of SQLite as the runtime keeps it, removed with the test.
    struct File(PathBuf);

    impl File {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("kioku-scrub-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn open(&self) -> Sqlite {
            let connection = rusqlite::Connection::open(self.0.join("db")).unwrap();
            connection.pragma_update(None, "journal_mode", "wal").unwrap();
            connection.pragma_update(None, "secure_delete", "off").unwrap();
            let sql = Sqlite::over(connection);
            schema::migrate(&sql, Millis(1)).unwrap();
            sql
        }

        /// How often a text stands in the files' bytes.
        fn holds(&self, text: &str) -> usize {
            let find = |path: &Path| {
                let bytes = std::fs::read(path).unwrap_or_default();
                let starts =
                    bytes.iter().enumerate().filter(|(_, byte)| Some(*byte) == text.as_bytes().first());
                starts.filter(|(at, _)| bytes[*at..].starts_with(text.as_bytes())).count()
            };
            ["db", "db-wal"].iter().map(|name| find(&self.0.join(name))).sum()
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn scrub(sql: &Sqlite) {
        fill(sql).unwrap();
        while super::super::renewal::step(sql).unwrap() {}
        rebuild_with_messages(sql).unwrap();
        for _ in 0..ROUNDS {
            refill(sql).unwrap();
        }
        empty(sql).unwrap();
    }

    fn said(n: usize, text: &str) -> crate::import::Said {
        crate::import::Said {
            id: MessageId::parse(&format!("m_{}", (n * 7919) % 10_007)).unwrap(),
            external_id: None,
            role: Role::User,
            text: text.to_owned(),
            said_at: Millis(n as i64),
        }
    }

    /// Messages and facts, every third of which says `word`, in index and archive.
    fn filled(sql: &Sqlite, count: usize, word: &str) -> Vec<MessageId> {
        let thread = ThreadId::main();
        let mut marked = Vec::new();
        for n in 0..count {
            let text =
                if n % 3 == 0 { format!("{n} {word} {}", "x".repeat(n % 90)) } else { format!("plain {n}") };
            let said = said(n, &text);
            archive::put(sql, &thread, &said, archive::Placing::default()).unwrap();
            let seq = messages::get(sql, &said.id).unwrap().unwrap().seq;
            index::put_message(sql, seq, &thread, Millis(1), &text).unwrap();
            index::put_fact(sql, &FactId::parse(&format!("f_{}", (n * 7919) % 10_007)).unwrap(), &text)
                .unwrap();
            if n % 3 == 0 {
                marked.push(said.id);
            }
        }
        marked
    }

    #[test]
    fn erased_words_are_in_no_byte_of_the_file_or_its_log() {
        for word in ["Zorbax9000", "銀河鉄道の切符"] {
            let file = File::new(if word.is_ascii() { "en" } else { "ja" });
            let sql = file.open();
            let marked = filled(&sql, 300, word);
            assert!(file.holds(word) > 100);
            for id in &marked {
                let seq = messages::get(&sql, id).unwrap().unwrap().seq;
                index::drop_message(&sql, seq).unwrap();
            }
            messages::exclude(&sql, &marked, true).unwrap();
            for n in (0..300).step_by(3) {
                index::drop_fact(&sql, &FactId::parse(&format!("f_{}", (n * 7919) % 10_007)).unwrap())
                    .unwrap();
            }
            assert!(file.holds(word) > 0, "deleting alone leaves bytes");
            scrub(&sql);
            assert_eq!(file.holds(word), 0);
        }
    }

    #[test]
    fn a_rebuild_changes_no_row_no_index_and_no_number_and_can_be_made_again() {
        let file = File::new("same");
        let sql = file.open();
        filled(&sql, 60, "word");
        sql.exec("DELETE FROM messages WHERE seq = (SELECT max(seq) FROM messages)", &[]).unwrap();
        let state = |sql: &Sqlite| -> Vec<String> {
            let mut all = Vec::new();
            for table in TABLES.iter().chain(OF_MESSAGES) {
                all.push(format!("{:?}", sql.exec(&format!("SELECT * FROM {table}"), &[]).unwrap()));
            }
            let query = index::Query::of("word 12");
            all.push(format!("{:?}", index::search_facts(sql, &query, 9).unwrap()));
            all.push(format!(
                "{:?}",
                sql.exec("SELECT * FROM sqlite_sequence WHERE seq > 0 ORDER BY name", &[]).unwrap()
            ));
            let names = "SELECT type, name, tbl_name FROM sqlite_master ORDER BY type, name";
            all.push(format!("{:?}", sql.exec(names, &[]).unwrap()));
            all
        };
        let before = state(&sql);
        for _ in 0..3 {
            scrub(&sql);
            assert_eq!(state(&sql), before);
        }
    }

    #[test]
    fn a_rebuild_that_fails_anywhere_leaves_everything_as_it_was() {
        let file = File::new("fails");
        let sql = file.open();
        filled(&sql, 10, "word");
        let tables = || TABLES.iter().chain(OF_MESSAGES);
        let count = |sql: &Sqlite| tables().map(|table| count(sql, table).unwrap()).collect::<Vec<_>>();
        let before = count(&sql);
        for statements in (0..110).step_by(4) {
            sql.fail_after(statements);
            let failed = rebuild_with_messages(&sql).is_err();
            sql.heal();
            assert_eq!(count(&sql), before, "after {statements}, failed: {failed}");
        }
        rebuild_with_messages(&sql).unwrap();
        assert_eq!(count(&sql), before);
    }
}
