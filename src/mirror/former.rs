//! The table of facts before its rows were slots: emptied bit by bit, and overwritten.
//!
//! Invariant: a piece is given back and its pages are taken by zeros in one batch. SQLite takes the pages first that were
//! given free last, so the zeros of the piece before are given back before that.

use super::ports::{MirrorError, Statement, Table};
use super::rows::{wiped, zeros_of};
use crate::id::OwnerKey;
use crate::store::sql::Row;

/// Rows of a piece, some two megabytes and as many of its indexes.
pub const PIECE: usize = 2_500;
/// Megabytes of zeros over a piece. A list of free pages holds four megabytes, in no order.
const ZEROS: i64 = 9;

/// Overwrites what the owner's rows said, each in its place.
pub(super) fn overwrite(owner: &OwnerKey) -> Statement {
    Statement::new(format!("UPDATE facts_before SET {} WHERE owner = ?1", wiped()), &[owner.as_str().into()])
}

/// Gives pieces of the table back, at most so many. `true` once nothing is left of it.
pub async fn give_back<T: Table>(table: &T, pieces: usize) -> Result<bool, MirrorError> {
    let plain = |sql: &str| Statement::new(sql, &[]);
    let none = plain("DELETE FROM zeros WHERE owner = ''");
    let is_left =
        plain("SELECT EXISTS (SELECT 1 FROM facts_before), EXISTS (SELECT 1 FROM zeros WHERE owner = '')");
    let piece = Statement::new(
        "DELETE FROM facts_before WHERE rowid IN (SELECT rowid FROM facts_before ORDER BY rowid LIMIT ?1)",
        &[(PIECE as i64).into()],
    );
    let zeros = zeros_of("''", ZEROS, 5, None);
    let (mut rows, mut has_zeros) = left(&table.batch(std::slice::from_ref(&is_left)).await?);
    for _ in 0..pieces {
        if !rows {
            break;
        }
        let batch = [none.clone(), piece.clone(), zeros.clone(), is_left.clone()];
        (rows, has_zeros) = left(&table.batch(&batch).await?);
    }
    if !rows && has_zeros {
        // The first page of a table stays with it: so another table takes this one's place, for whoever asks for it.
        let instead = plain("CREATE TABLE facts_before AS SELECT * FROM facts WHERE owner IS NULL");
        table.batch(&[none.clone(), plain("DROP TABLE facts_before"), zeros, instead]).await?;
    }
    if has_zeros {
        table.batch(&[none]).await?;
    }
    Ok(!rows)
}

/// What the last answer says of rows and of zeros.
fn left(answers: &[Vec<Row>]) -> (bool, bool) {
    let row = answers.last().and_then(|rows| rows.first());
    let is = |column| row.is_some_and(|row| row.flag(column) == Ok(true));
    (is(0), is(1))
}
