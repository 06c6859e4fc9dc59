//! The object's SQLite as rusqlite imitates it, with the runtime's limits and with faults on demand.
//!
//! Shared by unit tests (through `kioku::sqlite`) and by the scenario tests in this folder.

use std::cell::{Cell, RefCell};

use kioku::store::sql::{Arg, Row, Sql, StoreError, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};

/// The runtime refuses more bound arguments than this.
const MAX_ARGS: usize = 100;
/// The runtime refuses larger rows and values.
const MAX_VALUE_BYTES: usize = 2 * 1024 * 1024;

pub struct Sqlite {
    connection: RefCell<rusqlite::Connection>,
    depth: Cell<u32>,
    /// Statements left until one fails; `None` is never.
    fail_after: Cell<Option<u32>>,
    statements: Cell<u64>,
    /// The statements that ran, while they are kept.
    kept: RefCell<Option<Vec<String>>>,
    /// Everything happens inside one savepoint, so that it can be taken back.
    rewinds: Cell<bool>,
}

impl Default for Sqlite {
    fn default() -> Self {
        Self::memory()
    }
}

impl Sqlite {
    pub fn memory() -> Self {
        Self::over(rusqlite::Connection::open_in_memory().expect("memory is there"))
    }

    pub fn over(connection: rusqlite::Connection) -> Self {
        // The code has more statements than are kept otherwise, and an unoptimised SQLite parses slowly.
        connection.set_prepared_statement_cache_capacity(512);
        Self {
            connection: RefCell::new(connection),
            depth: Cell::new(0),
            fail_after: Cell::new(None),
            statements: Cell::new(0),
            kept: RefCell::new(None),
            rewinds: Cell::new(false),
        }
    }

    /// Remembers what is stored now, for [`Sqlite::rewind`]: cheaper than another database for every schedule.
    pub fn mark(&self) {
        self.connection.borrow().execute_batch("SAVEPOINT marked").expect("a savepoint is set");
        self.rewinds.set(true);
    }

    /// Takes everything back that was written since [`Sqlite::mark`].
    pub fn rewind(&self) {
        self.connection.borrow().execute_batch("ROLLBACK TO marked").expect("a savepoint is kept");
        self.depth.set(0);
        self.heal();
    }

    /// Lets `statements` more statements succeed and the one after them fail, once.
    pub fn fail_after(&self, statements: u32) {
        self.fail_after.set(Some(statements));
    }

    /// Takes a failure that has not come yet back.
    pub fn heal(&self) {
        self.fail_after.set(None);
    }

    /// Keeps the statements from now on, and gives those kept so far.
    pub fn keep_statements(&self) -> Vec<String> {
        self.kept.borrow_mut().replace(Vec::new()).unwrap_or_default()
    }

    /// How the engine goes about a statement: a line for each table it reads.
    pub fn plan(&self, sql: &str) -> Vec<String> {
        let connection = self.connection.borrow();
        let mut statement =
            connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it can be prepared");
        let mut rows = statement.raw_query();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().expect("the plan can be read") {
            lines.push(row.get::<_, String>(3).expect("a line"));
        }
        lines
    }

    /// How many statements have run.
    pub fn statements(&self) -> u64 {
        self.statements.get()
    }
}

struct Bound<'a>(Arg<'a>);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Arg::Null => ValueRef::Null,
            Arg::Int(value) => ValueRef::Integer(value),
            Arg::Real(value) => ValueRef::Real(value),
            Arg::Text(value) => ValueRef::Text(value.as_bytes()),
            Arg::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

fn refused(error: &rusqlite::Error) -> StoreError {
    StoreError::engine(error.to_string())
}

impl Sql for Sqlite {
    fn exec(&self, sql: &str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        self.statements.set(self.statements.get() + 1);
        if let Some(kept) = &mut *self.kept.borrow_mut() {
            kept.push(sql.to_owned());
        }
        match self.fail_after.get() {
            Some(0) => {
                self.fail_after.set(None);
                return Err(StoreError::engine("injected failure".to_owned()));
            }
            Some(left) => self.fail_after.set(Some(left - 1)),
            None => {}
        }
        assert!(args.len() <= MAX_ARGS, "the runtime refuses {} arguments: {sql}", args.len());
        let verb = sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        assert!(
            !["BEGIN", "COMMIT", "SAVEPOINT", "PRAGMA", "ATTACH", "VACUUM"].contains(&verb.as_str()),
            "the runtime refuses {verb}"
        );
        for arg in args {
            let bytes = match arg {
                Arg::Text(text) => text.len(),
                Arg::Blob(blob) => blob.len(),
                Arg::Int(value) => {
                    assert!(value.unsigned_abs() <= 1 << 53, "the runtime rounds {value}");
                    0
                }
                _ => 0,
            };
            if bytes > MAX_VALUE_BYTES {
                return Err(StoreError::engine("string or blob too big".to_owned()));
            }
        }
        let connection = self.connection.borrow();
        if args.is_empty() && sql.trim_end().trim_end_matches(';').contains(';') {
            connection.execute_batch(sql).map_err(|e| refused(&e))?;
            return Ok(Vec::new());
        }
        let mut statement = connection.prepare_cached(sql).map_err(|e| refused(&e))?;
        let columns = statement.column_count();
        let bound: Vec<Bound<'_>> = args.iter().map(|&arg| Bound(arg)).collect();
        let mut rows = statement.query(rusqlite::params_from_iter(bound)).map_err(|e| refused(&e))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|e| refused(&e))? {
            let read = |column| {
                Ok(match row.get_ref(column).map_err(|e| refused(&e))? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(value) => Value::Int(value),
                    ValueRef::Real(value) => Value::Real(value),
                    ValueRef::Text(value) => Value::Text(String::from_utf8_lossy(value).into_owned()),
                    ValueRef::Blob(value) => Value::Blob(value.to_vec()),
                })
            };
            found.push(Row((0..columns).map(read).collect::<Result<_, StoreError>>()?));
        }
        Ok(found)
    }

    fn bytes(&self) -> i64 {
        let count = |pragma: &str| -> i64 {
            self.connection.borrow().query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0)).unwrap_or(0)
        };
        (count("page_count") - count("freelist_count")) * count("page_size")
    }

    fn atomically(&self, body: &mut dyn FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
        if self.depth.get() > 0 {
            return body();
        }
        let run = |sql| self.connection.borrow().execute_batch(sql).map_err(|e| refused(&e));
        let (begin, commit, rollback) = if self.rewinds.get() {
            ("SAVEPOINT step", "RELEASE step", "ROLLBACK TO step; RELEASE step")
        } else {
            ("BEGIN", "COMMIT", "ROLLBACK")
        };
        run(begin)?;
        self.depth.set(1);
        let result = body();
        self.depth.set(0);
        run(if result.is_ok() { commit } else { rollback })?;
        result
    }
}
