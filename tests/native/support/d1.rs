//! D1 as rusqlite over the real migrations, with the faults of the real one on demand.

use std::cell::{Cell, RefCell};

use kioku::mirror::ports::{MirrorError, Statement, Table};
use kioku::store::sql::{Arg, Row, Sql, StoreError, Value, atomic};

use super::sqlite::Sqlite;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing arrives.
    Down,
    /// The answer is a transient error, and nothing was written.
    ErrorBefore,
    /// It is written, and the answer is an error.
    ErrorAfter,
    /// Nothing is written now; the statements arrive later, after the caller gave up.
    Late,
    /// The database says no.
    Refuse,
    /// The database has no room for more.
    Full,
    /// The answer comes, but only after others had their turn.
    Slow,
    /// No answer ever comes.
    Hang,
    /// It is written, and no answer ever comes.
    LostAnswer,
    /// Reads are answered by a replica that has heard of nothing since.
    Stale,
}

pub struct D1 {
    database: Sqlite,
    fault: Cell<Option<Fault>>,
    late: RefCell<Vec<Vec<Statement>>>,
    batches: Cell<u64>,
    statements: Cell<u64>,
    refuse_containing: RefCell<Option<String>>,
    replica: RefCell<Option<Sqlite>>,
}

fn migrate(database: &Sqlite, between: impl Fn(&Sqlite, &str)) {
    let mut files: Vec<_> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"))
        .expect("migrations")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    for file in files {
        between(database, file.file_name().and_then(|name| name.to_str()).expect("a name"));
        database.exec(&std::fs::read_to_string(file).expect("text"), &[]).expect("migration");
    }
}

/// What there is now, for reads that hear of nothing later.
fn replica(database: &Sqlite) -> Sqlite {
    let copy = Sqlite::memory();
    migrate(&copy, |_, _| {});
    for table in ["facts", "owners"] {
        copy.exec(&format!("DELETE FROM {table}"), &[]).expect("a table");
        for row in database.exec(&format!("SELECT * FROM {table}"), &[]).expect("rows") {
            let places = vec!["?"; row.0.len()].join(", ");
            let args: Vec<Arg<'_>> = row.0.iter().map(Value::as_arg).collect();
            copy.exec(&format!("INSERT INTO {table} VALUES ({places})"), &args).expect("a copy");
        }
    }
    copy
}

/// D1's free plan.
const MAX_STATEMENTS: usize = 50;
const MAX_ARGS: usize = 100;

impl Default for D1 {
    fn default() -> Self {
        Self::over(Sqlite::memory())
    }
}

impl D1 {
    pub fn over(database: Sqlite) -> Self {
        Self::grown(database, |_, _| {})
    }

    /// A database to which `between` happens before each migration, which it is told by name.
    pub fn grown(database: Sqlite, between: impl Fn(&Sqlite, &str)) -> Self {
        migrate(&database, between);
        Self {
            database,
            fault: Cell::new(None),
            late: RefCell::default(),
            batches: Cell::new(0),
            statements: Cell::new(0),
            refuse_containing: RefCell::default(),
            replica: RefCell::default(),
        }
    }

    /// Keeps what is stored now, for [`D1::rewind`].
    pub fn mark(&self) {
        self.database.mark();
    }

    /// Takes everything back since [`D1::mark`], faults too.
    pub fn rewind(&self) {
        self.database.rewind();
        self.late.take();
        self.refuse_containing(None);
        self.set_fault(None);
    }

    pub fn set_fault(&self, fault: Option<Fault>) {
        self.fault.set(fault);
        *self.replica.borrow_mut() = (fault == Some(Fault::Stale)).then(|| replica(&self.database));
    }

    /// Batches with this text in an argument are refused.
    pub fn refuse_containing(&self, text: Option<&str>) {
        *self.refuse_containing.borrow_mut() = text.map(str::to_owned);
    }

    /// Lets the writes arrive that were given up, newest first when `reversed`.
    pub fn deliver_late(&self, reversed: bool) {
        let mut late = self.late.take();
        if reversed {
            late.reverse();
        }
        for statements in late {
            self.run(&statements).expect("a late write runs");
        }
    }

    pub fn batches(&self) -> u64 {
        self.batches.get()
    }

    pub fn statements_run(&self) -> u64 {
        self.statements.get()
    }

    pub fn query(&self, sql: &str, args: &[Arg<'_>]) -> Vec<Row> {
        self.database.exec(sql, args).expect("a query")
    }

    fn run(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, StoreError> {
        let replica = self.replica.borrow();
        let is_read = statements.iter().all(|statement| statement.sql.starts_with("SELECT"));
        let database = replica.as_ref().filter(|_| is_read).unwrap_or(&self.database);
        atomic(database, || {
            statements
                .iter()
                .map(|statement| {
                    let args: Vec<Arg<'_>> = statement.args.iter().map(Value::as_arg).collect();
                    database.exec(&statement.sql, &args)
                })
                .collect()
        })
    }

    async fn answer(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, MirrorError> {
        assert!(statements.len() <= MAX_STATEMENTS, "{} statements", statements.len());
        assert!(!statements.is_empty(), "an empty batch");
        for statement in statements {
            assert!(statement.args.len() <= MAX_ARGS, "{}", statement.sql);
            let is_owners = ["owner", "facts_before"].iter().any(|word| statement.sql.contains(word));
            assert!(is_owners, "no owner in {}", statement.sql);
        }
        self.batches.set(self.batches.get() + 1);
        self.statements.set(self.statements.get() + statements.len() as u64);
        if let Some(text) = &*self.refuse_containing.borrow() {
            let contains = |value: &Value| matches!(value, Value::Text(own) if own.contains(text.as_str()));
            if statements.iter().any(|statement| statement.args.iter().any(contains)) {
                return Err(MirrorError::Refused("too big".to_owned()));
            }
        }
        match self.fault.get() {
            Some(Fault::Down | Fault::ErrorBefore) => {
                return Err(MirrorError::Unavailable("D1 is down".to_owned()));
            }
            Some(Fault::Late) => {
                self.late.borrow_mut().push(statements.to_vec());
                return Err(MirrorError::Unavailable("no answer".to_owned()));
            }
            Some(Fault::Refuse) => return Err(MirrorError::Refused("no".to_owned())),
            Some(Fault::Full) => return Err(MirrorError::Full),
            Some(Fault::Slow) => give_way().await,
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::ErrorAfter | Fault::LostAnswer | Fault::Stale) | None => {}
        }
        let rows = self.run(statements).map_err(|error| MirrorError::Refused(error.to_string()))?;
        match self.fault.get() {
            Some(Fault::ErrorAfter) => Err(MirrorError::Unavailable("the answer was lost".to_owned())),
            Some(Fault::LostAnswer) => std::future::pending().await,
            _ => Ok(rows),
        }
    }
}

impl Table for D1 {
    async fn batch(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, MirrorError> {
        self.answer(statements).await
    }
}

/// Lets other futures go on first.
pub async fn give_way() {
    let mut has_given = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_given, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
