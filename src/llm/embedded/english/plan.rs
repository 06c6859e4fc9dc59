//! Plans, decisions and events in English.
//!
//! "Going to" and "will" are plans only with a date or a step that takes planning; otherwise they are talk.

use super::Scope;
use super::mood::Mood;
use super::objects::{clause_object, is_named, object, without_period};
use super::taste::habit;
use super::token::Word;
use super::words::{Form, PETS, verb};
use super::work::school;
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::list::Words;
use crate::words;

/// "Have an interview on December 5th": kept only with its date, which makes it a plan.
pub fn dated_appointment(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (mut rest, period) = without_period(scope, words);
    let mut date = period.from;
    if date.is_none()
        && let Some(at) = words.iter().position(|w| dates::opens_date(&w.low)).filter(|at| *at > 0)
    {
        date = scope.today.and_then(|today| dates::ahead(scope.source, today));
        rest = words.get(..at).unwrap_or_default();
    }
    let nouns = [
        "interview",
        "exam",
        "appointment",
        "flight",
        "meeting",
        "wedding",
        "surgery",
        "trip",
        "concert",
        "presentation",
        "race",
        "marathon",
        "deadline",
        "test",
        "recital",
        "performance",
        "competition",
    ];
    let is_appointment = rest.iter().any(|w| nouns.contains(&w.low.as_str()));
    match (object(scope, rest), date) {
        (Some((object, folded)), Some(date)) if is_appointment && !mood.negated && mood.when == When::Now => {
            let mut statement = Statement::new(Slot::Plan, &folded, &date, format!("Has {object}."))
                .when(When::Ahead)
                .single();
            statement.from = Some(date);
            vec![statement]
        }
        _ => Vec::new(),
    }
}

pub fn decision(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let is_to = words.first().is_some_and(|w| w.low == "to") || words.first().is_some_and(|w| w.low == "not");
    let (rest, period) = without_period(scope, words);
    match clause_object(scope, rest) {
        Some((object, folded)) if is_to && !mood.negated && rest.len() >= 3 => {
            let mut statement = Statement::new(Slot::Decision, &folded, "", format!("Decided {object}."));
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

pub fn plan(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, period) = without_period(scope, words);
    let first = rest.first().map_or("", |w| w.low.as_str());
    let idle = [
        "try", "be", "need", "have", "tell", "ask", "say", "keep", "do", "go", "check", "give", "look",
        "miss", "love", "use", "take", "make", "let", "see", "get", "start",
    ];
    let is_bare_motion = idle.contains(&first) && rest.len() < 3;
    if rest.len() < 2 && period.from.is_none()
        || is_bare_motion
        || words!["be", "keep", "stay", "continue", "enjoy"].contains(first)
        || mood.when != When::Now
        || words!["tell", "ask", "say", "need", "let", "miss", "check"].contains(first)
    {
        return Vec::new();
    }
    let Some((object, folded)) = clause_object(scope, rest) else { return Vec::new() };
    let (verb, object) = match first {
        "moving" => ("Is", object),
        _ if mood.negated => ("Does not plan to", object),
        _ => ("Plans to", object),
    };
    let mut statement = Statement::new(Slot::Plan, &folded, "", format!("{verb} {object}."))
        .negated(mood.negated)
        .when(When::Ahead);
    statement.from = period.from;
    vec![statement]
}

/// "Going to …" is a plan if it has a date or is a step that takes planning; otherwise it is talk.
pub fn intended(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    const STEPS: Words = words![
        "visit", "move", "travel", "marry", "study", "learn", "buy", "adopt", "quit", "fly", "graduate",
        "apply", "retire", "attend", "teach", "open",
    ];
    let (_, period) = without_period(scope, words);
    let is_step = words.first().is_some_and(|w| STEPS.contains(w.low.as_str()));
    if period.from.is_some() || is_step { plan(scope, words, mood) } else { Vec::new() }
}

/// "Will …" is a plan with a date; without one it is a reaction.
pub fn promised(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (_, period) = without_period(scope, words);
    let starts = words.first().is_some_and(|w| verb(&w.low).is_some());
    if period.from.is_some() && starts { plan(scope, words, mood) } else { Vec::new() }
}

/// "Am flying to Kyoto next month".
pub fn dated_plan(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, period) = without_period(scope, words);
    match clause_object(scope, rest.get(1..).unwrap_or_default()) {
        Some((object, folded)) if period.from.is_some() && !mood.negated => {
            let mut statement = Statement::new(
                Slot::Plan,
                &format!("{base} {folded}"),
                "",
                format!("Plans to {base} {object}."),
            )
            .when(When::Ahead);
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

pub fn event(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let first = words.first().map_or("", |w| w.low.as_str());
    if base == "go" && mood.when == When::Now && !mood.perfect {
        let is_school = first == "to"
            && words.iter().any(|w| words!["university", "college", "school"].contains(w.low.as_str()));
        return if is_school && words.len() > 2 {
            school(scope, "Attends", "Attended", &words[1..], mood)
        } else {
            habit(scope, base, words, mood)
        };
    }
    let (rest, period) = without_period(scope, words);
    // "Quit" has one form for now and then.
    let is_done = (mood.when == When::Past || mood.perfect || base == "quit") && !mood.negated;
    let past = match base {
        "buy" if words!["a", "an", "two", "my"].contains(first) => "Bought",
        "adopt" if words!["a", "an", "two", "three"].contains(first) => "Adopted",
        "get" if words!["married", "engaged", "divorced", "promoted"].contains(first) => "Got",
        "get"
            if matches!(first, "a" | "an")
                && rest
                    .iter()
                    .take(4)
                    .any(|w| PETS.contains(w.low.as_str()) || w.low == "job" || w.low == "promotion") =>
        {
            "Got"
        }
        "visit" if is_named(rest, 0) => "Visited",
        "go" if first == "to" && is_named(rest, 1) => "Went",
        "travel" if first == "to" && is_named(rest, 1) => "Traveled",
        "start"
            if verb(first).is_some_and(|(base, form)| {
                form == Form::Ing
                    && words!["learn", "study", "work", "play", "run", "practice", "teach"].contains(base)
            }) =>
        {
            "Started"
        }
        "start"
            if matches!(first, "a")
                && rest.iter().take(4).any(|w| {
                    words!["job", "company", "business", "blog", "podcast"].contains(w.low.as_str())
                }) =>
        {
            "Started"
        }
        "stop" | "quit"
            if first.ends_with("ing") || first == "my" && rest.get(1).is_some_and(|w| w.low == "job") =>
        {
            if base == "quit" {
                "Quit"
            } else {
                "Stopped"
            }
        }
        "pass"
            if matches!(first, "the" | "my")
                && rest.iter().take(5).any(|w| words!["exam", "test", "bar"].contains(w.low.as_str())) =>
        {
            "Passed"
        }
        _ => return Vec::new(),
    };
    match clause_object(scope, rest) {
        Some((object, folded)) if is_done => {
            let mut statement = Statement::new(
                Slot::Event,
                &format!("{base} {folded}"),
                period.from.as_deref().unwrap_or(""),
                format!("{past} {object}."),
            );
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}
