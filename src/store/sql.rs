//! The one port to SQLite: small enough that the object's storage and rusqlite can both be it.

use std::fmt;
use std::rc::Rc;

use super::known::Written;

/// An argument of a statement, borrowed from the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// A value of a row. Integers beyond ±2⁵³ don't survive the runtime; ids and hashes are text.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Value {
    /// The value as an argument.
    pub fn as_arg(&self) -> Arg<'_> {
        match self {
            Self::Null => Arg::Null,
            Self::Int(value) => Arg::Int(*value),
            Self::Real(value) => Arg::Real(*value),
            Self::Text(value) => Arg::Text(value),
            Self::Blob(value) => Arg::Blob(value),
        }
    }
}

/// One row, columns in the statement's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Vec<Value>);

/// Synchronous SQLite. Statements run one at a time, so nothing interleaves between two of them.
pub trait Sql {
    /// Runs one statement and gives its rows. At most 100 arguments; no `BEGIN`, `PRAGMA` or `ATTACH`.
    fn exec(&self, sql: &str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError>;

    /// The rows of a statement that only reads, kept where the port knows that nothing it reads from was written since.
    fn known(&self, sql: &str, args: &[Arg<'_>]) -> Result<Rc<[Row]>, StoreError> {
        self.exec(sql, args).map(Rc::from)
    }

    /// How often a table was written; `None` where nobody counts.
    fn written(&self, _table: &str) -> Option<Written> {
        None
    }

    /// Runs `body` atomically: an `Err` rolls everything back. Nested calls are part of the outermost.
    fn atomically(&self, body: &mut dyn FnMut() -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Bytes that are in use.
    fn bytes(&self) -> i64;
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    Engine(String),
    Corrupt(&'static str),
    NewerSchema { stored: i64, known: i64 },
}

/// A storage failure. One word long: most functions hand it up, and each of them copies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(Box<Failure>);

impl StoreError {
    /// The engine refused or failed; the reason is the engine's and holds no user content.
    pub fn engine(reason: String) -> Self {
        Self(Box::new(Failure::Engine(reason)))
    }

    /// A row isn't what this version writes: a newer schema, or damage.
    #[cold]
    #[inline(never)]
    pub fn corrupt(what: &'static str) -> Self {
        Self(Box::new(Failure::Corrupt(what)))
    }

    /// The stored schema is newer than this code.
    pub fn newer_schema(stored: i64, known: i64) -> Self {
        Self(Box::new(Failure::NewerSchema { stored, known }))
    }

    pub fn is_newer_schema(&self) -> bool {
        matches!(*self.0, Failure::NewerSchema { .. })
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Failure::Engine(reason) => write!(f, "storage failed: {reason}"),
            Failure::Corrupt(what) => write!(f, "stored {what} is not readable"),
            Failure::NewerSchema { stored, known } => {
                write!(f, "storage has schema {stored}, this version knows up to {known}")
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// Runs `body` atomically and hands its result out.
pub fn atomic<T>(sql: &dyn Sql, mut body: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut result = None;
    sql.atomically(&mut || {
        result = Some(body()?);
        Ok(())
    })?;
    result.ok_or_else(|| StoreError::corrupt("transaction"))
}

/// The one row of a statement that counts.
pub fn counted(rows: &[Row]) -> Result<&Row, StoreError> {
    rows.first().ok_or_else(|| StoreError::corrupt("count"))
}

/// Rows written as JSON lists of values; `None` if one of them is no number, text or null. Of bytes, their number stands
/// there in a list of its own, and they follow each other in `bytes`.
pub fn rows_of_json(text: &str, mut bytes: &[u8]) -> Option<Vec<Row>> {
    let serde_json::Value::Array(rows) = serde_json::from_slice(text.as_bytes()).ok()? else { return None };
    rows.into_iter()
        .map(|row| match row {
            serde_json::Value::Array(values) => {
                values.into_iter().map(|value| cell(value, &mut bytes)).collect::<Option<_>>().map(Row)
            }
            _ => None,
        })
        .collect()
}

fn cell(value: serde_json::Value, bytes: &mut &[u8]) -> Option<Value> {
    match value {
        serde_json::Value::Null => Some(Value::Null),
        serde_json::Value::String(text) => Some(Value::Text(text)),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(Value::Int(whole)),
            None => number.as_f64().map(Value::Real),
        },
        serde_json::Value::Array(count) => {
            let [count] = count.as_slice() else { return None };
            let (blob, rest) = bytes.split_at_checked(usize::try_from(count.as_u64()?).ok()?)?;
            *bytes = rest;
            Some(Value::Blob(blob.to_vec()))
        }
        _ => None,
    }
}

impl Row {
    pub fn int(&self, column: usize) -> Result<i64, StoreError> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(*value),
            // The runtime hands whole numbers out as either kind.
            Some(Value::Real(value)) if value.fract() == 0.0 => Ok(*value as i64),
            _ => Err(StoreError::corrupt("integer")),
        }
    }

    pub fn real(&self, column: usize) -> Result<f64, StoreError> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Ok(*value as f64),
            Some(Value::Real(value)) => Ok(*value),
            _ => Err(StoreError::corrupt("number")),
        }
    }

    pub fn flag(&self, column: usize) -> Result<bool, StoreError> {
        Ok(self.int(column)? != 0)
    }

    pub fn text(&self, column: usize) -> Result<&str, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Ok(value),
            _ => Err(StoreError::corrupt("text")),
        }
    }

    pub fn string(&self, column: usize) -> Result<String, StoreError> {
        self.text(column).map(str::to_owned)
    }

    pub fn blob(&self, column: usize) -> Result<&[u8], StoreError> {
        match self.0.get(column) {
            Some(Value::Blob(value)) => Ok(value),
            _ => Err(StoreError::corrupt("blob")),
        }
    }

    pub fn is_null(&self, column: usize) -> bool {
        matches!(self.0.get(column), None | Some(Value::Null))
    }

    /// `None` for NULL, otherwise what `read` makes of the column.
    pub fn optional<T>(
        &self,
        column: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        if self.is_null(column) { Ok(None) } else { read(self, column).map(Some) }
    }
}

impl Value {
    /// Whether an argument is this value.
    pub(super) fn is(&self, arg: &Arg<'_>) -> bool {
        match (self, arg) {
            (Self::Null, Arg::Null) => true,
            (Self::Int(own), Arg::Int(other)) => own == other,
            (Self::Real(own), Arg::Real(other)) => own.to_bits() == other.to_bits(),
            (Self::Text(own), Arg::Text(other)) => own == other,
            (Self::Blob(own), Arg::Blob(other)) => own == other,
            _ => false,
        }
    }
}

impl From<&Arg<'_>> for Value {
    fn from(arg: &Arg<'_>) -> Self {
        match arg {
            Arg::Null => Self::Null,
            Arg::Int(value) => Self::Int(*value),
            Arg::Real(value) => Self::Real(*value),
            Arg::Text(value) => Self::Text((*value).to_owned()),
            Arg::Blob(value) => Self::Blob(value.to_vec()),
        }
    }
}

impl From<i64> for Arg<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Arg<'_> {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<f64> for Arg<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<crate::time::Millis> for Arg<'_> {
    fn from(value: crate::time::Millis) -> Self {
        Self::Int(value.0)
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(value)
    }
}

impl<'a, T: Into<Arg<'a>>> From<Option<T>> for Arg<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_written_as_json_are_read_as_they_were() {
        let rows =
            rows_of_json(r#"[["犬🐕\u0000\"",-7,0.5,null],["",9007199254740991,1e21,null]]"#, &[]).unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(rows[0], Row(vec![text("犬🐕\0\""), Value::Int(-7), Value::Real(0.5), Value::Null]));
        assert_eq!(rows[1], Row(vec![text(""), Value::Int((1 << 53) - 1), Value::Real(1e21), Value::Null]));
        let blob = |bytes: &[u8]| Value::Blob(bytes.to_vec());
        let rows = rows_of_json("[[[2],7],[[0],[3]]]", b"abcde").unwrap();
        assert_eq!(rows, [Row(vec![blob(b"ab"), Value::Int(7)]), Row(vec![blob(b""), blob(b"cde")])]);
    }

    #[test]
    fn what_json_cannot_write_is_not_guessed() {
        for text in [
            r#"[["犬",{}]]"#,
            r#"[["\ud800"]]"#,
            "[[1],[true]]",
            "[[[4]]]",
            "[[[1,1]]]",
            "[[[-1]]]",
            "[[[]]]",
        ] {
            assert_eq!(rows_of_json(text, b"abc"), None, "{text}");
        }
    }
}
