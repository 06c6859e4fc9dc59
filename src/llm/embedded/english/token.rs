//! English words with their places in the source, and what is read off a run of them.

use super::words::{ADVERBS, verb};
use crate::text::sentences::is_abbreviation;

/// A word with its place in the source; contractions are two words of one place.
#[derive(Clone, Debug)]
pub struct Word<'a> {
    pub raw: &'a str,
    pub low: String,
    pub start: usize,
    pub end: usize,
    /// Punctuation follows.
    pub pause: bool,
}

/// The words of `text` with the first person turned into the user's.
pub fn sentence_text(text: &str, words: &[Word]) -> String {
    let mut said = String::new();
    let mut last_end: Option<usize> = None;
    let mut follows_speaker = false;
    for word in words {
        if last_end == Some(word.end) {
            continue;
        }
        if let Some(end) = last_end {
            said.push_str(text.get(end..word.start).unwrap_or(" "));
        }
        match word.low.as_str() {
            "my" | "our" => said.push_str("their"),
            "me" | "us" => said.push_str("them"),
            "i" | "we" => said.push_str("they"),
            "myself" => said.push_str("themselves"),
            // "When I was younger" is "when they were younger".
            "am" | "was" if follows_speaker => said.push_str(if word.low == "am" { "are" } else { "were" }),
            _ => said.push_str(word.raw),
        }
        follows_speaker = matches!(word.low.as_str(), "i" | "we");
        last_end = Some(word.end);
    }
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adverbs and negation before a verb: what is left, whether it is negated, and whether by "never".
pub fn after_adverbs<'w, 'a>(mut words: &'w [Word<'a>]) -> (&'w [Word<'a>], bool, bool) {
    let (mut negated, mut never) = (false, false);
    loop {
        match words {
            [first, second, rest @ ..] if first.low == "no" && second.low == "longer" => {
                (negated, words) = (true, rest);
            }
            [first, rest @ ..] if first.low == "not" => (negated, words) = (true, rest),
            [first, rest @ ..] if first.low == "never" => (negated, never, words) = (true, true, rest),
            // "I do yoga": the verb itself.
            [first, second, ..]
                if first.low == "do"
                    && second.low != "not"
                    && verb(&second.low).is_none()
                    && !ADVERBS.contains(second.low.as_str()) =>
            {
                return (words, negated, never);
            }
            [first, rest @ ..]
                if ADVERBS.contains(first.low.as_str()) || matches!(first.low.as_str(), "did" | "does") =>
            {
                words = rest;
            }
            _ => return (words, negated, never),
        }
    }
}

/// Splits on white space; contractions are expanded.
pub fn words(sentence: &str, offset: usize) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    for piece in sentence.split_whitespace() {
        let at = piece.as_ptr() as usize - sentence.as_ptr() as usize + offset;
        let left = piece.trim_start_matches(|c: char| !c.is_alphanumeric());
        let raw =
            left.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '%' | '°'));
        if raw.is_empty() {
            if let Some(last) = found.last_mut() {
                let last: &mut Word = last;
                last.pause = true;
            }
            continue;
        }
        let start = at + piece.len() - left.len();
        let end = start + raw.len();
        let pause = left.len() > raw.len()
            && !matches!(left.get(raw.len()..), Some("\"" | "'" | "”" | "’"))
            && !(left.get(raw.len()..) == Some(".") && is_abbreviation(raw));
        let mut low = crate::text::fold::fold(raw).replace(['’', '‘'], "'");
        // "My new SO" is a partner and ends nothing.
        if raw == "SO" && sentence.contains(char::is_lowercase) {
            "significant other".clone_into(&mut low);
        }
        let (first, second) = expand(&low);
        let one = Word { raw, low: first, start, end, pause: pause && second.is_none() };
        found.push(one);
        if let Some(second) = second {
            found.push(Word { raw, low: second.to_owned(), start, end, pause });
        }
    }
    found
}

fn expand(low: &str) -> (String, Option<&'static str>) {
    match low {
        "cannot" | "can't" | "cant" => return ("can".to_owned(), Some("not")),
        "won't" => return ("will".to_owned(), Some("not")),
        "dont" => return ("do".to_owned(), Some("not")),
        "im" | "ım" => return ("i".to_owned(), Some("am")),
        "ive" => return ("i".to_owned(), Some("have")),
        "havent" | "haven't" => return ("have".to_owned(), Some("not")),
        "doesnt" => return ("does".to_owned(), Some("not")),
        "isnt" => return ("is".to_owned(), Some("not")),
        "didnt" => return ("did".to_owned(), Some("not")),
        "wasnt" => return ("was".to_owned(), Some("not")),
        "wont" => return ("will".to_owned(), Some("not")),
        "name's" => return ("name".to_owned(), Some("is")),
        _ => {}
    }
    let split =
        |suffix: &str| low.strip_suffix(suffix).filter(|stem| matches!(*stem, "i" | "we")).map(str::to_owned);
    if let Some(stem) = split("'m").or_else(|| split("'re")) {
        return (stem, Some("am"));
    }
    if let Some(stem) = low.strip_suffix("'s").filter(|stem| matches!(*stem, "he" | "she")) {
        return (stem.to_owned(), Some("is"));
    }
    if let Some(stem) = split("'ve") {
        return (stem, Some("have"));
    }
    if let Some(stem) = split("'ll") {
        return (stem, Some("will"));
    }
    match low.strip_suffix("n't") {
        Some(stem @ ("do" | "does" | "did" | "is" | "was" | "are" | "have" | "has" | "ca")) => {
            (stem.to_owned(), Some("not"))
        }
        _ => (low.to_owned(), None),
    }
}
