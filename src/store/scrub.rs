//! Deleted bytes: what was forgotten is overwritten where SQLite would leave it lying.
//!
//! A deleted row stays readable in the free space of its page, in pages that are free, and in the write-ahead log; the
//! runtime refuses `secure_delete`, `VACUUM` and checkpoints. So zeros take the pages that are free ([`fill`]), the tables
//! that hold text are made anew ([`super::renewal`]), zeros take the pages of the old ones too, and then zeros go round the
//! log ([`refill`]), each in a transaction of its own, because pages that are written and freed in one never reach the file.
//!
//! Invariant: every page that was given free since the last scrub is counted ([`measure`]) until zeros have taken it.

use super::settings;
use super::sql::{Sql, StoreError, atomic};

pub const SCHEMA: &str = "CREATE TABLE zeros (bytes BLOB NOT NULL)";

/// The log is begun anew once 4 MB are in it, and is longer where one transaction wrote more. So so many transactions of a
/// megabyte go round it, and then, where the object is so large that some may have been longer, two as long as those.
const ROUNDS: usize = 9;
const LOG_BYTES: i64 = 4_000_000;
/// No transaction with words of the user's writes more, but for the deletion of a conversation of tens of thousands of
/// messages.
pub(super) const LONGEST: i64 = 64;
/// A megabyte: so many pages are taken by one row of zeros at most.
pub const PAGES: i64 = 244;
const PAGE_BYTES: i64 = 4_096;
const ZEROS_BYTES: i64 = PAGES * PAGE_BYTES;
/// More than what may be free before anything is counted.
const FREE_BEFORE: i64 = 2 * ZEROS_BYTES;
/// `bytes in use.bytes given free` as they were last counted.
const COUNTED: &str = "scrub_counted";

/// An expression of as many bytes as `text` has: an update of the same length is made in the row's place.
pub const OVERWRITTEN: &str =
    "substr(hex(zeroblob(length(CAST(text AS BLOB)))), 1, length(CAST(text AS BLOB)))";

fn counted(sql: &dyn Sql) -> Result<(i64, i64), StoreError> {
    let stored = settings::get(sql, COUNTED)?;
    let numbers = stored.as_deref().and_then(|stored| stored.split_once('.'));
    Ok(numbers.and_then(|(used, free)| Some((used.parse().ok()?, free.parse().ok()?))).unwrap_or((0, 0)))
}

fn count(sql: &dyn Sql, free: i64) -> Result<(), StoreError> {
    settings::set(sql, COUNTED, &format!("{}.{free}", sql.bytes()))
}

/// Counts the bytes that were given free since it was last called: before and after much is deleted.
pub fn measure(sql: &dyn Sql) -> Result<(), StoreError> {
    let (used, free) = counted(sql)?;
    let given = used - sql.bytes();
    if given == 0 { Ok(()) } else { count(sql, free + given.max(0)) }
}

/// Begins a scrub: removes what an object that died left of its zeros, and counts what may have gone uncounted.
pub fn begin(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
        empty(sql)?;
        count(sql, counted(sql)?.1 + FREE_BEFORE)
    })
}

/// Writes zeros over pages that are free, of so many megabytes at most; `false` once there are none.
pub fn fill(sql: &dyn Sql, megabytes: i64) -> Result<bool, StoreError> {
    atomic(sql, || {
        measure(sql)?;
        let (_, free) = counted(sql)?;
        if free <= 0 {
            return Ok(false);
        }
        let pages = (free + PAGE_BYTES - 1) / PAGE_BYTES;
        let (rows, pages) = if pages < PAGES { (1, pages) } else { ((pages / PAGES).min(megabytes), PAGES) };
        put_zeros(sql, rows, pages)?;
        count(sql, free - rows * pages * PAGE_BYTES).map(|()| true)
    })
}

/// How many megabytes of zeros are to be written into the log, one transaction after the other.
pub fn rounds(sql: &dyn Sql) -> Vec<i64> {
    let used = sql.bytes();
    let long = if used > LOG_BYTES { (used + LOG_BYTES) / ZEROS_BYTES } else { 0 };
    std::iter::repeat_n(1, ROUNDS)
        .chain((long > 0).then_some([long.min(LONGEST); 2]).into_iter().flatten())
        .collect()
}

/// Writes zeros again over the pages of the last ones: into the log, but hardly into the file.
pub fn refill(sql: &dyn Sql, megabytes: i64) -> Result<(), StoreError> {
    atomic(sql, || {
        empty(sql)?;
        put_zeros(sql, megabytes, PAGES)
    })
}

/// Gives the pages of the zeros back, which are clean.
pub fn empty(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
        measure(sql)?;
        let (_, free) = counted(sql)?;
        sql.exec("DELETE FROM zeros", &[])?;
        count(sql, free)
    })
}

fn put_zeros(sql: &dyn Sql, rows: i64, pages: i64) -> Result<(), StoreError> {
    // The record begins with its own length and the blob's type.
    let others = if pages < 3 { 3 } else { 4 };
    let statement = format!("INSERT INTO zeros (rowid, bytes) {}", rows_of_zeros(""));
    sql.exec(&statement, &[rows.into(), filling(pages, others).into()])?;
    Ok(())
}

/// The length of a blob whose row takes so many pages and leaves hardly a byte in them as it was; `others` of the row's
/// bytes aren't the blob's. A row's own page holds 4,061 bytes of it, which is the most that SQLite puts there, and each
/// other page 4,092. What stays of its own page are nine bytes.
pub fn filling(pages: i64, others: i64) -> i64 {
    4_061 + (pages - 1) * 4_092 - others
}

/// Gives `?1` rows for a table of zeros: a number so large that it takes nine bytes, `column`, and `?2` zeros.
pub fn rows_of_zeros(column: &str) -> String {
    format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         SELECT (SELECT coalesce(max(rowid), 1 << 57) FROM zeros) + i, {column} zeroblob(?2) FROM n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::id::{FactId, MessageId, ThreadId};
    use crate::llm::Role;
    use crate::sqlite::Sqlite;
    use crate::store::{archive, index, messages, renewal, schema};
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
                String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).matches(text).count()
            };
            ["db", "db-wal"].iter().map(|name| find(&self.0.join(name))).sum()
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// Gives how many steps it took.
    fn scrub(sql: &Sqlite) -> usize {
        settings::set(sql, renewal::MESSAGES_GONE, "1").unwrap();
        begin(sql).unwrap();
        renewal::begin(sql).unwrap();
        let steps =
            std::iter::from_fn(|| (fill(sql, 2).unwrap() || renewal::step(sql).unwrap()).then_some(()));
        let steps = steps.count();
        for megabytes in rounds(sql) {
            refill(sql, megabytes).unwrap();
        }
        empty(sql).unwrap();
        steps
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
    fn words_are_overwritten_however_many_rows_and_free_pages_there_are_and_each_step_is_short() {
        for word in ["Zorbax9000", "銀河鉄道の切符"] {
            let file = File::new(if word.is_ascii() { "many-en" } else { "many-ja" });
            let sql = file.open();
            let marked = filled_fast(&sql, 25_000, word);
            measure(&sql).unwrap();
            // Most of it goes, and leaves more free pages than two megabytes.
            sql.exec("DELETE FROM messages WHERE seq BETWEEN 2000 AND 20000", &[]).unwrap();
            sql.exec("DELETE FROM indexed_messages WHERE doc % 3 = 1 OR doc BETWEEN 2000 AND 20000", &[])
                .unwrap();
            sql.exec("UPDATE messages SET text = '' WHERE seq % 3 = 1", &[]).unwrap();
            assert!(marked > 8_000 && file.holds(word) > 1_000);
            let before = sql.statements();
            let steps = scrub(&sql);
            assert_eq!(file.holds(word), 0);
            assert!(sql.statements() - before < 40 * steps as u64 + 4_000, "{steps} steps");
        }
    }

    /// So many messages, every third with `word`; gives how many of them.
    fn filled_fast(sql: &Sqlite, count: i64, word: &str) -> i64 {
        // As the runtime's log is: no transaction is large.
        for from in (0..count).step_by(500) {
            sql.exec(
                "WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + 500)
                 INSERT INTO messages (id, thread, role, text, created_at)
                 SELECT 'm_' || i, 'main', 'user', i || CASE WHEN i % 3 = 0 THEN ?2 ELSE ' plain ' END
                   || substr(hex(zeroblob(600)), 1, i * 7 % 900), i FROM n",
                &[from.into(), word.into()],
            )
            .unwrap();
            sql.exec(
                "INSERT INTO indexed_messages (doc, thread, said_at, text)
                 SELECT seq, thread, 0, text FROM messages WHERE seq > ?",
                &[from.into()],
            )
            .unwrap();
        }
        (count + 2) / 3
    }
}
