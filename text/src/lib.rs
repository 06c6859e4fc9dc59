//! Text in English and Japanese: folding, languages, words, sentences and token counts.
//!
//! A crate of its own so that it alone can be optimised for speed: every turn cuts its question, and every memory job all
//! that it compares, into words. It isn't yet: that takes 17 KB of the download (`docs/performance.md`).

pub mod align;
pub mod case;
pub mod estimate;
pub mod fold;
pub mod language;
pub mod list;
pub mod names;
pub mod normalize;
pub mod particles;
pub mod phrase;
pub mod script;
pub mod search;
pub mod sentences;
pub mod stem;
pub mod stop;
pub mod term;

/// What a text that has one line shows: white space and control characters are single spaces, and nothing is left of
/// what shows nothing.
pub fn one_line(text: &str) -> String {
    if shows_nothing(text) {
        return String::new();
    }
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a text is empty to whoever reads it.
pub fn shows_nothing(text: &str) -> bool {
    let is_blank = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{3164}')
    };
    text.chars().all(is_blank)
}

/// The longest prefix of `text` that is at most `max_bytes` long and cuts no character.
pub fn prefix(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest prefix of at most `max_chars` characters.
pub fn prefix_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_shows_of_a_text() {
        for (text, line) in [
            ("  猫\u{0}と\r\n犬\t ", "猫 と 犬"),
            ("👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧"),
            ("e\u{301}\u{7}\u{85}x", "e\u{301} x"),
            ("\u{200b}\u{feff} \u{3000}\u{1b}", ""),
            ("", ""),
        ] {
            assert_eq!(one_line(text), line);
            assert_eq!(shows_nothing(text), line.is_empty());
        }
    }
}
