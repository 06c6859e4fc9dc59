//! Where an English sentence says that its speaker lives, was born and moved to.
//!
//! A place has a name or says what kind of place it is: "live in fear" gives nothing.

use super::Scope;
use super::mood::Mood;
use super::objects::{object, without_period};
use super::token::Word;
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::words;

pub fn born(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let skip = words.iter().take(3).position(|w| matches!(w.low.as_str(), "in" | "on"));
    let Some(skip) = skip else { return Vec::new() };
    let rest = &words[skip + 1..];
    let first = rest.first().map_or("", |w| w.low.as_str());
    if dates::month(first).is_some() || first.starts_with(|c: char| c.is_ascii_digit()) {
        let Some((object, folded)) = object(scope, rest) else { return Vec::new() };
        return vec![
            Statement::new(Slot::Birthday, "", &folded, format!("Was born {} {object}.", words[skip].low))
                .negated(mood.negated),
        ];
    }
    // "Born and raised in Glasgow" keeps both words.
    let is_raised = words.iter().take(skip).any(|w| w.low == "raised");
    let verb = if is_raised { "Was born and raised in" } else { "Was born in" };
    place(scope, Slot::Origin, verb, verb, rest, Mood { when: When::Now, ..mood })
        .into_iter()
        .map(|s| Statement { about: "born".to_owned(), ..s })
        .collect()
}

pub fn place(scope: &Scope, slot: Slot, now: &str, past: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let end = words
        .iter()
        .position(|w| {
            words![
                "with", "for", "by", "near", "and", "alone", "all", "my", "right", "now", "because", "during"
            ]
            .contains(w.low.as_str())
        })
        .unwrap_or(words.len());
    let Some((object, folded)) = object(scope, &words[..end]) else { return Vec::new() };
    // "Live in fear", "from the bottom of my heart": a place has a name, or says what kind of place it is.
    let kinds = [
        "city",
        "suburb",
        "suburbs",
        "countryside",
        "town",
        "village",
        "dorm",
        "apartment",
        "house",
        "abroad",
        "island",
        "downtown",
        "farm",
    ];
    let is_named = object.chars().any(char::is_uppercase)
        || crate::text::language::language(&object) == crate::text::language::Language::Ja;
    let is_lower_name = words[..end].len() <= 2
        && !folded.starts_with("a ")
        && folded.chars().all(|c| c.is_alphabetic() || c == ' ')
        && !words![
            "fear", "peace", "harmony", "hope", "danger", "work", "home", "scratch", "there", "town", "pain",
            "denial", "style", "luxury", "poverty", "person"
        ]
        .contains(folded.as_str());
    if !(is_named || is_lower_name || kinds.iter().any(|kind| folded.split(' ').any(|w| w == *kind))) {
        return Vec::new();
    }
    let when = if mood.when == When::Past && !mood.perfect || period.until.is_some() {
        When::Past
    } else {
        mood.when
    };
    let text = match (when, mood.negated) {
        (When::Past, false) => format!("{past} {object}."),
        (When::Past, true) => return Vec::new(),
        (_, true) if slot == Slot::Home && mood.ended => format!("No longer lives in {object}."),
        (_, true) if slot == Slot::Home => format!("Does not live in {object}."),
        (_, true) => format!("Is not from {object}."),
        _ => format!("{now} {object}."),
    };
    let mut statement = Statement::new(slot, "", &folded, text).negated(mood.negated).when(when);
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

pub fn moved(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.negated || !(mood.perfect || mood.when == When::Past) {
        return Vec::new();
    }
    let back =
        usize::from(words.first().is_some_and(|w| words!["back", "here", "out"].contains(w.low.as_str())));
    let rest = words.get(back..).unwrap_or_default();
    let to = rest.iter().take(8).position(|w| w.low == "to");
    let mut found = Vec::new();
    if let (Some(first), Some(to)) = (rest.first(), to)
        && first.low == "from"
        && to > 1
    {
        found.extend(place(
            scope,
            Slot::Home,
            "Lives in",
            "Lived in",
            &rest[1..to],
            Mood { when: When::Past, perfect: false, ..mood },
        ));
    }
    if let Some(to) = to.filter(|to| *to == 0 || !found.is_empty()) {
        let mut now = place(
            scope,
            Slot::Home,
            "Lives in",
            "Lives in",
            rest[to + 1..].split(|w| w.low == "from").next().unwrap_or_default(),
            Mood { when: When::Now, ..mood },
        );
        now.append(&mut found);
        return now;
    }
    found
}
