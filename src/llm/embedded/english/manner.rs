//! How to be answered, in English: "please answer in Japanese".

use super::Scope;
use super::token::{Word, sentence_text};
use super::words::STOPS;
use crate::llm::embedded::statement::{Slot, Statement};
use crate::words;

/// "Please answer in Japanese", "from now on reply in bullet points": a wish about every answer, not about this one.
pub fn manner(scope: &Scope, words: &[Word]) -> Option<Statement> {
    let low: Vec<&str> = words.iter().take(12).map(|w| w.low.as_str()).collect();
    let skip = low
        .iter()
        .take(5)
        .position(|w| words!["answer", "reply", "respond", "speak", "talk", "write", "keep"].contains(w))?;
    let opening = &low[..skip];
    let is_lasting = opening.contains(&"always")
        || opening.ends_with(&["from", "now", "on"])
        || words.iter().any(|w| w.low == "always");
    let is_wish = opening
        .iter()
        .all(|w| words!["please", "always", "from", "now", "on", "and", "ok", "also"].contains(w));
    let manner = low.get(skip + 1..)?;
    let style = match (low.get(skip).copied()?, manner) {
        ("keep", ["it", "up", ..]) => return None,
        ("keep", ["answers" | "replies" | "responses" | "it", ..]) => 2,
        ("keep", ["your" | "the", "answers" | "replies" | "responses", ..])
        | (
            "answer" | "reply" | "respond" | "speak" | "talk" | "write",
            ["to", "me", "in" | "with" | "casually" | "politely" | "formally", ..],
        ) => 3,
        (
            "answer" | "reply" | "respond",
            ["in" | "with" | "briefly" | "casually" | "politely" | "formally", ..],
        )
        | ("speak" | "talk", ["in" | "casually" | "politely" | "formally", ..]) => 1,
        _ => return None,
    };
    let length_limit = words.len() <= skip + 12;
    // "Write in Python" and "answer in one word" may be about this answer only.
    if !is_wish || !length_limit || (!is_lasting && style == 1 && manner.first() == Some(&"with")) {
        return None;
    }
    let ends = |w: &Word| STOPS.contains(w.low.as_str()) && !matches!(w.low.as_str(), "as" | "please");
    let end = words.iter().skip(skip).position(ends).map_or(words.len(), |at| at + skip);
    let rest: Vec<Word> = words
        .get(skip + style..end)?
        .iter()
        .filter(|w| !matches!(w.low.as_str(), "please" | "always"))
        .cloned()
        .collect();
    let said = sentence_text(scope.source, &rest);
    if said.is_empty() {
        return None;
    }
    Some(Statement::new(
        Slot::Manner,
        "",
        &said,
        format!("Prefers answers {}.", said.trim_start_matches("answers ")),
    ))
}

/// "I'd rather not talk about my divorce", "I'd like you to call me Max": what the user would have, said of themselves.
pub fn asked(scope: &Scope, body: &[Word]) -> Vec<Statement> {
    let low: Vec<&str> = body.iter().take(6).map(|w| w.low.as_str()).collect();
    match low.as_slice() {
        ["i'd", "like" | "love" | "prefer", "you", "to", "call", "me"] => {
            super::name::call_me(scope, body.get(4..).unwrap_or_default())
        }
        ["i'd", "rather" | "prefer", "not" | "to", ..] => {
            let skip = if low.get(2..4) == Some(&["not", "to"]) { 4 } else { 3 };
            unspoken(scope, "Would rather not", body.get(skip..).unwrap_or_default(), low.contains(&"not"))
        }
        _ => Vec::new(),
    }
}

/// What isn't to be talked about.
pub fn unspoken(scope: &Scope, opening: &str, words: &[Word], is_denied: bool) -> Vec<Statement> {
    let is_talk = match words {
        [verb, about, _, ..] => {
            words!["talk", "speak"].contains(verb.low.as_str()) && about.low == "about"
                || verb.low == "discuss"
        }
        [verb, _] => verb.low == "discuss",
        _ => false,
    };
    match super::objects::clause_object(scope, words) {
        Some((object, folded)) if is_talk && is_denied => {
            vec![Statement::new(Slot::Taste, &folded, "dislike", format!("{opening} {object}."))]
        }
        _ => Vec::new(),
    }
}
