//! `same_fact`: whether a new fact is the same as, changes, or contradicts an existing one. Unsure is separate.

use serde_json::{Value, json};

use super::input::{list, text};
use super::statement::{Relation, key, read_fact};
use crate::text::list::Words;
use crate::words;

/// What negates or ends a sentence without changing what it is about.
const NEGATIONS: Words = words![
    "not", "no", "never", "longer", "does", "do", "don't", "doesn't", "isn't", "can't", "cannot", "didn't"
];

pub fn same_fact(input: &Value) -> Value {
    let new = match input.get("new") {
        Some(Value::String(new)) => new.as_str(),
        Some(new) => text(new, "text"),
        None => "",
    };
    let mut best = (Relation::Separate, Value::Null);
    for fact in list(input, "existing").iter().take(100) {
        let relation = relation(new, text(fact, "text"));
        if strength(relation) > strength(best.0) {
            best = (relation, fact.get("ref").cloned().unwrap_or(Value::Null));
        }
    }
    let verdict = match best.0 {
        Relation::Same => "same",
        Relation::Changed => "changed",
        Relation::Contradicts => "contradicts",
        Relation::Separate => "separate",
    };
    json!({ "verdict": verdict, "target": best.1 })
}

fn strength(relation: Relation) -> u8 {
    match relation {
        Relation::Separate => 0,
        Relation::Changed => 1,
        Relation::Contradicts => 2,
        Relation::Same => 3,
    }
}

/// By attribute where both are of a known one, otherwise by spelling, numbers and negation.
pub fn relation(new: &str, old: &str) -> Relation {
    let (new, old) = (crate::text::prefix(new, 1_200), crate::text::prefix(old, 1_200));
    let (new_key, old_key) = (key(new), key(old));
    if new_key == old_key {
        return if new_key.is_empty() { Relation::Separate } else { Relation::Same };
    }
    match (read_fact(new), read_fact(old)) {
        (Some(new), Some(old)) => new.against(&old),
        (None, None) => by_spelling(&new_key, &old_key),
        _ => Relation::Separate,
    }
}

fn by_spelling(new: &str, old: &str) -> Relation {
    let numbers = |text: &str| {
        text.split(|c: char| !c.is_numeric()).filter(|n| !n.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let without_numbers = |text: &str| text.chars().filter(|c| !c.is_numeric()).collect::<String>();
    if without_numbers(new) == without_numbers(old)
        && numbers(new) != numbers(old)
        && !numbers(new).is_empty()
    {
        return Relation::Changed;
    }
    let positive = |text: &str| -> Vec<String> {
        text.split(' ')
            .filter(|w| !NEGATIONS.contains(w))
            .map(|w| w.trim_end_matches('s').to_owned())
            .collect()
    };
    let negated =
        |text: &str| text.split(' ').any(|w| words!["not", "no", "never"].contains(w) || w.ends_with("n't"));
    if text_is_spaced(new) && positive(new) == positive(old) && negated(new) != negated(old) {
        return Relation::Contradicts;
    }
    let affirmative = |text: &str| {
        words!["ではない", "じゃない", "ていない", "でいない", "ない"]
            .iter()
            .find_map(|end| text.strip_suffix(end))
            .map(str::to_owned)
    };
    let stem = |text: &str| {
        words!["である", "です", "だ", "ている", "でいる", "る"]
            .iter()
            .find_map(|end| text.strip_suffix(end))
            .unwrap_or(text)
            .to_owned()
    };
    match (affirmative(new), affirmative(old)) {
        (Some(a), None) if a == stem(old) => Relation::Contradicts,
        (None, Some(b)) if stem(new) == b => Relation::Contradicts,
        _ => Relation::Separate,
    }
}

fn text_is_spaced(text: &str) -> bool {
    text.contains(' ')
}
