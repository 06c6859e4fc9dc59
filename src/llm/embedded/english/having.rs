//! What an English speaker has and is by number: pets, relatives, things, ailments, an age.

use super::Scope;
use super::mood::{Mood, phrase};
use super::objects::{object, singular};
use super::plan::dated_appointment;
use super::token::Word;
use super::words::{AILMENTS, PETS, POSSESSIONS, RELATIVES, STOPS, third_person};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::case::capitalised;
use crate::text::list::Words;
use crate::words;

/// "Have two kids and a dog": each counted thing is a fact of its own.
pub fn have(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.perfect {
        return Vec::new();
    }
    let end = words.iter().position(|w| STOPS.contains(w.low.as_str())).unwrap_or(words.len());
    let mut parts: Vec<&[Word]> = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate().take(end) {
        if word.low == "and" || word.pause {
            parts.extend(words.get(start..if word.pause { at + 1 } else { at }));
            start = at + 1;
        }
    }
    parts.extend(words.get(start..end));
    parts.retain(|part| !part.is_empty());
    let is_list =
        (2..=8).contains(&parts.len()) && parts.iter().all(|part| part.len() >= 2 && is_counted(part));
    if is_list {
        return parts.into_iter().flat_map(|part| have_one(scope, part, mood)).collect();
    }
    have_one(scope, words, mood)
}

fn is_counted(words: &[Word]) -> bool {
    words.first().is_some_and(|w| {
        words!["a", "an", "two", "three", "four", "five", "six", "one", "no", "some", "several"]
            .contains(w.low.as_str())
            || w.low.parse::<u8>().is_ok()
    })
}

fn have_one(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    // "Three cats: Miso, Tofu and Nori": the head is before the pause.
    let article =
        usize::from(words.first().is_some_and(|w| words!["a", "an", "the"].contains(w.low.as_str())));
    let lead = words.iter().position(|w| w.pause).map_or(words.len(), |at| at + 1 - article.min(at));
    let end = folded
        .split(' ')
        .take(lead)
        .position(|w| {
            words!["named", "called", "with", "in", "on", "and", "from", "for", "at", "of", "to"].contains(w)
        })
        .unwrap_or(lead);
    let head: Vec<&str> = folded.split(' ').take(end).map(|w| w.trim_end_matches([',', ':'])).collect();
    let (first, noun) = (head.first().copied().unwrap_or(""), head.last().copied().unwrap_or(""));
    let named = folded
        .split_once(" named ")
        .or_else(|| folded.split_once(" called "))
        .map(|(_, name)| name.to_owned());
    let text = phrase(mood, "Has", "Does not have", "Had", &object);
    let build = |slot, about: &str, value: &str| {
        vec![Statement::new(slot, about, value, text.clone()).negated(mood.negated).when(mood.when)]
    };
    if head.iter().any(|w| AILMENTS.contains(w)) && head.len() <= 5 && mood.when == When::Now {
        let slot = if noun == "allergy" || noun == "allergies" { Slot::Allergy } else { Slot::Health };
        let about = if slot == Slot::Allergy { head[..head.len() - 1].join(" ") } else { head.join(" ") };
        return build(slot, &about, if slot == Slot::Allergy { "allergic" } else { "" });
    }
    if !is_counted(words) && !mood.negated && named.is_none() {
        return dated_appointment(scope, words, mood);
    }
    let is_guinea_pig = head.iter().rev().nth(1).is_some_and(|w| *w == "guinea");
    let noun_of = |list: Words| {
        (list.contains(noun) || is_guinea_pig && list.contains("guinea")) && (1..=5).contains(&head.len())
    };
    if noun_of(PETS) {
        return build(Slot::Pet, singular(noun), &named.unwrap_or_default());
    }
    if noun_of(RELATIVES) {
        return build(Slot::Relation, singular(noun), &named.unwrap_or_else(|| first.to_owned()));
    }
    if noun_of(POSSESSIONS) && mood.when == When::Now {
        return build(Slot::Possession, &folded, "");
    }
    dated_appointment(scope, words, mood)
}

pub fn possession(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let has_article =
        words.first().is_some_and(|w| words!["a", "an", "two", "three", "my"].contains(w.low.as_str()));
    match object(scope, words) {
        Some((object, folded)) if has_article && mood.when == When::Now && !mood.perfect => {
            let text =
                phrase(mood, &capitalised(&third_person(base)), &format!("Does not {base}"), "", &object);
            vec![Statement::new(Slot::Possession, &folded, "", text).negated(mood.negated)]
        }
        _ => Vec::new(),
    }
}

pub fn health(scope: &Scope, verb: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    object(scope, words).map_or_else(Vec::new, |(object, folded)| {
        let text = phrase(mood, verb, "Does not suffer from", "Suffered from", &object);
        vec![Statement::new(Slot::Health, &folded, "", text).negated(mood.negated).when(mood.when)]
    })
}

pub fn age(words: &[Word]) -> Option<Statement> {
    let number: u16 = words.first()?.low.parse().ok().filter(|n| (1..=120).contains(n))?;
    let next = words.get(1).map_or("", |w| w.low.as_str());
    let is_years = matches!(next, "years" | "year") && words.iter().take(3).any(|w| w.low == "old");
    let is_bare = words.len() == 1 || words.first()?.pause || words!["and", "now", "but"].contains(next);
    (is_years || is_bare).then(|| {
        let text = if is_years { format!("Is {number} years old.") } else { format!("Is {number}.") };
        Statement::new(Slot::Age, "", &number.to_string(), text)
    })
}
