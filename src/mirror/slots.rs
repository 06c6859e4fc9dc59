//! Rows of D1 as slots: each has one of a few sizes, and keeps it for ever.
//!
//! SQLite writes a row whose record keeps its length in its place, and copies rows that change theirs, leaving the old
//! bytes in the page. So a record is padded here to a multiple of [`STEP`], by the lengths of SQLite's file format.

use crate::store::sql::Arg;

/// Sizes are multiples of this; two bytes as an integer, whichever.
const STEP: usize = 256;

/// Versions are stored from here on, so that each takes six bytes and a deletion keeps its row's size.
pub(super) const FIRST_VERSION: i64 = 1 << 32;

/// A row's size, and the bytes that pad it to that.
pub(super) fn padded(columns: &[Arg<'_>]) -> (i64, String) {
    // The header begins with its own length, and the pad and the size are columns too.
    let bare =
        1 + columns.iter().map(length).sum::<usize>() + length(&"".into()) + length(&(STEP as i64).into());
    let mut size = bare.div_ceil(STEP) * STEP;
    // From 58 bytes on a text's own length takes two bytes, so that a pad of just this much more doesn't exist.
    if size - bare == SHORT + 1 {
        size += STEP;
    }
    let more = size - bare;
    (size as i64, "0".repeat(if more > SHORT { more - 1 } else { more }))
}

/// A text up to this has its length in one byte.
const SHORT: usize = 57;

/// The bytes of a value and of its type.
fn length(value: &Arg<'_>) -> usize {
    let of_bytes = |bytes: usize| bytes + if bytes <= SHORT { 1 } else { 2 + usize::from(bytes > 8_185) };
    match value {
        Arg::Null | Arg::Int(0 | 1) => 1,
        Arg::Int(number) => match number ^ (number >> 63) {
            ..=0x7f => 2,
            0x80..=0x7fff => 3,
            0x8000..=0x7f_ffff => 4,
            0x80_0000..=0x7fff_ffff => 5,
            0x8000_0000..=0x7fff_ffff_ffff => 7,
            _ => 9,
        },
        Arg::Real(_) => 9,
        Arg::Text(text) => of_bytes(text.len()),
        Arg::Blob(bytes) => of_bytes(bytes.len()),
    }
}

/// Sets the key of a slot that nobody uses: no owner's, because those are hashes, and as long as an owner's.
pub(super) const FREED: &str = "owner = printf('0000000000000000%08d%040d', size, rowid)";

/// Between which keys the free slots of a size are.
pub(super) fn free_keys(size: i64) -> (String, String) {
    let key = |size: i64| format!("0000000000000000{size:08}");
    (key(size), key(size + 1))
}

/// Assignments that put filler of the same size into columns.
pub(super) fn overwritten(columns: &[&str]) -> String {
    let assignment = |column: &&str| {
        format!("{column} = substr(hex(zeroblob(octet_length({column}))), 1, octet_length({column}))")
    };
    columns.iter().map(assignment).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use crate::store::sql::Sql;

    #[test]
    fn a_padded_row_has_in_sqlites_own_count_exactly_its_size() {
        let sql = Sqlite::memory();
        sql.exec("CREATE TABLE one (number INTEGER, text TEXT, empty TEXT, size INTEGER, pad TEXT)", &[])
            .unwrap();
        let numbers =
            [0, 1, 2, 127, 128, -1, -128, -129, 1 << 15, 1 << 23, 1 << 31, FIRST_VERSION, 1 << 46, 1 << 47];
        let lengths = (0..300).chain([440, 495, 8_185, 8_186, 9_000]);
        for (at, length) in lengths.enumerate() {
            let (number, text) = (numbers[at % numbers.len()], "x".repeat(length));
            let columns: [Arg<'_>; 3] = [number.into(), (&text).into(), Arg::Null];
            let (size, pad) = padded(&columns);
            let rest: [Arg<'_>; 2] = [size.into(), (&pad).into()];
            sql.exec("DELETE FROM one", &[]).unwrap();
            sql.exec("INSERT INTO one VALUES (?, ?, ?, ?, ?)", &[&columns[..], &rest].concat()).unwrap();
            let stored = sql.exec("SELECT max(mx_payload) FROM dbstat WHERE name = 'one'", &[]).unwrap();
            assert_eq!(
                (size, size % STEP as i64),
                (stored[0].int(0).unwrap(), 0),
                "{number} and {length} bytes"
            );
        }
    }
}
