//! A vector from spelling alone: texts that share words and character n-grams are near each other.
//!
//! It knows no synonyms. Invariant: the same text gives the same unit vector on every machine.

use crate::text::fold::fold_kana;
use crate::text::prefix;
use crate::text::words::terms;

/// Length of every vector of the built-in model.
pub const EMBED_DIMENSIONS: usize = 384;

/// Text beyond this many bytes adds nothing to the vector, so that a pasted book costs milliseconds.
const MAX_BYTES: usize = 16 * 1024;

/// A unit vector; the zero vector only for a text without any letter, digit or symbol.
pub fn embed(text: &str) -> Vec<f32> {
    let text = prefix(text, MAX_BYTES);
    let mut vector = vec![0.0_f32; EMBED_DIMENSIONS];
    for term in terms(text) {
        let weight = if is_function_word(&term) { 0.1 } else { 1.0 };
        add(&mut vector, b'w', &term, weight);
    }
    let spaced: Vec<char> = std::iter::once(' ').chain(fold_kana(text).chars()).chain([' ']).collect();
    for gram in spaced.windows(3) {
        let gram: String = gram.iter().collect();
        add(&mut vector, b'g', &gram, 0.4);
    }
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|x| *x /= norm);
    }
    vector
}

/// Adds a feature at its hashed place, with a hashed sign so that collisions cancel rather than pile up.
fn add(vector: &mut [f32], family: u8, feature: &str, weight: f32) {
    // FNV-1a, finished by a multiplication so that its high bits are usable too.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(family);
    for byte in feature.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let sign = if hash >> 63 == 0 { weight } else { -weight };
    let place = ((hash >> 20) % vector.len() as u64) as usize;
    if let Some(x) = vector.get_mut(place) {
        *x += sign;
    }
}

/// Words that nearly every sentence has, and single kana, which are mostly particles and endings.
fn is_function_word(term: &str) -> bool {
    const WORDS: &[&str] = &[
        "a", "an", "the", "i", "my", "me", "you", "your", "is", "are", "am", "was", "do", "does", "did",
        "in", "on", "at", "to", "of", "and", "or", "for", "with", "what", "it", "that", "this", "です",
        "ます", "した", "して", "ない",
    ];
    WORDS.contains(&term) || (term.len() == 3 && term.chars().all(crate::text::language::is_kana))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: &str, b: &str) -> f32 {
        embed(a).iter().zip(embed(b)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn shared_words_bring_texts_together_in_both_languages() {
        assert!(near("Lives in Osaka.", "I live in Osaka") > near("Lives in Osaka.", "Allergic to peanuts"));
        assert!(near("猫を飼っている", "飼っている猫の名前") > near("猫を飼っている", "来月京都に行く"));
        assert!(near("ﾈｺが好き", "ねこが好き") > 0.99);
    }

    proptest! {
        #[test]
        fn every_text_gives_the_same_unit_vector_again(text in "\\PC{0,80}") {
            let vector = embed(&text);
            prop_assert_eq!(vector.len(), EMBED_DIMENSIONS);
            prop_assert_eq!(&vector, &embed(&text));
            let norm: f32 = vector.iter().map(|x| x * x).sum();
            prop_assert!(norm < 1e-6 || (norm - 1.0).abs() < 1e-4);
        }
    }
}
