//! Phrases inside folded text: whole words where words are spaced, plain occurrence where they are not.

use super::language::is_cjk;
use crate::list::Words;

/// Whether `phrase` occurs in `folded` (both folded). A Latin phrase must not be part of a longer word.
pub fn has(folded: &str, phrase: &str) -> bool {
    find(folded, phrase).is_some()
}

/// Whether any of the phrases occurs.
pub fn has_any(folded: &str, phrases: Words) -> bool {
    let pairs = Pairs::of(folded);
    phrases.iter().any(|phrase| pairs.may_hold(phrase) && has(folded, phrase))
}

/// Whether any of the pieces occurs, inside a word or not: for languages that don't space their words.
pub fn contains_any(text: &str, pieces: Words) -> bool {
    let pairs = Pairs::of(text);
    pieces.iter().any(|piece| pairs.may_hold(piece) && text.contains(piece))
}

/// Which pairs of neighbouring bytes a text has, some of them taken for others: most phrases of a list have one that the
/// text hasn't, and needn't be looked for.
struct Pairs([u64; 16]);

impl Pairs {
    fn of(text: &str) -> Self {
        let mut has = [0; 16];
        let mut before = 0;
        for &byte in text.as_bytes() {
            let (word, bit) = Self::place(before, byte);
            if let Some(word) = has.get_mut(word) {
                *word |= bit;
            }
            before = byte;
        }
        Self(has)
    }

    fn may_hold(&self, phrase: &str) -> bool {
        let mut bytes = phrase.as_bytes().iter();
        let Some(&(mut before)) = bytes.next() else { return true };
        for &byte in bytes {
            let (word, bit) = Self::place(before, byte);
            if self.0.get(word).is_none_or(|word| word & bit == 0) {
                return false;
            }
            before = byte;
        }
        true
    }

    fn place(before: u8, byte: u8) -> (usize, u64) {
        let mixed = (u32::from(before) * 37) ^ u32::from(byte);
        ((mixed >> 6 & 15) as usize, 1 << (mixed & 63))
    }
}

/// The byte offset of the first occurrence.
pub fn find(folded: &str, phrase: &str) -> Option<usize> {
    let (text, wanted) = (folded.as_bytes(), phrase.as_bytes());
    let first = wanted.first()?;
    // The library's search prepares itself for long texts, which takes longer than going through these.
    for (at, byte) in text.iter().enumerate() {
        if byte == first
            && text.get(at..).is_some_and(|rest| rest.starts_with(wanted))
            && stands_alone(folded, at, at + wanted.len())
        {
            return Some(at);
        }
    }
    None
}

/// Whether the text starts with the phrase, as whole words.
pub fn starts(folded: &str, phrase: &str) -> bool {
    folded.starts_with(phrase) && stands_alone(folded, 0, phrase.len())
}

/// Whether the text starts with any of the phrases.
pub fn starts_any(folded: &str, phrases: Words) -> bool {
    phrases.iter().any(|phrase| starts(folded, phrase))
}

/// Whether the text ends with any of the phrases, as whole words.
pub fn ends_any(folded: &str, phrases: Words) -> bool {
    phrases.iter().any(|phrase| {
        folded.ends_with(phrase) && stands_alone(folded, folded.len() - phrase.len(), folded.len())
    })
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| (c.is_alphanumeric() && !is_cjk(c)) || c == '\'';
    let (Some(before), Some(inside), Some(after)) =
        (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    let joins_left = inside.starts_with(is_word) && before.ends_with(|c: char| is_word(c) && c != '\'');
    let joins_right = inside.ends_with(is_word) && after.starts_with(is_word);
    !joins_left && !joins_right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn a_latin_phrase_is_a_whole_word_and_a_japanese_one_is_anywhere() {
        assert!(has("i do not know", "not"));
        assert!(!has("a knot in notes", "not"));
        assert!(!has("i can't", "can"));
        assert!(has("猫が好きではない", "ではない"));
        assert!(
            has_any("i do not know", words!["knot", "not"]) && has_any("私は知らない", words!["犬", "知ら"])
        );
        assert!(!has_any("a knot in notes", words!["not", "in note"]) && !has_any("", words!["not"]));
        assert!(starts("if so", "if") && !starts("iffy", "if"));
        assert!(ends_any("yes please", words!["please"]) && !ends_any("displease", words!["please"]));
    }
}
