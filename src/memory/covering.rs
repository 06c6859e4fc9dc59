//! Which words of a message say what a proposed text says, and what is between the two where none do.

use std::ops::Range;

use super::assertion::Clause;
use super::cover::{Gap, gap};
use super::derive::{bears_on, finished, follows, names_in_passing, retells};
use super::extract::{Said, overlaps};
use super::subject::{person_ja, with_antecedent};
use super::units::{Unit, statements, units};
use super::verdict::Reason;
use crate::calendar::Date;
use crate::text::fold::fold;
use crate::text::language::{Language, is_katakana, language};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
use crate::text::phrase::has;
use crate::text::sentences::sentences;
use crate::words;

/// The words that say what the text says: for each of its statements one statement of the touched sentences, of which
/// at least one touches the quote.
pub(super) fn covering(
    text: &str,
    message: &Said,
    place: &Range<usize>,
    touched: &[&Clause],
    all: &[Clause],
    is_manner: bool,
) -> Result<Range<usize>, Reason> {
    let first_sentence = touched.first().map_or(0, |clause| clause.sentence);
    let last_sentence = touched.last().map_or(0, |clause| clause.sentence);
    let mut near: Vec<Unit> = units(&message.text, all)
        .into_iter()
        .filter(|unit| (first_sentence..=last_sentence).contains(&unit.sentence))
        .collect();
    crate::order::by_key(&mut near, |unit| {
        (!overlaps(&unit.span(), place), unit.range.len(), unit.range.start)
    });
    let mut span: Option<Range<usize>> = None;
    let mut is_touched = false;
    for statement in statements(text) {
        let mut missing = None;
        let found = near.iter().find(|unit| match unit_gap(&statement, message, unit, is_manner) {
            None => true,
            Some(gap) => {
                if missing.as_ref().is_none_or(|known| nearness(&gap) > nearness(known)) {
                    missing = Some(gap);
                }
                false
            }
        });
        let Some(unit) = found else { return Err(missing.map_or(Reason::NoQuote, Reason::NotCovered)) };
        is_touched |= overlaps(&unit.span(), place);
        let own = unit.span();
        span = Some(span.map_or(own.clone(), |span| span.start.min(own.start)..span.end.max(own.end)));
    }
    span.filter(|_| is_touched).ok_or(Reason::NoQuote)
}

/// How much of a text a statement holds that has this gap to it: the nearest one tells what became of the text.
fn nearness(gap: &Gap) -> u8 {
    match gap {
        Gap::Word(_) => 0,
        Gap::Number(_) | Gap::Turned(_) | Gap::Subject(_) => 1,
        Gap::Rearranged => 2,
        Gap::Retold => 3,
    }
}

fn unit_gap(statement: &str, message: &Said, unit: &Unit, is_manner: bool) -> Option<Gap> {
    let told = unit.words(&message.text);
    let before = before_unit(&message.text, unit);
    let words = with_antecedent(&told, before).unwrap_or(told);
    let words = finished(&words, sentence_of(&message.text, unit));
    if is_manner {
        return gap_of(statement, &words, message.date, true);
    }
    let mut found = derived_gap(statement, &words, message, unit);
    // A topic that is nobody carries over only where it fits.
    if matches!(found, Some(Gap::Subject(_) | Gap::Rearranged))
        && unit.topic.clone().is_some_and(|topic| is_nobody(message.text.get(topic)))
    {
        let own = finished(
            message.text.get(unit.range.clone()).unwrap_or_default(),
            sentence_of(&message.text, unit),
        );
        found = derived_gap(statement, &own, message, unit);
    }
    let referent = unit.referent.clone().and_then(|part| message.text.get(part));
    let is_named = |referent: &str| {
        with_referent(&words, referent)
            .is_some_and(|named| derived_gap(statement, &named, message, unit).is_none())
    };
    // An "it" may stand for all of what was said before it, or for the end of it: "read Arabic", "Arabic".
    let mut ends = referent.into_iter().flat_map(|whole| {
        whole.match_indices(' ').map(move |(at, _)| whole.get(at + 1..).unwrap_or_default()).chain([whole])
    });
    found.filter(|_| !ends.any(is_named))
}

/// What is between a text and a statement from which it isn't derived.
fn derived_gap(statement: &str, words: &str, message: &Said, unit: &Unit) -> Option<Gap> {
    if follows(statement, words, message.date) {
        return bears_on(before_unit(&message.text, unit), after_unit(&message.text, unit))
            .then_some(Gap::Retold);
    }
    match gap(statement, words, message.date) {
        None if names_in_passing(statement, words) => None,
        None if retells(statement, words, message.date) => Some(Gap::Retold),
        None => Some(Gap::Rearranged),
        found => found,
    }
}

/// The statement with what its "it" stands for.
fn with_referent(words: &str, referent: &str) -> Option<String> {
    const PRONOUNS: [&str; 7] = ["it", "one", "them", "there", "here", "him", "both"];
    let folded = fold(words);
    PRONOUNS.iter().find_map(|pronoun| {
        let at = crate::text::phrase::find(&folded, pronoun).filter(|_| folded.len() == words.len())?;
        Some(format!("{}{referent}{}", words.get(..at)?, words.get(at + pronoun.len()..)?))
    })
}

fn sentence_of<'a>(message: &'a str, unit: &Unit) -> &'a str {
    sentences(message).get(unit.sentence).copied().unwrap_or_default()
}

/// What is said behind a statement, in its sentence.
fn after_unit<'a>(message: &'a str, unit: &Unit) -> &'a str {
    let sentence = sentence_of(message, unit);
    let end = (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize) + sentence.len();
    message.get(unit.range.end..end).unwrap_or_default()
}

/// Words by which a fact tells a manner of answering that the user put as an imperative.
#[rustfmt::skip]
const EXPLAINS: Words = words![
    "prefer", "prefers", "want", "wants", "like", "likes", "would like", "asks", "answers", "answer",
    "replies", "responses", "assistant", "to be called", "希望", "好み", "好む", "好き", "回答", "会話",
    "返答", "返事", "ほしい", "欲しい", "望む", "望んで", "アシスタント",
];

/// The gap between text and words. A manner of answering is told as a wish, which its imperative doesn't contain.
pub(super) fn gap_of(text: &str, words: &str, date: Date, is_manner: bool) -> Option<Gap> {
    if !is_manner {
        return gap(text, words, date);
    }
    // Only what the text uses is added: a wish that nobody wrote would count as one that the text lost.
    let folded = fold(text);
    let used: Vec<&str> = EXPLAINS.iter().filter(|word| has(&folded, word)).collect();
    let wished = format!("{words} ({})", used.join(" "));
    gap(text, &wished, date)
}

/// What is said before a statement, in its sentence and the one before it.
fn before_unit<'a>(message: &'a str, unit: &Unit) -> &'a str {
    let earlier = sentence_before(message, unit.range.start);
    let start = if earlier.is_empty() {
        0
    } else {
        (earlier.as_ptr() as usize).saturating_sub(message.as_ptr() as usize)
    };
    message.get(start..unit.range.start).unwrap_or_default()
}

/// A Japanese topic that is no person and no name.
fn is_nobody(topic: Option<&str>) -> bool {
    let noun = topic.unwrap_or_default().trim_end_matches(['は', '、']);
    let is_kana_name = noun.chars().all(is_katakana);
    language(noun) == Language::Ja
        && person_ja(noun).is_none()
        && !is_japanese_name(noun)
        && !is_kana_name
        && !noun.ends_with("さん")
        && !noun.ends_with("くん")
        && !noun.ends_with("ちゃん")
}

/// The sentence before the one that begins at or contains `at`.
pub(super) fn sentence_before(message: &str, at: usize) -> &str {
    let starts = |sentence: &&str| (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize);
    let all = sentences(message);
    let own = all.iter().rposition(|sentence| starts(sentence) <= at).unwrap_or(0);
    own.checked_sub(1).and_then(|before| all.get(before)).copied().unwrap_or_default()
}
