//! Plans, decisions and events in English.
//!
//! "Going to" and "will" are plans only with a date or a step that takes planning; otherwise they are talk.

use super::Scope;
use super::mood::Mood;
use super::objects::{bounded, clause_object, is_named, object, without_period};
use super::taste::habit;
use super::token::Word;
use super::words::{Form, PETS, verb};
use super::work::school;
use crate::calendar::Date;
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::case::capitalised;
use crate::text::list::Words;
use crate::words;

#[rustfmt::skip]
const APPOINTMENTS: Words = words![
    "interview", "exam", "appointment", "flight", "meeting", "wedding", "surgery", "trip", "concert", "presentation", "race",
    "marathon", "deadline", "test", "recital", "performance", "competition",
];
/// Whom one goes to by appointment.
const VISITED: Words = words![
    "dentist",
    "doctor",
    "doctors",
    "gp",
    "optician",
    "hairdresser",
    "haircut",
    "checkup",
    "check-up",
    "physio"
];

/// "Dentist on Thursday at 3": an appointment of which only what and when are said.
pub fn bare_appointment(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let is_named = words
        .iter()
        .take(4)
        .any(|w| APPOINTMENTS.contains(w.low.as_str()) || VISITED.contains(w.low.as_str()));
    let is_other = words.iter().any(|w| {
        verb(&w.low).is_some()
            || words!["is", "are", "was", "were", "be", "this", "that", "the", "no", "his", "her"]
                .contains(w.low.as_str())
    });
    let (_, date) = without_date_ahead(scope, words);
    if !is_named || is_other || date.is_none() || !(3..=12).contains(&words.len()) {
        return Vec::new();
    }
    let Some((said, folded)) = bounded(scope, words, 12) else { return Vec::new() };
    let mut statement =
        Statement::new(Slot::Plan, &folded, "", capitalised(&format!("{said}."))).when(When::Ahead);
    statement.from = date;
    vec![statement]
}

/// "Have an interview on December 5th": kept only with its date, which makes it a plan.
pub fn dated_appointment(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, date) = without_date_ahead(scope, words);
    let is_appointment = rest.iter().any(|w| APPOINTMENTS.contains(w.low.as_str()));
    match object(scope, rest) {
        Some((object, folded))
            if is_appointment
                && (date.is_some() || names_day(words))
                && !mood.negated
                && mood.when == When::Now =>
        {
            let day = date.clone().unwrap_or_default();
            let mut statement = Statement::new(Slot::Plan, &folded, &day, format!("Has {object}."))
                .when(When::Ahead)
                .single();
            statement.from = date;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

/// Takes a date that is to come out of the words: "on December 5th", "next Monday".
pub fn without_date_ahead<'w, 'a>(scope: &Scope, words: &'w [Word<'a>]) -> (&'w [Word<'a>], Option<String>) {
    let (rest, period) = without_period(scope, words);
    if period.from.is_some() {
        return (rest, period.from);
    }
    let ahead = |from: &Word| {
        let said = scope.source.get(from.start..words.last()?.end)?;
        // The verb before it may tell the year of a bare month.
        dates::ahead(said, scope.today?).or_else(|| {
            let until = scope.source.get(..words.last()?.end)?;
            dates::ahead(until, scope.today?)
        })
    };
    let is_number = |w: &Word| w.low.starts_with(|c: char| c.is_ascii_digit());
    let opening = words.iter().enumerate().skip(1).find(|(at, w)| {
        dates::opens_date(&w.low)
            // "On 3 December", "for 12 January 2027": the preposition opens it.
            && !(words.get(at - 1).is_some_and(is_number))
            || words!["on", "for", "at"].contains(w.low.as_str()) && words.get(at + 1).is_some_and(is_number)
    });
    match opening.and_then(|(at, word)| Some((words.get(..at)?, ahead(word)?))) {
        Some((rest, date)) => (rest, Some(date)),
        // "On Thursday" said of what is to come: the next one, in words as they were said.
        None => (words, scope.today.and_then(|today| weekday_ahead(words, today))),
    }
}

/// Whether a day stands in the words that can't be told without its year: "on 3 December".
fn names_day(words: &[Word]) -> bool {
    words.windows(2).any(|pair| {
        let (a, b) = (pair[0].low.as_str(), pair[1].low.as_str());
        let is_day = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        dates::month(a).is_some() && a.len() > 2 && is_day(b)
            || is_day(a) && dates::month(b).is_some() && b.len() > 2
    })
}

fn weekday_ahead(words: &[Word], today: Date) -> Option<String> {
    let on = words.iter().position(|w| w.low == "on")?;
    dates::next_weekday(&words.get(on + 1)?.low, today)
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
    let (rest, date) = without_date_ahead(scope, words);
    match clause_object(scope, rest.get(1..).unwrap_or_default()) {
        Some((object, folded)) if (date.is_some() || names_day(words)) && !mood.negated => {
            let mut statement = Statement::new(
                Slot::Plan,
                &format!("{base} {folded}"),
                "",
                format!("Plans to {base} {object}."),
            )
            .when(When::Ahead);
            statement.from = date;
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
