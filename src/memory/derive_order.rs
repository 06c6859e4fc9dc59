//! English word order: what a sentence says before its subject, and names that it tells in passing.

use super::derive_words::{Line, Token, is_opening};
use crate::calendar::Date;
use crate::text::list::Words;
use crate::words;

/// "My cat Momo", "my cat is called Momo": the user has a cat named Momo, and Momo is the cat's name.
pub(super) fn names_in_passing(text: &str, said: &str) -> bool {
    let today = Date::new(2001, 3, 7);
    let line = |text: &str| today.map(|today| Line::of(text, today).tokens).unwrap_or_default();
    let (text, said) = (line(text), line(said));
    let told: Vec<&str> = text.iter().map(|token| token.word.as_str()).collect();
    let (noun, name) = match told.as_slice() {
        ["U", "have", "a", noun, "named", name @ ..]
        | ["U's", noun, "be", "named", name @ ..]
        | ["U's", noun, "be" | "'s", name @ ..]
        | [noun, "be", name @ ..] => (*noun, name),
        _ => return false,
    };
    let is_named = |rest: &[Token], needs_capitals: bool| {
        let own = rest.get(..name.len()).unwrap_or_default();
        let next = rest.get(name.len());
        own.len() == name.len()
            && own
                .iter()
                .zip(name)
                .all(|(own, name)| own.word == *name && (own.is_capital || !needs_capitals))
            && !next.is_some_and(|next| next.word == "'s" || next.is_capital && next.mark.is_none())
    };
    !name.is_empty()
        && (0..said.len()).any(|at| {
            let word = |place: usize| said.get(at + place).map_or("", |token| token.word.as_str());
            let rest = |place: usize| said.get(at + place..).unwrap_or_default();
            matches!(word(0), "U's" | "W's")
                && word(1) == noun
                && (is_named(rest(2), true)
                    || matches!(word(2), "be" | "'s") && word(3) == "named" && is_named(rest(4), false))
        })
}

/// What opens a sentence before its subject, moved to the end: "On Mondays I swim" says "I swim on Mondays".
pub(super) fn rotated(tokens: &[Token]) -> Option<Vec<Token>> {
    #[rustfmt::skip]
    const OPENING: Words = words![
        "in",
        "on",
        "at",
        "since",
        "for",
        "because",
        "during",
        "after",
        "before",
        "until",
        "every",
        "from",
        "with",
        "when",
        "while",
        "as",
        "this",
        "last",
        "next",
        "yesterday",
        "tomorrow",
        "today"
    ];
    let is_cause = |at: usize| tokens.get(at + 1).is_some_and(|next| next.word == "of");
    let first = tokens.iter().enumerate().position(|(at, token)| !is_opening(&token.word) || is_cause(at))?;
    let own = tokens.get(first..)?;
    if !OPENING.contains(&own.first()?.word) {
        return None;
    }
    let subject = own.iter().rposition(|token| {
        matches!(token.word.as_str(), "U" | "W" | "U's" | "W's") && token.mark == Some(',')
    });
    let subject =
        subject.or_else(|| own.iter().position(|token| matches!(token.word.as_str(), "U" | "W")))?;
    (subject > 0).then(|| own.iter().skip(subject).chain(own.iter().take(subject)).cloned().collect())
}
