//! Who is compared with what, and from where to where: words that a preposition or particle ties to a side.
//!
//! A fact may use all the words that were said and still exchange the sides ("from Osaka to Kyoto"). The sides are
//! compared by the word next to their marker; a marker that only one of the texts uses proves nothing.

use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::words;

/// English markers that stand before their word.
const BEFORE: Words = words![
    "from",
    "to",
    "over",
    "than",
    "until",
    "before",
    "after",
    "instead of",
    "rather than",
    "against",
    "by",
    "for",
    "with",
    "at",
    "in",
];
/// Japanese markers that stand behind their word.
const BEHIND: Words = words!["から", "より", "まで", "の前", "の後", "ではなく", "じゃなくて"];

/// Whether the text puts a word on another side than what was said, and the word of that side elsewhere.
pub(super) fn exchanged(text: &str, said: &str) -> bool {
    let (folded_text, folded_said) = (fold(text), fold(said));
    let (markers, sides): (_, fn(&str, &str) -> Vec<String>) = match language(text) {
        Language::En => (BEFORE, words_after),
        Language::Ja => (BEHIND, words_before),
    };
    if language(text) == Language::En
        && (elsewhere(&folded_text, &folded_said) || repaired(&folded_text, &folded_said))
    {
        return true;
    }
    // "Until March" told as "since March", 「3月まで」 as 「3月から」.
    let (from, until): (&[&str], &[&str]) = match language(text) {
        Language::En => (&["since", "from", "starting"], &["until", "till", "to", "by"]),
        Language::Ja => (&["から"], &["まで"]),
    };
    let of = |folded: &str, markers: &[&str]| -> Vec<String> {
        markers.iter().flat_map(|marker| sides(folded, marker)).collect()
    };
    let crosses = |one: &[&str], other: &[&str]| {
        let (told, spoken) = (of(&folded_text, one), of(&folded_said, other));
        told.iter().any(|word| spoken.contains(word) && !of(&folded_said, one).contains(word))
    };
    if crosses(from, until) || crosses(until, from) {
        return true;
    }
    markers.iter().any(|marker| {
        let (said_sides, stated) = (sides(&folded_said, marker), sides(&folded_text, marker));
        !said_sides.is_empty()
            && stated.iter().any(|word| {
                !said_sides.contains(word)
                    && folded_said.contains(word.as_str())
                    && said_sides
                        .iter()
                        .any(|other| folded_text.contains(other.as_str()) && !stated.contains(other))
            })
    })
}

/// "Dutch with my dad and French with my mum" told as French with dad.
fn repaired(text: &str, said: &str) -> bool {
    ["with", "in", "at", "for", "to"].iter().any(|marker| {
        let (told, spoken) = (pairs(text, marker), pairs(said, marker));
        told.iter().any(|(one, other)| {
            !spoken.contains(&(one.clone(), other.clone()))
                && spoken.iter().any(|(own, with)| own == one && with != other)
                && spoken.iter().any(|(own, with)| own != one && with == other)
        })
    })
}

/// The words before and after a marker.
fn pairs(folded: &str, marker: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'')
        .filter(|w| !w.is_empty())
        .collect();
    (1..words.len())
        .filter(|at| words.get(*at) == Some(&marker))
        .filter_map(|at| {
            let after = words.iter().skip(at + 1).find(|word| {
                !words!["the", "a", "an", "my", "their", "his", "her", "user's"].contains(word)
            })?;
            Some(((*words.get(at - 1)?).to_owned(), (*after).to_owned()))
        })
        .collect()
}

/// "at Ubisoft" of "before joining Ubisoft I was at a bank": what was said to be at, in or from is another word.
fn elsewhere(text: &str, said: &str) -> bool {
    words!["at", "from", "for"].iter().any(|marker| {
        let (said_sides, stated) = (words_after(said, marker), words_after(text, marker));
        let linked = |word: &str| {
            words!["at", "in", "for", "from", "with", "of", "to"]
                .iter()
                .any(|other| words_after(said, other).iter().any(|side| side == word))
        };
        !said_sides.is_empty()
            && stated.iter().any(|word| {
                !linked(word)
                    && said.split(|c: char| !c.is_alphanumeric() && c != '-').any(|other| other == word)
            })
    })
}

fn words_after(folded: &str, marker: &str) -> Vec<String> {
    let spaced = format!(" {folded} ");
    let word_of_its_own = format!(" {marker} ");
    spaced
        .match_indices(&word_of_its_own)
        .filter_map(|(at, found)| {
            spaced
                .get(at + found.len()..)?
                .split(|c: char| !c.is_alphanumeric() && c != '-')
                .find(|word| {
                    !word.is_empty() && !words!["the", "a", "an", "my", "their", "his", "her"].contains(word)
                })
                .map(str::to_owned)
        })
        .collect()
}

fn words_before(folded: &str, marker: &str) -> Vec<String> {
    folded
        .match_indices(marker)
        .filter_map(|(at, _)| {
            let head = folded.get(..at)?;
            let start = head
                .char_indices()
                .rev()
                .find(|(_, c)| !c.is_alphanumeric() || matches!(c, 'ぁ'..='ゖ'))
                .map_or(0, |(at, c)| at + c.len_utf8());
            let word = head.get(start..)?;
            (!word.is_empty()).then(|| word.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_sides_are_seen_and_reordered_words_are_not() {
        for (text, said) in [
            ("The user prefers coffee over tea", "I prefer tea over coffee"),
            ("The user moved from Kyoto to Osaka", "I moved from Osaka to Kyoto"),
            ("京都から大阪に引っ越した", "大阪から京都に引っ越しました"),
            ("紅茶よりコーヒーが好き", "コーヒーより紅茶が好きです"),
        ] {
            assert!(exchanged(text, said), "{text} / {said}");
            assert!(!exchanged(said, said));
        }
        for (text, said) in [
            ("The user moved to Kyoto from Osaka", "I moved from Osaka to Kyoto"),
            ("The user prefers tea", "I prefer tea over coffee"),
            ("紅茶が好き", "コーヒーより紅茶が好きです"),
            ("京都に引っ越した", "大阪から京都に引っ越しました"),
        ] {
            assert!(!exchanged(text, said), "{text} / {said}");
        }
    }
}
