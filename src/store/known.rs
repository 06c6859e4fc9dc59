//! SQLite that gives an answer again while nothing it was read from has been written.
//!
//! Invariant: one object is the only writer of its storage, and every statement passes here, so a kept answer is what the
//! database would say: writing to a table drops the answers that were read from it, and what is not understood, or rolled
//! back, drops all of them. Only what is asked for by [`Sql::known`] is kept, and little of it.

use crate::sorted::SortedMap;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use super::sql::{Arg, Row, Sql, StoreError, Value};

/// Answers that are kept; each turn asks for some twenty.
const KEPT: usize = 40;

/// How often a table was written since its object woke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub at_all: u64,
    /// Other than by adding rows.
    pub over: u64,
}

pub struct Known<S> {
    sql: S,
    answers: RefCell<Vec<Answer>>,
    written: RefCell<SortedMap<String, Written>>,
    /// How often anything may have been written.
    unsure: Cell<u64>,
    /// Whether each kept answer is compared with what the database says: for tests.
    doubts: Cell<bool>,
}

struct Answer {
    statement: String,
    args: Vec<Value>,
    tables: Vec<String>,
    rows: Rc<[Row]>,
}

impl<S> Known<S> {
    pub fn over(sql: S) -> Self {
        Self {
            sql,
            answers: RefCell::default(),
            written: RefCell::default(),
            unsure: Cell::default(),
            doubts: Cell::default(),
        }
    }

    /// From now on each kept answer is compared with what the database says, or no longer.
    pub fn doubt(&self, doubts: bool) {
        self.doubts.set(doubts);
    }

    /// Anything may have been written.
    pub fn forget(&self) {
        self.answers.borrow_mut().clear();
        self.unsure.set(self.unsure.get() + 1);
    }

    fn kept(&self, statement: &str, args: &[Arg<'_>]) -> Option<Rc<[Row]>> {
        let answers = self.answers.borrow();
        let is_same = |answer: &&Answer| {
            answer.statement == statement
                && answer.args.len() == args.len()
                && answer.args.iter().zip(args).all(|(kept, asked)| kept.is(asked))
        };
        answers.iter().find(is_same).map(|answer| Rc::clone(&answer.rows))
    }

    fn note(&self, change: Change<'_>) {
        let (table, over) = match change {
            Change::None => return,
            Change::Unsure => return self.forget(),
            Change::Added(table) => (table, 0),
            Change::Written(table) => (table, 1),
        };
        self.answers.borrow_mut().retain(|answer| !answer.tables.iter().any(|read| read == table));
        let mut all = self.written.borrow_mut();
        if !all.contains_key(table) {
            all.insert(table.to_owned(), Written::default());
        }
        if let Some(written) = all.get_mut(table) {
            written.at_all += 1;
            written.over += over;
        }
    }
}

impl<S> Deref for Known<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.sql
    }
}

impl<S: Sql> Sql for Known<S> {
    fn exec(&self, sql: &str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        let rows = self.sql.exec(sql, args);
        self.note(change_of(sql));
        rows
    }

    fn known(&self, sql: &str, args: &[Arg<'_>]) -> Result<Rc<[Row]>, StoreError> {
        let kept = self.kept(sql, args);
        if let Some(rows) = &kept
            && !self.doubts.get()
        {
            return Ok(Rc::clone(rows));
        }
        let rows: Rc<[Row]> = self.sql.exec(sql, args)?.into();
        if let Some(kept) = kept {
            assert_eq!(kept, rows, "kept although it has changed: {sql}");
            return Ok(rows);
        }
        let mut answers = self.answers.borrow_mut();
        if answers.len() >= KEPT {
            answers.remove(0);
        }
        answers.push(Answer {
            statement: sql.to_owned(),
            args: args.iter().map(Value::from).collect(),
            tables: tables_of(sql),
            rows: Rc::clone(&rows),
        });
        Ok(rows)
    }

    fn written(&self, table: &str) -> Option<Written> {
        let of_table = self.written.borrow().get(table).copied().unwrap_or_default();
        let unsure = self.unsure.get();
        Some(Written { at_all: of_table.at_all + unsure, over: of_table.over + unsure })
    }

    fn atomically(&self, body: &mut dyn FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let result = self.sql.atomically(body);
        if result.is_err() {
            self.forget();
        }
        result
    }

    fn bytes(&self) -> i64 {
        self.sql.bytes()
    }
}

/// What a statement may do to the rows that are stored.
#[derive(Debug, PartialEq, Eq)]
enum Change<'a> {
    None,
    /// Rows may be added to this table; those that were there stay as they are.
    Added(&'a str),
    Written(&'a str),
    /// Any table may be written.
    Unsure,
}

fn change_of(statement: &str) -> Change<'_> {
    let mut words = statement.split_ascii_whitespace();
    let verb = words.next().unwrap_or_default();
    if verb == "SELECT" {
        return Change::None;
    }
    if statement.trim_end().trim_end_matches(';').contains(';') {
        return Change::Unsure;
    }
    let mut before = verb;
    let is_named_by = match verb {
        "INSERT" => "INTO",
        "DELETE" => "FROM",
        "UPDATE" => "UPDATE",
        _ => return Change::Unsure,
    };
    let mut replaces = verb != "INSERT" || statement.contains("DO UPDATE");
    let table = words.find(|word| {
        replaces |= *word == "REPLACE";
        std::mem::replace(&mut before, word) == is_named_by
    });
    match table.map(name) {
        // "UPDATE OR …" names none there.
        None | Some("" | "OR") => Change::Unsure,
        Some(table) if replaces => Change::Written(table),
        Some(table) => Change::Added(table),
    }
}

/// The tables that a statement reads.
fn tables_of(statement: &str) -> Vec<String> {
    let words = statement.split_ascii_whitespace();
    let named = words.clone().zip(words.skip(1)).filter(|(before, _)| matches!(*before, "FROM" | "JOIN"));
    let mut tables: Vec<String> = named.map(|(_, table)| name(table).to_owned()).collect();
    // A vocabulary is a view of its index.
    let indexes =
        tables.iter().filter_map(|table| Some(format!("{}_terms", table.strip_suffix("_vocabulary")?)));
    let indexes: Vec<String> = indexes.collect();
    tables.extend(indexes);
    tables
}

/// A table's name without what stands beside it.
fn name(word: &str) -> &str {
    let word = word.trim_start_matches('(');
    word.split(['(', ')', ',', ';']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    #[test]
    fn a_statement_is_known_by_what_it_may_write() {
        for (statement, change) in [
            ("SELECT a FROM b", Change::None),
            ("INSERT INTO jobs (kind) VALUES (?)", Change::Added("jobs")),
            ("INSERT OR IGNORE INTO queue VALUES (?, ?)", Change::Added("queue")),
            (
                "INSERT INTO meta(name) VALUES (1) ON CONFLICT (name) DO UPDATE SET value = 2",
                Change::Written("meta"),
            ),
            ("INSERT OR REPLACE INTO chunks SELECT id FROM turns", Change::Written("chunks")),
            ("UPDATE threads\n SET summary = (SELECT text FROM messages)", Change::Written("threads")),
            ("DELETE FROM jobs;", Change::Written("jobs")),
            ("UPDATE OR IGNORE jobs SET a = 1", Change::Unsure),
            ("DELETE FROM a; DELETE FROM b", Change::Unsure),
            ("DROP TABLE a", Change::Unsure),
            ("ALTER TABLE a RENAME TO b", Change::Unsure),
            ("WITH x AS (SELECT 1) DELETE FROM a", Change::Unsure),
            ("", Change::Unsure),
        ] {
            assert_eq!(change_of(statement), change, "{statement}");
        }
        assert_eq!(tables_of("SELECT 1 FROM a JOIN b ON (SELECT 1 FROM c)"), ["a", "b", "c"]);
        assert_eq!(tables_of("SELECT doc FROM fact_vocabulary"), ["fact_vocabulary", "fact_terms"]);
    }

    fn stored() -> Known<Sqlite> {
        let sql = Known::over(Sqlite::memory());
        for table in ["a", "b"] {
            sql.exec(&format!("CREATE TABLE {table} (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"), &[])
                .unwrap();
        }
        sql
    }

    #[test]
    fn an_answer_is_read_once_until_its_table_is_written() {
        let sql = stored();
        let ask =
            |n: i64| sql.known("SELECT count(*) FROM a WHERE n > ?", &[n.into()]).unwrap()[0].int(0).unwrap();
        let read = || sql.statements();
        assert_eq!((ask(0), ask(1)), (0, 0));
        let before = read();
        assert_eq!((ask(0), ask(1), read()), (0, 0, before));
        sql.exec("INSERT INTO b VALUES (1, 1)", &[]).unwrap();
        assert_eq!((ask(0), read()), (0, before + 1));
        sql.exec("INSERT INTO a VALUES (1, 1)", &[]).unwrap();
        assert_eq!((ask(0), ask(1)), (1, 0));
        assert_eq!(
            sql.written("a").map(|written| written.over),
            sql.written("b").map(|written| written.over)
        );
    }

    #[test]
    fn what_is_rolled_back_was_never_known() {
        let sql = stored();
        let count = || sql.known("SELECT count(*) FROM a", &[]).unwrap()[0].int(0);
        let failed = sql.atomically(&mut || {
            sql.exec("INSERT INTO a VALUES (1, 1)", &[])?;
            assert_eq!(count(), Ok(1));
            Err(StoreError::corrupt("on purpose"))
        });
        assert!(failed.is_err());
        assert_eq!(count(), Ok(0));
    }

    /// What may happen to two tables, in any order.
    const HAPPENS: &[&str] = &[
        "INSERT INTO a (n) VALUES (1)",
        "INSERT INTO b (n) SELECT n FROM a",
        "UPDATE a SET n = n + 1 WHERE id % 2",
        "DELETE FROM b WHERE id = (SELECT max(id) FROM b)",
        "INSERT OR REPLACE INTO a VALUES (1, 7)",
        "INSERT INTO b VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET n = 5",
        "ALTER TABLE a RENAME TO c; ALTER TABLE b RENAME TO a; ALTER TABLE c RENAME TO b",
        "UPDATE b SET n = (SELECT count(*) FROM a)",
    ];

    proptest::proptest! {
        #[test]
        fn kept_answers_are_what_the_database_says(
            steps in proptest::collection::vec((0..HAPPENS.len(), 0..3_u8), 1..30),
        ) {
            let sql = stored();
            sql.doubt(true);
            let ask = || for statement in [
                "SELECT count(*), sum(n) FROM a",
                "SELECT id, n FROM b ORDER BY id",
                "SELECT a.n FROM b JOIN a ON a.id = b.id ORDER BY a.id",
            ] {
                sql.known(statement, &[]).unwrap();
            };
            for (step, how) in steps {
                ask();
                let _ = sql.atomically(&mut || {
                    sql.exec(HAPPENS[step], &[])?;
                    ask();
                    if how == 0 { Err(StoreError::corrupt("on purpose")) } else { Ok(()) }
                });
                ask();
            }
        }
    }
}
