//! Which of the clauses of a quote a text is read from, so that the date of another clause isn't taken for its own.
//!
//! "We moved to Leeds last year and have a toddler": the year is the move's. What opens a quote frames all of it.

use std::ops::Range;

use crate::calendar::Date;
use crate::text::fold::fold;
use crate::text::language::is_han;
use crate::text::stem::stem;
use crate::text::stop::is_stop_word;
use crate::text::term::terms;
use crate::words;

use super::mentions::located;

/// A date that begins within so many characters opens its quote.
const OPENING: usize = 4;

/// The part of `quote` that says what `text` says: its clauses that share words with the text. All of it where a date
/// opens it or no clause of it shares a word.
pub fn own_part<'a>(text: &str, quote: &'a str, today: Date) -> &'a str {
    let folded = fold(quote);
    if located(&folded, today).first().is_none_or(|(_, place)| place.start < OPENING) {
        return quote;
    }
    let wanted = content(text);
    let shares = |range: &Range<usize>| {
        quote.get(range.clone()).is_some_and(|part| content(part).iter().any(|word| wanted.contains(word)))
    };
    let parts = parts(quote);
    let first = parts.iter().find(|part| shares(part));
    let last = parts.iter().rfind(|part| shares(part));
    first.zip(last).and_then(|(first, last)| quote.get(first.start..last.end)).unwrap_or(quote)
}

fn content(text: &str) -> Vec<String> {
    let says = |term: &String| {
        if term.is_ascii() {
            !is_stop_word(term)
        } else {
            term.chars().any(|c| is_han(c) || matches!(c, 'ァ'..='ヺ'))
        }
    };
    terms(text).into_iter().filter(says).map(|term| stem(&term)).collect()
}

/// Cut behind commas and before conjunctions.
fn parts(quote: &str) -> Vec<Range<usize>> {
    let mut cuts = vec![0];
    for (at, c) in quote.char_indices().filter(|(at, _)| *at > 0) {
        let rest = quote.get(at..).unwrap_or_default();
        if words![" and ", " but ", " so ", " while "].iter().any(|word| rest.starts_with(word)) {
            cuts.push(at);
        } else if c == ',' && rest.trim_start_matches([',', ' ']).starts_with(|c: char| c.is_ascii_digit()) {
            // "March 4, 2025" and "1,000" are one.
        } else if matches!(c, ',' | ';' | '、' | '，' | '。') {
            cuts.push(at + c.len_utf8());
        }
    }
    cuts.push(quote.len());
    cuts.windows(2).map(|pair| pair[0]..pair[1]).filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_belongs_to_the_clause_that_says_it_and_one_in_front_to_all() {
        let today = Date::new(2026, 11, 30).expect("a day");
        for (text, quote, part) in [
            ("Has a toddler.", "We moved to Leeds last year and have a toddler", " and have a toddler"),
            (
                "Lives in Leeds.",
                "We moved to Leeds last year and have a toddler",
                "We moved to Leeds last year",
            ),
            (
                "Bought a bicycle.",
                "I bought a bicycle on March 4, 2025",
                "I bought a bicycle on March 4, 2025",
            ),
            ("Has a toddler.", "Last year we moved to Leeds and had a toddler", ""),
            ("リーズに引っ越した。", "リーズに去年引っ越して、犬を飼っている", "リーズに去年引っ越して、"),
            ("犬を飼っている。", "リーズに去年引っ越して、犬を飼っている", "犬を飼っている"),
            ("犬を飼っている。", "去年リーズに引っ越して、犬を飼い始めた", ""),
            ("Name is Ann.", "I was Ann until 2019", ""),
        ] {
            let expected = if part.is_empty() { quote } else { part };
            assert_eq!(own_part(text, quote, today), expected, "{text}");
        }
    }
}
