//! Finds a quotation in a text although the two are spelled differently, and gives back the text's own bytes.
//!
//! Invariant: every range lies on character borders of the original text, so slicing it can't fail. White space
//! is ignored (weak models lose it); a match that starts or ends inside a Latin word grows to the whole word.

use std::ops::Range;

use super::fold::fold;
use super::language::is_cjk;
use super::normalize::is_mark;
use crate::words;

/// A repeated phrase is looked at this often; more repetitions change nothing about what was said.
const MAX_HITS: usize = 8;

/// Where `quote` occurs in `text`, folded: byte ranges of `text`, in order. Nothing for a quote without letters.
///
/// Quotation marks around the quote, its final punctuation and a final です・だ・である are not required.
pub fn occurrences(text: &str, quote: &str) -> Vec<Range<usize>> {
    let hay = folded_with_places(text);
    let letters: Vec<char> = hay.iter().map(|place| place.folded).collect();
    for needle in spellings(quote) {
        let needle: Vec<char> = needle.chars().filter(|c| !c.is_whitespace()).collect();
        if !needle.iter().any(|c| c.is_alphanumeric()) {
            continue;
        }
        let found = hits(&letters, &needle);
        if !found.is_empty() {
            return found
                .into_iter()
                .filter_map(|at| {
                    let (first, last) = (hay.get(at)?, hay.get(at + needle.len() - 1)?);
                    Some(whole_words(text, first.bytes.start..last.bytes.end))
                })
                .collect();
        }
    }
    Vec::new()
}

/// One character of the folded text and the bytes of the original that it came from.
struct Place {
    folded: char,
    bytes: Range<usize>,
}

fn folded_with_places(text: &str) -> Vec<Place> {
    let mut places = Vec::with_capacity(text.len());
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        let mut end = start + first.len_utf8();
        // A mark belongs to the letter before it: か and ゙ fold to one が.
        while let Some(&(at, mark)) = characters.peek() {
            if !is_mark(mark) && !matches!(mark, 'ﾞ' | 'ﾟ') {
                break;
            }
            end = at + mark.len_utf8();
            characters.next();
        }
        let Some(group) = text.get(start..end) else { continue };
        for c in fold(group).chars().filter(|c| !c.is_whitespace()) {
            places.push(Place { folded: same_mark(c), bytes: start..end });
        }
    }
    places
}

/// Typographic variants that NFKC keeps apart.
fn same_mark(c: char) -> char {
    match c {
        '’' | '‘' | '`' => '\'',
        '“' | '”' => '"',
        '、' | '､' => ',',
        '。' | '｡' => '.',
        '–' | '—' | '−' | '‐' => '-',
        _ => c,
    }
}

/// The quote as given, then with less and less at its edges.
fn spellings(quote: &str) -> Vec<String> {
    let given: String = fold(quote).chars().map(same_mark).collect();
    let is_edge = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '「' | '」' | '『' | '』' | '.' | ',' | '!' | '…' | '~')
    };
    let bare = given.trim_matches(is_edge).to_owned();
    let mut all = vec![given, bare.clone()];
    for ending in words!["です", "である", "だ"] {
        if let Some(stem) = bare.strip_suffix(ending)
            && stem.chars().count() >= 2
        {
            all.push(stem.to_owned());
        }
    }
    all
}

fn hits(hay: &[char], needle: &[char]) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    hay.windows(needle.len())
        .enumerate()
        .filter(|(_, window)| *window == needle)
        .map(|(at, _)| at)
        .take(MAX_HITS)
        .collect()
}

fn whole_words(text: &str, range: Range<usize>) -> Range<usize> {
    let is_word = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let Range { mut start, mut end } = range;
    let inside = text.get(start..end).unwrap_or_default();
    if inside.starts_with(is_word) {
        while let Some(c) =
            text.get(..start).and_then(|before| before.chars().next_back()).filter(|&c| is_word(c))
        {
            start -= c.len_utf8();
        }
    }
    if inside.ends_with(is_word) {
        while let Some(c) = text.get(end..).and_then(|after| after.chars().next()).filter(|&c| is_word(c)) {
            end += c.len_utf8();
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted<'a>(text: &'a str, quote: &str) -> Option<&'a str> {
        occurrences(text, quote).into_iter().next().map(|range| &text[range])
    }

    #[test]
    fn a_quote_is_found_across_widths_cases_and_spaces_and_given_back_verbatim() {
        assert_eq!(quoted("私は ＡＢＣ商事 で働く", "abc商事で働く"), Some("ＡＢＣ商事 で働く"));
        assert_eq!(quoted("ﾊﾞﾅﾅが好き。", "バナナが好きです。"), Some("ﾊﾞﾅﾅが好き"));
        assert_eq!(quoted("I  live\nin OSAKA!", "i live in Osaka."), Some("I  live\nin OSAKA"));
        assert_eq!(quoted("It’s mine", "It's mine"), Some("It’s mine"));
        assert_eq!(quoted("猫が好き", "犬が好き"), None);
        assert_eq!(quoted("猫が好き", "。"), None);
    }

    #[test]
    fn a_quote_that_cuts_a_word_grows_to_the_whole_word() {
        assert_eq!(quoted("I like cats a lot", "I like cat"), Some("I like cats"));
        assert_eq!(quoted("unhappy people", "happy people"), Some("unhappy people"));
    }

    proptest! {
        #[test]
        fn any_slice_of_any_text_is_found_or_has_no_letters(text in "\\PC{0,40}", from in 0usize..40, len in 1usize..20) {
            let slice: String = text.chars().skip(from).take(len).collect();
            for range in occurrences(&text, &slice) {
                prop_assert!(text.get(range).is_some());
            }
        }
    }
}
