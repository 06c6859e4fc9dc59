//! Where one English statement ends and the next begins, and whom each is about.

use std::ops::Range;

use super::units::{Piece, Subject};
use super::verbs_en::{is_past, stem};
use crate::text::case::lower;
use crate::text::list::Words;
use crate::words;

/// A word, lower-cased, with its place in the clause.
pub(super) struct Word {
    pub range: Range<usize>,
    pub low: String,
    pub is_capital: bool,
}

/// Words with their apostrophes and hyphens.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut start: Option<usize> = None;
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '+' | '#' | '&');
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        match (start, inside(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let raw = text.get(from..at).unwrap_or_default();
                if raw.chars().any(char::is_alphanumeric) {
                    found.push(Word {
                        range: from..at,
                        low: lower(raw.replace('’', "'").trim_matches(['\'', '-'])),
                        is_capital: raw.starts_with(char::is_uppercase),
                    });
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The pieces of a clause.
pub(super) fn pieces(clause: &str) -> Vec<Piece> {
    let words = words(clause);
    let mut borders = vec![0];
    for (at, word) in words.iter().enumerate().skip(1) {
        let gap = words
            .get(at - 1)
            .and_then(|last| clause.get(last.range.end..word.range.start))
            .unwrap_or_default();
        let open = clause.get(..word.range.start).unwrap_or_default();
        if open.matches('(').count() > open.matches(')').count() {
            continue;
        }
        let rest = words.get(at..).unwrap_or_default();
        let begins = match word.low.as_str() {
            // Conjunctions and relatives open a statement if one follows them.
            "and" | "or" | "but" | "so" | "because" | "though" | "although" | "while" | "which" | "who"
            | "yet" | "where" | "when" | "whereas" => {
                opens_statement(rest.get(1..).unwrap_or_default(), word.low == "and")
            }
            _ if gap.contains([';', '—', '–']) || gap.contains(" - ") => {
                opens_statement(rest, false) || opens_gerund(rest)
            }
            _ if gap.contains(',') => opens_statement(rest, false) || opens_gerund(rest),
            _ if gap.contains(':') => rest.first().is_some_and(|word| is_pronoun(&word.low)),
            _ => false,
        };
        if begins {
            borders.push(word.range.start);
        }
    }
    borders.push(clause.len());
    borders.dedup();
    let mut found: Vec<Piece> = Vec::new();
    for pair in borders.windows(2) {
        let (Some(&start), Some(&end)) = (pair.first(), pair.get(1)) else { continue };
        let own: Vec<&Word> =
            words.iter().filter(|word| start <= word.range.start && word.range.end <= end).collect();
        let subject = match own.first().map(|word| word.low.as_str()) {
            Some("who" | "which") => antecedent(&words, start).map_or(Subject::Carried, Subject::Own),
            _ => subject(&own),
        };
        let object =
            verb_at(&own).and_then(|verb| Some(own.get(verb + 1)?.range.start..own.last()?.range.end));
        found.push(Piece { range: start..end, subject, object });
    }
    found
}

/// What a "who" belongs to: the words before it, from their determiner on.
fn antecedent(words: &[Word], start: usize) -> Option<Range<usize>> {
    let before: Vec<&Word> = words.iter().filter(|word| word.range.end <= start).collect();
    let first = before
        .iter()
        .rposition(|word| {
            words!["my", "our", "a", "an", "the", "his", "her", "their", "two", "three"]
                .contains(word.low.as_str())
        })
        .filter(|at| before.len() - at <= 5)
        .or_else(|| before.iter().rposition(|word| word.is_capital))?;
    Some(before.get(first)?.range.start..before.last()?.range.end)
}

/// The words before the verb, without what only opens the talk.
fn subject(own: &[&Word]) -> Subject {
    let skip = own.iter().take_while(|word| is_filler(&word.low) || is_adverb(&word.low)).count();
    let Some(verb) = verb_at(own).filter(|verb| *verb <= skip + 7) else { return Subject::Carried };
    match (own.get(skip), verb.checked_sub(1).and_then(|last| own.get(last))) {
        _ if verb <= skip => match own.get(skip) {
            // "he's" and "I'm" are subject and verb.
            Some(word) if is_pronoun(&word.low) => Subject::Own(word.range.clone()),
            _ => Subject::Carried,
        },
        (Some(first), Some(last)) => Subject::Own(first.range.start..last.range.end),
        _ => Subject::Carried,
    }
}

pub(super) fn is_filler(word: &str) -> bool {
    words![
        "and", "but", "so", "also", "well", "because", "oh", "yes", "no", "actually", "lol", "haha", "ugh",
        "hey", "hi", "hello", "ok", "okay", "btw", "tbh", "honestly", "anyway", "or", "though", "although",
        "while", "yet", "who", "which", "then", "well,", "omg", "yeah", "sorry", "please", "thanks", "that",
        "when", "where", "whereas", "wow"
    ]
    .contains(word)
}

pub(super) fn is_pronoun(word: &str) -> bool {
    let bare = word.split('\'').next().unwrap_or(word);
    words!["i", "he", "she", "they", "it", "we", "you", "there", "this", "im", "ive"].contains(bare)
        || words!["that's", "these", "those"].contains(word)
}

/// The place of the first finite verb; "I'm" holds one.
pub(super) fn verb_at(words: &[&Word]) -> Option<usize> {
    words.iter().enumerate().position(|(at, word)| {
        let before = at.checked_sub(1).and_then(|last| words.get(last));
        let after_subject = before.is_none_or(|before| {
            is_pronoun(&before.low)
                || before.is_capital
                || is_filler(&before.low)
                || is_adverb(&before.low)
                || before.low.ends_with('s') && !words!["his", "this", "its"].contains(before.low.as_str())
        });
        let contracted = is_pronoun(&word.low) && word.low.contains('\'') || is_contracted_noun(words, at);
        contracted
            || is_auxiliary(&word.low)
            || (is_past(&word.low) || is_strong_past(&word.low))
                && !before.is_some_and(|before| is_determiner(&before.low))
            || is_third_person(&word.low) && !before.is_some_and(|before| is_determiner(&before.low))
            || is_base(&word.low) && after_subject
    })
}

/// "my wife's the gardener": a noun with its "is".
pub(super) fn is_contracted_noun(words: &[&Word], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.low.as_str());
    words.get(at).is_some_and(|word| word.low.ends_with("'s"))
        && (words![
            "a", "an", "the", "my", "not", "been", "in", "on", "at", "from", "very", "so", "really",
            "allergic", "always", "still"
        ]
        .contains(next)
            || next.len() > 4 && next.ends_with("ing"))
}

/// Whether words begin a statement: a subject and its verb, or a verb whose subject stands before.
fn opens_statement(words: &[Word], after_and: bool) -> bool {
    let rest: Vec<&Word> =
        words.iter().skip_while(|word| is_filler(&word.low) || is_adverb(&word.low)).take(5).collect();
    let low = |at: usize| rest.get(at).map_or("", |word| word.low.as_str());
    let denies = words
        .iter()
        .find(|word| !is_filler(&word.low) || word.low == "no")
        .is_some_and(|word| words!["no", "not", "none", "neither"].contains(word.low.as_str()));
    if denies || is_pronoun(low(0)) || low(1) == "off" {
        return true;
    }
    if is_finite(low(0)) || (after_and && is_base(low(0))) {
        return true;
    }
    if words!["my", "our", "his", "her", "their", "the", "all", "everyone", "nobody"].contains(low(0)) {
        return (1..rest.len()).any(|at| is_finite(low(at)) || is_pronoun(low(at)));
    }
    // "cups drive me crazy", "Lena is on leave", "email works best"
    is_finite(low(1)) && !is_determiner(low(0)) || is_base(low(1)) && low(0).ends_with('s')
}

/// "starting at a bike shop": a gerund with more behind it than the next entry of a list.
fn opens_gerund(words: &[Word]) -> bool {
    let low = |at: usize| words.get(at).map_or("", |word| word.low.as_str());
    low(0).len() > 4
        && low(0).ends_with("ing")
        && words![
            "at", "in", "on", "to", "for", "with", "a", "an", "the", "my", "up", "out", "her", "him", "it",
            "here"
        ]
        .contains(low(1))
}

fn is_finite(word: &str) -> bool {
    is_auxiliary(word) || is_past(word) || is_strong_past(word) || is_third_person(word)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    words![
        "am",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
        "would",
        "should",
        "must",
        "may",
        "might",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "haven't",
        "hasn't",
        "hadn't",
        "can't",
        "cannot",
        "couldn't",
        "won't",
        "wouldn't",
        "shouldn't"
    ]
    .contains(word)
}

pub(super) fn is_adverb(word: &str) -> bool {
    words![
        "still",
        "both",
        "just",
        "now",
        "also",
        "always",
        "often",
        "even",
        "once",
        "then",
        "currently",
        "never",
        "again",
        "sometimes",
        "usually",
        "finally",
        "recently",
        "really",
        "already",
        "only",
        "ever",
        "mostly",
        "not",
        "no",
        "longer",
        "soon",
        "probably",
        "honestly",
        "actually"
    ]
    .contains(word)
        || word.len() > 4
            && word.ends_with("ly")
            && !words!["family", "italy", "emily", "july", "only"].contains(word)
}

fn is_determiner(word: &str) -> bool {
    words![
        "a", "an", "the", "my", "our", "his", "her", "their", "your", "some", "any", "this", "old", "two",
        "three"
    ]
    .contains(word)
}

fn is_strong_past(word: &str) -> bool {
    words![
        "was",
        "were",
        "grew",
        "taught",
        "caught",
        "thought",
        "slept",
        "woke",
        "hurt",
        "built",
        "found",
        "felt",
        "paid",
        "sent",
        "spent",
        "swam",
        "sang",
        "stood",
        "told",
        "said",
        "understood",
        "wore",
        "became",
        "bought",
        "brought",
        "chose",
        "fell",
        "flew",
        "forgot",
        "heard",
        "held",
        "owed",
        "quit",
        "died",
        "used",
        "split",
        "adopted"
    ]
    .contains(word)
}

fn is_third_person(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.contains('\'')
        && is_base(&stem(word))
}

/// Verbs that people tell about themselves with.
#[rustfmt::skip]
pub(super) fn is_base(word: &str) -> bool {
    const BASE: Words = words![
        "like", "love", "hate", "live", "work", "play", "eat", "drink", "read", "know", "study", "learn", "speak", "have",
        "own", "keep", "prefer", "enjoy", "want", "need", "go", "get", "make", "take", "use", "run", "walk", "swim", "cook",
        "drive", "teach", "write", "move", "think", "plan", "hope", "wear", "collect", "grow", "raise", "sing", "dance",
        "paint", "ride", "travel", "visit", "sleep", "wake", "feel", "dislike", "avoid", "support", "follow", "watch",
        "listen", "volunteer", "suffer", "owe", "belong", "practise", "practice", "commute", "rent", "earn", "spend",
        "pay", "sell", "buy", "see", "meet", "call", "mean", "say", "come", "stay", "look", "help", "try", "start", "stop",
        "last", "expire", "arrive", "leave", "turn", "kill", "give", "put", "find", "believe", "smoke", "train", "coach",
        "manage", "lead", "care", "close", "open", "begin", "end", "cost", "do", "be", "hurt", "struggle", "wish", "miss",
    ];
    BASE.contains(word)
}
