//! Names in English: "my name is Aiko Tanaka", "call me Ken".

use super::Scope;
use super::token::Word;
use super::words::STOPS;
use crate::llm::embedded::statement::{Slot, Statement};
use crate::words;

/// "Call me Ken" and "everyone calls me Ken".
pub fn call_me(_scope: &Scope, words: &[Word]) -> Vec<Statement> {
    match words {
        [call, me, rest @ ..] if call.low == "call" && me.low == "me" => {
            let is_time = rest.first().is_some_and(|w| {
                words!["back", "later", "tomorrow", "when", "a", "an", "at", "if", "on", "by"]
                    .contains(w.low.as_str())
            });
            if is_time { Vec::new() } else { name(rest, Slot::Nickname) }
        }
        _ => Vec::new(),
    }
}

/// A name: one to three capitalised words, or one word of another script.
pub fn name(words: &[Word], slot: Slot) -> Vec<Statement> {
    let end = words.iter().position(|w| w.pause).map_or(words.len(), |at| at + 1);
    let taken: Vec<&Word> = words[..end]
        .iter()
        .take_while(|w| {
            !STOPS.contains(w.low.as_str())
                && !words!["and", "from", "by", "nice", "too", "for", "instead", "please", "here"]
                    .contains(w.low.as_str())
        })
        .collect();
    let names_well = |w: &&Word| w.raw.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii());
    let one_lower = taken.len() == 1
        && taken.iter().all(|w| {
            w.raw.chars().all(char::is_alphabetic)
                && w.raw.len() > 1
                && !is_pointer(&w.low)
                && !super::words::ADVERBS.contains(w.low.as_str())
        });
    let is_name = (1..=3).contains(&taken.len())
        && (taken.iter().all(names_well) || one_lower)
        && taken
            .iter()
            .all(|w| w.raw.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.' | '’')));
    if !is_name {
        return Vec::new();
    }
    let name = taken.iter().map(|w| w.raw).collect::<Vec<_>>().join(" ");
    let text = if slot == Slot::Nickname {
        format!("Wants to be called {name}.")
    } else {
        format!("Name is {name}.")
    };
    vec![Statement::new(slot, "", &name, text)]
}

pub fn is_pointer(low: &str) -> bool {
    words![
        "it",
        "this",
        "that",
        "he",
        "she",
        "they",
        "what",
        "who",
        "you",
        "there",
        "here",
        "a",
        "the",
        "not",
        "one",
        "something",
        "which",
        "also"
    ]
    .contains(low)
}
