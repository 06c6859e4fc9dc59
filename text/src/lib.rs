//! Text in English and Japanese: folding, languages, words, sentences and token counts.
//!
//! A crate of its own because it alone is optimised for speed: every turn cuts its question, and every memory job all that
//! it compares, into words.

pub mod align;
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
