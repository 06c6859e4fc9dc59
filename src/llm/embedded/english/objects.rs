//! English noun phrases and dates: where an object ends, and what it may not point at.

use super::Scope;
use super::token::{Word, sentence_text};
use super::words::{PETS, POINTERS, RELATIVES, STOPS, TRAILERS};
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::key;
use crate::text::list::Words;
use crate::words;

pub fn is_named(words: &[Word], at: usize) -> bool {
    let skip = usize::from(words.get(at).is_some_and(|w| w.low == "the"));
    words.get(at + skip).is_some_and(|w| w.raw.chars().next().is_some_and(char::is_uppercase) && w.low != "i")
}

pub fn singular(noun: &str) -> &str {
    match noun {
        "kids" | "children" | "child" => "kid",
        _ => noun.strip_suffix('s').unwrap_or(noun),
    }
}

/// Takes the dates out of the words: "since 2019", "from 2015 to 2018", "next month", "in April 2024".
pub fn without_period<'w, 'a>(scope: &Scope, words: &'w [Word<'a>]) -> (&'w [Word<'a>], dates::Period) {
    let low: Vec<&str> = words.iter().take(40).map(|w| w.low.as_str()).collect();
    for at in 0..low.len() {
        let skip = usize::from(words!["since", "from", "until", "till"].contains(low[at]));
        let Some((date, taken)) = dates::english(&low[at + skip..], scope.today) else { continue };
        let mut period = dates::Period::default();
        let mut end = at + skip + taken;
        match low[at] {
            "until" | "till" => period.until = Some(date),
            "from" => {
                period.from = Some(date);
                if matches!(low.get(end), Some(&("to" | "until" | "till")))
                    && let Some((until, taken)) = dates::english(&low[end + 1..], scope.today)
                {
                    period.until = Some(until);
                    end += 1 + taken;
                }
            }
            _ => period.from = Some(date),
        }
        // What follows the date is another thought; a date in front leaves what follows.
        return (if at == 0 { &words[end..] } else { &words[..at] }, period);
    }
    (words, dates::Period::default())
}

/// The noun phrase that the words start with, as said and folded.
pub fn object(scope: &Scope, words: &[Word]) -> Option<(String, String)> {
    let end =
        words.iter().position(|w| STOPS.contains(w.low.as_str()) || w.low == "that").unwrap_or(words.len());
    let end = words.iter().take(end).position(|w| w.pause).map_or(end, |at| {
        // "Osaka, Japan" and "sushi, ramen and soba" go on after their commas.
        let goes_on = words
            .get(at + 1)
            .is_some_and(|next| next.raw.starts_with(char::is_uppercase) || dates::year(&next.low).is_some())
            || words[..end].iter().skip(at).any(|w| matches!(w.low.as_str(), "and" | "or"));
        let goes_on = goes_on && goes_on_after(scope, words, at);
        if goes_on { end } else { at + 1 }
    });
    bounded(scope, &words[..end], 9)
}

/// Whether what follows the pause behind a word belongs to it: a dash opens another thought.
fn goes_on_after(scope: &Scope, words: &[Word], at: usize) -> bool {
    let between = words.get(at).zip(words.get(at + 1)).map(|(word, next)| word.end..next.start);
    between.and_then(|range| scope.source.get(range)).is_some_and(|gap| gap.contains([',', ':']))
}

/// The objects of a list, one by one; a phrase that isn't a plain list stays whole.
pub fn objects(scope: &Scope, words: &[Word]) -> Vec<(String, String)> {
    let end =
        words.iter().position(|w| STOPS.contains(w.low.as_str()) || w.low == "that").unwrap_or(words.len());
    // "Movies that …", "sharing what …", "it when …": the object is narrower than its words.
    let is_narrowed = words.get(end).is_some_and(|w| {
        words!["that", "what", "how", "who", "which", "where", "when", "if", "why"].contains(w.low.as_str())
    }) && end.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|w| !w.pause);
    if is_narrowed {
        return Vec::new();
    }
    let is_cut = |at: usize| words[at].pause && at + 1 < end && !goes_on_after(scope, words, at);
    let words = &words[..(0..end).find(|at| is_cut(*at)).map_or(end, |at| at + 1)];
    let mut parts: Vec<&[Word]> = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        let joins = matches!(word.low.as_str(), "and" | "or");
        if joins || word.pause {
            parts.push(&words[start..if joins { at } else { at + 1 }]);
            start = at + 1;
        }
    }
    parts.push(&words[start..]);
    parts.retain(|part| !part.is_empty());
    // "Sichuan and Cantonese cuisine" shares its noun: splitting it would cut the first.
    let length = |part: Option<&&[Word]>| part.map_or(0, |words| words.len());
    let is_shared = length(parts.first()) == 1
        && length(parts.last()) > 1
        && parts.first().is_some_and(|part| part.iter().all(|w| !w.low.ends_with("ing")));
    let is_list = (2..=6).contains(&parts.len())
        && !is_shared
        && parts.iter().all(|part| part.len() <= 3)
        && words.iter().any(|w| matches!(w.low.as_str(), "and" | "or"))
        && !words.iter().any(|w| words!["like", "such", "near", "between"].contains(w.low.as_str()));
    if !is_list {
        return object(scope, words).into_iter().collect();
    }
    let found: Vec<_> = parts.iter().filter_map(|part| bounded(scope, part, 3)).collect();
    if found.len() == parts.len() { found } else { Vec::new() }
}

fn is_name(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|w| {
        w.raw.starts_with(char::is_uppercase)
            && !words!["i", "i'm", "i've", "i'd", "i'll"].contains(w.low.as_str())
    })
}

/// Whether the word at this place is a being whose name comes next: "two cats, Pip and Olive".
fn names_follow(words: &[Word], at: usize) -> bool {
    let is_being = |w: &Word| PETS.contains(w.low.as_str()) || RELATIVES.contains(w.low.as_str());
    words.get(at).is_some_and(is_being) && is_name(words, at + 1)
}

/// Whether the "and" at this place stands between two names and not between two clauses: "called Pip and Olive".
fn joins_names(words: &[Word], at: usize) -> bool {
    let is_name = |at| is_name(words, at);
    let is_last = words.get(at + 1).is_some_and(|w| w.pause)
        || words.get(at + 2).is_none_or(|w| {
            words![
                "in", "on", "at", "for", "with", "last", "next", "this", "because", "but", "so", "and",
                "since"
            ]
            .contains(w.low.as_str())
        });
    let before = words.get(..at).unwrap_or_default();
    let names = before.iter().any(|w| words!["called", "named"].contains(w.low.as_str()))
        || at.checked_sub(2).is_some_and(|at| names_follow(words, at));
    names && at > 0 && is_name(at - 1) && is_name(at + 1) && is_last
}

/// Whether the "and" at this place stands between two names that say the kind of one noun: "Sichuan and Hunan cuisine".
fn shares_noun(words: &[Word], at: usize) -> bool {
    let is_name = |w: &Word| w.raw.starts_with(char::is_uppercase) && w.low != "i";
    match words.get(at.saturating_sub(1)..at + 3) {
        Some([one, _, other, noun]) => {
            is_name(one)
                && is_name(other)
                && !one.pause
                && !other.pause
                && !STOPS.contains(noun.low.as_str())
                && !at.checked_sub(2).is_some_and(|at| names_follow(words, at))
        }
        _ => false,
    }
}

/// The words up to the clause's end, for plans and events, whose objects are verb phrases.
pub fn clause_object(scope: &Scope, words: &[Word]) -> Option<(String, String)> {
    let ends = |at: usize, w: &Word| {
        words!["because", "but", "so", "since", "which", "if", "cause"].contains(w.low.as_str())
            || w.low == "and" && !joins_names(words, at) && !shares_noun(words, at)
    };
    let end = words.iter().enumerate().position(|(at, w)| ends(at, w)).unwrap_or(words.len());
    let is_pause = |(at, w): (usize, &Word)| w.pause && !names_follow(words, at);
    let end = words.iter().enumerate().take(end).position(is_pause).map_or(end, |at| at + 1);
    bounded(scope, &words[..end], 14)
}

pub fn bounded(scope: &Scope, mut words: &[Word], most: usize) -> Option<(String, String)> {
    // A dangling preposition: the object was in the clause that was cut off.
    if words.last().is_some_and(|w| {
        words!["to", "in", "on", "with", "of", "for", "about", "by"].contains(w.low.as_str())
    }) {
        return None;
    }
    while let [rest @ .., last] = words {
        // "To challenge myself": whom.
        let is_whom = last.low == "myself" && matches!(rest, [.., to, _] if to.low == "to");
        if !TRAILERS.contains(last.low.as_str()) || is_whom {
            break;
        }
        words = rest;
    }
    let first = words.first()?;
    if words.len() > most
        || POINTERS.contains(first.low.as_str())
            && first.low != "the"
            && first.low != "to"
            && first.low != "at"
            && first.low != "being"
            && first.low != "having"
    {
        return None;
    }
    if first.low == "the" && !is_known_definite(words) {
        return None;
    }
    let pointing = |w: &Word| {
        words![
            "it", "this", "that", "them", "you", "your", "these", "those", "he", "she", "him", "her", "his",
            "yours", "there", "here"
        ]
        .contains(w.low.as_str())
    };
    if words.iter().any(pointing) {
        return None;
    }
    let mut said = sentence_text(scope.source, words);
    if said.chars().filter(|c| matches!(c, '"' | '“' | '”')).count() % 2 == 1 {
        said.retain(|c| !matches!(c, '"' | '“' | '”'));
    }
    let folded = key(&said);
    (!folded.is_empty() && said.chars().count() <= 120).then_some((said, folded))
}

/// "The beach", "the Beatles"; "the colours" is something both speakers look at.
pub fn is_known_definite(words: &[Word]) -> bool {
    const KNOWN: Words = words![
        "beach",
        "sea",
        "ocean",
        "mountains",
        "outdoors",
        "piano",
        "guitar",
        "violin",
        "drums",
        "flute",
        "cello",
        "countryside",
        "city",
        "cold",
        "heat",
        "rain",
        "snow",
        "summer",
        "winter",
        "gym",
        "theater",
        "theatre",
        "movies",
        "dark",
        "dentist",
        "suburbs",
        "saxophone",
        "forest",
        "night",
        "bass",
        "trumpet",
        "clarinet",
        "ukulele",
        "harp",
        "news",
        "food",
        "tech",
        "film",
        "medical",
        "council",
        "government",
        "bank",
        "police",
        "post",
        "army",
        "navy",
        "hospital",
        "railway",
    ];
    words.get(1).is_some_and(|w| KNOWN.contains(w.low.as_str()) || w.raw.starts_with(char::is_uppercase))
}
