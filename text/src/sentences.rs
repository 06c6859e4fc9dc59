//! Sentences, with their terminators, of English and Japanese text.

use crate::list::Words;
use crate::words;

/// Splits after `。！？!?` and line ends, and after a full stop that white space follows, unless it belongs to an
/// abbreviation ("St. Louis"); white space is trimmed and empty pieces are left out. Every piece is a slice of `text`.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|&(_, c)| c);
        let ends = match c {
            '\n' => true,
            '。' | '！' | '？' | '!' | '?' | '．' => !next.is_some_and(is_terminator),
            '.' => next.is_none_or(char::is_whitespace) && !abbreviates(&text[start..at], &text[at + 1..]),
            _ => false,
        };
        if ends {
            push(&text[start..at + c.len_utf8()], &mut found);
            start = at + c.len_utf8();
        }
    }
    push(&text[start..], &mut found);
    found
}

/// Whether a full stop after `before` marks an abbreviation that the sentence goes on behind.
fn abbreviates(before: &str, after: &str) -> bool {
    if after.starts_with(['\n', '\r']) {
        return false;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let next = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let goes_on = next.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
    let names_on = next.starts_with(char::is_uppercase) && !OPENS_SENTENCE.contains(next);
    match abbreviation(word) {
        Some(Abbreviation::Opens) => goes_on || names_on,
        Some(Abbreviation::Closes) => goes_on,
        None => false,
    }
}

enum Abbreviation {
    /// Something follows it: a title, "e.g.".
    Opens,
    /// It may end a sentence as well: "Inc.", "p.m.".
    Closes,
}

fn abbreviation(word: &str) -> Option<Abbreviation> {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end_matches('.');
    let lower = word.to_ascii_lowercase();
    if OPENING.contains(word) || words!["e.g", "i.e", "vs", "cf"].contains(lower.as_str()) {
        return Some(Abbreviation::Opens);
    }
    let has_stops = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    (CLOSING.contains(lower.as_str()) || has_stops).then_some(Abbreviation::Closes)
}

/// Whether a word before its full stop is an abbreviation, so that the stop is no pause.
pub fn is_abbreviation(word: &str) -> bool {
    abbreviation(word).is_some()
}

const OPENING: Words = words![
    "St", "Dr", "Mr", "Mrs", "Ms", "Mx", "Prof", "Rev", "Fr", "Gen", "Capt", "Lt", "Sgt", "Col", "Sen",
    "Gov", "Mt", "Ft",
];
const CLOSING: Words = words!["inc", "ltd", "corp", "jr", "sr", "etc", "approx", "dept"];

/// After "I live on Main St." these begin another sentence, as no name does.
const OPENS_SENTENCE: Words = words![
    "I", "My", "We", "Our", "It", "He", "She", "They", "The", "This", "That", "There", "And", "But", "So",
    "You", "What", "When", "Where", "How", "Do", "Is", "Can", "Please",
];

fn is_terminator(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '!' | '?' | '．' | '」' | '』' | '）' | ')' | '"')
}

fn push<'a>(piece: &'a str, found: &mut Vec<&'a str>) {
    let piece = piece.trim();
    if !piece.is_empty() {
        found.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_point_or_a_repeated_mark_ends_no_sentence() {
        assert_eq!(sentences("I ran 3.5 km. Really?! Yes"), ["I ran 3.5 km.", "Really?!", "Yes"]);
        assert_eq!(sentences("犬が好き。猫は？\n鳥も"), ["犬が好き。", "猫は？", "鳥も"]);
        assert!(sentences(" \n ").is_empty());
    }

    #[test]
    fn an_abbreviation_ends_a_sentence_only_where_another_begins() {
        for whole in [
            "I work at St. Mary's Hospital.",
            "My doctor is Dr. Smith.",
            "I like nuts, e.g. almonds, i.e. hard ones.",
            "I work for Acme Inc. in Boston.",
            "I was in the U.S. for a year.",
            "I get up at 6 a.m. every day.",
        ] {
            assert_eq!(sentences(whole), [whole]);
        }
        assert_eq!(sentences("I live on Main St. I like it."), ["I live on Main St.", "I like it."]);
        assert_eq!(
            sentences("I work for Acme Inc. Bob does too."),
            ["I work for Acme Inc.", "Bob does too."]
        );
        assert_eq!(sentences("I like St.\nMary"), ["I like St.", "Mary"]);
        assert_eq!(sentences("I like cats. Dogs too."), ["I like cats.", "Dogs too."]);
    }
}
