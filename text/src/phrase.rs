//! Phrases inside folded text: whole words where words are spaced, plain occurrence where they are not.

use super::language::is_cjk;
use crate::list::Words;

/// Whether `phrase` occurs in `folded` (both folded). A Latin phrase must not be part of a longer word.
pub fn has(folded: &str, phrase: &str) -> bool {
    find(folded, phrase).is_some()
}

/// Whether any of the phrases occurs.
pub fn has_any(folded: &str, phrases: Words) -> bool {
    let letters = Letters::of(folded);
    phrases.iter().any(|phrase| letters.may_hold(phrase) && has(folded, phrase))
}

/// Which bytes a text has: most phrases of a list begin or end with one that it hasn't, and needn't be looked for.
struct Letters([bool; 256]);

impl Letters {
    fn of(text: &str) -> Self {
        let mut has = [false; 256];
        for byte in text.bytes() {
            if let Some(has) = has.get_mut(usize::from(byte)) {
                *has = true;
            }
        }
        Self(has)
    }

    fn may_hold(&self, phrase: &str) -> bool {
        phrase.bytes().all(|byte| self.0.get(usize::from(byte)) == Some(&true))
    }
}

/// The byte offset of the first occurrence.
pub fn find(folded: &str, phrase: &str) -> Option<usize> {
    let first = *phrase.as_bytes().first()?;
    // The library's search prepares itself for long texts, which takes longer than going through these.
    folded
        .bytes()
        .enumerate()
        .filter(|&(at, byte)| byte == first && folded.get(at..).is_some_and(|rest| rest.starts_with(phrase)))
        .map(|(at, _)| at)
        .find(|&at| stands_alone(folded, at, at + phrase.len()))
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
        assert!(starts("if so", "if") && !starts("iffy", "if"));
        assert!(ends_any("yes please", words!["please"]) && !ends_any("displease", words!["please"]));
    }
}
