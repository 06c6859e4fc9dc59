//! What the mirrors need from the world.
//!
//! Every call ends within a deadline that its implementation sets, and then counts as [`MirrorError::Unavailable`]:
//! the write may have happened, and may still happen later.

use std::fmt;
use std::future::Future;
use std::rc::Rc;

use crate::id::FactId;
use crate::memory::model::Fact;
use crate::store::outbox::Outcome;
use crate::store::sql::{Arg, Row, StoreError, Value};
use crate::time::Millis;

/// A statement with its arguments, at most 100 of them, for D1.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub sql: String,
    pub args: Vec<Value>,
}

/// A D1 database.
pub trait Table {
    /// Runs the statements in order, all or none of them, and gives the rows of each.
    fn batch(&self, statements: &[Statement]) -> impl Future<Output = Result<Vec<Vec<Row>>, MirrorError>>;
}

impl<T: Table> Table for Rc<T> {
    async fn batch(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, MirrorError> {
        (**self).batch(statements).await
    }
}

/// A vector with what Vectorize keeps beside it. There is no room for a fact's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// At most 64 bytes.
    pub id: String,
    pub namespace: String,
    pub values: Vec<f32>,
    pub metadata: Metadata,
}

/// The metadata of a vector; `uid` is the one that is indexed and filtered by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The owner key: exactly the 64 bytes that a metadata index covers.
    pub uid: String,
    pub fact: String,
    pub version: u32,
    pub model: String,
}

/// A nearest neighbour.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub id: String,
    pub score: f32,
}

/// What an index says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    pub dimensions: u32,
    pub count: u64,
    pub processed_up_to_mutation: Option<String>,
    /// When the last processed mutation was made.
    pub processed_up_to: Option<Millis>,
}

/// Vectorize refuses larger upserts.
pub const MAX_UPSERT: usize = 1_000;
/// Vectorize refuses to delete more ids at once.
pub const MAX_DELETE: usize = 100;
/// Vectorize refuses to give more vectors at once.
pub const MAX_GET: usize = 20;
/// Vectorize gives no more neighbours than this, and only 20 if values or metadata are asked for.
pub const MAX_TOP_K: usize = 100;

/// A Vectorize index. Writes take effect later, in the order in which they were accepted.
pub trait Vectors {
    /// At most [`MAX_UPSERT`]; replaces vectors of the same id. Gives the mutation id.
    fn upsert(&self, vectors: &[Vector]) -> impl Future<Output = Result<String, MirrorError>>;

    /// At most [`MAX_DELETE`]; unknown ids are no error. Gives the mutation id.
    fn delete_by_ids(&self, ids: &[String]) -> impl Future<Output = Result<String, MirrorError>>;

    /// At most [`MAX_GET`]; gives the ids that exist, in any order.
    fn get_by_ids(&self, ids: &[String]) -> impl Future<Output = Result<Vec<String>, MirrorError>>;

    /// The nearest neighbours within a namespace whose metadata has this `uid`; ids and scores only, at most
    /// [`MAX_TOP_K`], best first.
    fn query(
        &self,
        vector: &[f32],
        top_k: usize,
        namespace: &str,
        uid: &str,
    ) -> impl Future<Output = Result<Vec<Match>, MirrorError>>;

    fn describe(&self) -> impl Future<Output = Result<Described, MirrorError>>;
}

/// Makes the vectors of facts.
pub trait Embed {
    /// The model's name; vectors of another model aren't comparable and are made anew.
    fn model(&self) -> &str;

    /// One vector a fact, in order. May answer from vectors that the object already has.
    fn embed(&self, facts: &[Fact]) -> impl Future<Output = Result<Vec<Vec<f32>>, MirrorError>>;
}

/// The facts of the object, as they are at this moment.
pub trait Facts {
    /// `None` if it was forgotten or never was.
    fn fact(&self, id: &FactId) -> Result<Option<Fact>, StoreError>;

    /// Ids and versions of every fact of any status, ascending by id, beginning after `after`.
    fn page(&self, after: Option<&FactId>, limit: usize) -> Result<Vec<(FactId, u32)>, StoreError>;
}

/// Why a mirror failed, by what can be done next. Texts are for operators and hold no user content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MirrorError {
    /// Down, slow, overloaded, or its answer was lost: again later, as if nothing was known.
    Unavailable(String),
    /// It understood and said no: the same again gets the same answer.
    Refused(String),
    /// The index was made for vectors of another length: the operator names another model or index.
    WrongDimension { expected: u32, given: u32 },
    /// Its limit of rows, bytes or vectors is reached: the operator makes room.
    Full,
    /// The binding isn't there.
    Absent,
}

impl fmt::Display for MirrorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(reason) => write!(f, "unavailable: {reason}"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::WrongDimension { expected, given } => {
                write!(f, "the index takes {expected} dimensions, the embedding model gives {given}")
            }
            Self::Full => f.write_str("full"),
            Self::Absent => f.write_str("not bound"),
        }
    }
}

impl std::error::Error for MirrorError {}

impl MirrorError {
    /// What this means for the rows that were being sent, with `text` as its own words.
    pub fn outcome<'a>(&self, text: &'a str) -> Outcome<'a> {
        match self {
            Self::Unavailable(_) | Self::Absent => Outcome::Unreachable(text),
            // A full index still takes deletions, so only the rows wait and not the mirror.
            Self::Refused(_) | Self::WrongDimension { .. } | Self::Full => Outcome::Refused(text),
        }
    }
}

impl MirrorError {
    /// From an index's own words, `… expected 1024 dimensions, and got 768 dimensions`. An id in them may hold any
    /// number, so only those before the word count.
    pub fn wrong_dimension(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut numbers = words.windows(2).filter_map(|pair| match pair {
            [number, unit] if unit.starts_with("dimension") => number.parse().ok(),
            _ => None,
        });
        Self::WrongDimension {
            expected: numbers.next().unwrap_or_default(),
            given: numbers.next().unwrap_or_default(),
        }
    }
}

impl Statement {
    pub fn new(sql: impl Into<String>, args: &[Arg<'_>]) -> Self {
        let args = args
            .iter()
            .map(|arg| match *arg {
                Arg::Null => Value::Null,
                Arg::Int(value) => Value::Int(value),
                Arg::Real(value) => Value::Real(value),
                Arg::Text(value) => Value::Text(value.to_owned()),
                Arg::Blob(value) => Value::Blob(value.to_vec()),
            })
            .collect();
        Self { sql: sql.into(), args }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_in_a_refusal_are_read_past_the_digits_of_an_id() {
        let text = "VECTOR_UPSERT_ERROR (code = 40012): invalid vector for id=\"f_8x2:64 7\", expected 768 dimensions, \
                    and got 1024 dimensions";
        assert_eq!(
            MirrorError::wrong_dimension(text),
            MirrorError::WrongDimension { expected: 768, given: 1024 }
        );
        for odd in ["", "dimensions", "wrong dimension 次元 3"] {
            assert_eq!(
                MirrorError::wrong_dimension(odd),
                MirrorError::WrongDimension { expected: 0, given: 0 }
            );
        }
    }
}
