//! The built-in embedding: a table of English and Japanese pieces, and a text's vector is the sum of its pieces'.
//!
//! It knows what words mean, in both languages and across them, but not how they stand to each other: "likes" and
//! "does not like" are near. Invariant: the same text gives the same unit vector on every machine, in time that
//! grows with its length alone. `scripts/make_table.py` makes the table; `assets/NOTICE` says from what.

mod pieces;

use std::sync::OnceLock;

use pieces::Table;

use crate::text::prefix;

/// The model's name, as it is recorded with vectors.
pub const MODEL: &str = "embedded";
/// Grows when another table gives other vectors.
pub const VERSION: u32 = 2;
/// Length of every vector.
pub const DIMENSIONS: usize = 192;

/// Text beyond this many bytes adds nothing to the vector, so that a pasted book costs milliseconds.
const MAX_BYTES: usize = 16 * 1024;

static BYTES: &[u8] = include_bytes!("../../../assets/embedding.bin");
static TABLE: OnceLock<Option<Table<'static>>> = OnceLock::new();

/// A unit vector; the zero vector for a text of which the table knows no piece.
pub fn embed(text: &str) -> Vec<f32> {
    // A table that can't be read would be a broken build, which the tests refuse.
    TABLE
        .get_or_init(|| Table::read(BYTES))
        .as_ref()
        .map_or_else(|| vec![0.0; DIMENSIONS], |table| table.embed(prefix(text, MAX_BYTES)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: &str, b: &str) -> f32 {
        embed(a).iter().zip(embed(b)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_shipped_table_is_whole() {
        let table = Table::read(BYTES).unwrap();
        assert_eq!(table.dimensions(), DIMENSIONS);
        for cut in [0, 3, 12, 100, BYTES.len() / 2, BYTES.len() - 1] {
            assert!(Table::read(&BYTES[..cut]).is_none(), "cut at {cut}");
        }
    }

    #[test]
    fn meaning_brings_texts_together_that_share_no_word() {
        for (question, answer, other) in [
            ("What pet does she own?", "Has a golden retriever puppy", "Plays the violin on Sundays"),
            ("Which instrument does he play?", "Practises the violin on Sundays", "Lives near the harbour"),
            ("飼っているペットは？", "犬と暮らしている", "バイオリンを習っている"),
            ("食べ物の好み", "寿司が大好物", "東京で働いている"),
            ("犬を飼っている", "I have a dog", "I work at a bank"),
        ] {
            assert!(near(question, answer) > near(question, other), "{question}");
        }
    }

    #[test]
    fn equivalent_spellings_have_one_vector() {
        assert!(near("Ｄｏｇ", "dog") > 0.999);
        assert!(near("ｺｰﾋｰ", "コーヒー") > 0.999);
    }

    proptest! {
        #[test]
        fn every_text_gives_a_unit_vector_or_none(text in "\\PC{0,80}") {
            let vector = embed(&text);
            prop_assert_eq!(vector.len(), DIMENSIONS);
            let norm: f32 = vector.iter().map(|x| x * x).sum();
            prop_assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-4);
        }
    }
}
