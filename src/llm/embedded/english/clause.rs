//! Where English clauses end, and what opens them.

use super::token::Word;
use super::words::{Form, OPENERS, verb};
use crate::words;

/// Where the clause that starts at `at` ends: before a conjunction or pause that a new predicate follows.
pub fn clause_end(words: &[Word], at: usize) -> usize {
    let is_of_other = words.get(at).is_some_and(|w| matches!(w.low.as_str(), "my" | "our"));
    for next in at + 1..words.len() {
        let (previous, word) = (&words[next - 1], &words[next]);
        let after = words.get(next + 1).map_or("", |w| w.low.as_str());
        let joins = words!["and", "but", "so", "because", "although", "though", "while", "or", "yet"]
            .contains(word.low.as_str());
        let joins = joins && !(previous.low == "born" && after == "raised");
        if joins && (opens_clause(after) || (word.low != "or" && continues_subject(after, is_of_other))) {
            return next;
        }
        // "I'm Priya, just moved to Leeds".
        let has_just = word.low == "just" && verb(after).is_some_and(|(_, form)| form == Form::Past);
        if previous.pause
            && (opens_clause(&word.low) || has_just)
            && !(next == at + 1 && OPENERS.contains(previous.low.as_str()))
        {
            return next;
        }
    }
    words.len()
}

fn opens_clause(word: &str) -> bool {
    words![
        "i", "i'd", "my", "we", "our", "he", "she", "it", "it's", "they", "you", "your", "there", "this",
        "that", "that's", "his", "her", "their", "please", "can", "could", "what", "how", "do", "if", "when",
        "but"
    ]
    .contains(word)
}

/// A word that can only be the predicate of the subject before: the user, or somebody of whom one says "works".
pub fn continues_subject(word: &str, is_of_other: bool) -> bool {
    if is_of_other {
        return words!["is", "are", "was", "has", "never", "also", "will", "he", "she"].contains(word)
            || verb(word).is_some_and(|(_, form)| matches!(form, Form::Third | Form::Past));
    }
    words!["am", "was", "not", "never", "will", "can", "really", "also", "currently", "just"].contains(word)
        || verb(word).is_some_and(|(_, form)| matches!(form, Form::Base | Form::Past))
            && !words![
                "like",
                "run",
                "walk",
                "play",
                "work",
                "plan",
                "drink",
                "drive",
                "study",
                "cook",
                "visit",
                "travel",
                "use",
                "exercise",
                "practice",
                "volunteer",
                "swim",
                "read",
                "write",
                "learn",
                "code",
                "support",
                "cycle",
                "share",
                "train",
                "lead",
                "return",
                "turn",
                "split",
                "rent",
                "coach",
                "break",
                "win",
                "tear",
                "look",
                "need",
                "stick",
                "raise",
                "sprain",
                "fracture",
                "do"
            ]
            .contains(word)
}

pub fn without_openers<'w, 'a>(mut words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    while let [first, rest @ ..] = words {
        let greeting_name = first.low == "there" && !rest.is_empty();
        if !(OPENERS.contains(first.low.as_str()) || greeting_name) {
            break;
        }
        words = rest;
    }
    // "As for me, …", "By the way, …", "In fact I …": a short opening that a pause ends.
    if words
        .first()
        .is_some_and(|w| words!["by", "for", "in", "to", "nice", "after", "these"].contains(w.low.as_str()))
        && let Some(at) = words.iter().take(6).position(|w| w.pause)
    {
        return without_openers(&words[at + 1..]);
    }
    words
}
