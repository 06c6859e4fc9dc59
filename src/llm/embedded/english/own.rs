//! What a clause tells in the user's own words, where it is of no known attribute: "I sprained my ankle".
//!
//! A verb tells something that lasts only in certain company: "run a bakery" does, "run a test" doesn't. The words
//! stay as they were said, but for the person; so nothing is told that the clause doesn't say.

use super::Scope;
use super::mood::Mood;
use super::objects::{clause_object, is_named, without_period};
use super::token::{Word, after_adverbs};
use super::words::{AILMENTS, Form, PETS, POSSESSIONS, RELATIVES, third_person, verb};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::case::capitalised;
use crate::text::list::Words;
use crate::words;

/// A verb and what must stand near behind it: a word, `*` anything, `-` nothing, `Aa` a name, `#` a number, `@` what
/// belongs to the user's life (family, pets, possessions).
type Telling = (&'static str, Words);

/// What happened.
#[rustfmt::skip]
const HAPPENED: &[Telling] = &[
    ("break", words!["leg", "arm", "wrist", "ankle", "foot", "toe", "finger", "nose", "rib", "collarbone", "hip",
        "shoulder", "hand", "elbow", "with"]),
    ("sprain", words!["*"]), ("fracture", words!["*"]), ("tear", words!["acl", "meniscus", "ligament", "muscle"]),
    ("lose", words!["@", "job", "weight", "kg", "kilos", "pounds", "hearing", "sight"]),
    ("finish", words!["degree", "phd", "school", "thesis", "university", "college", "training", "residency"]),
    ("join", words!["gym", "choir", "band", "club", "team", "army", "navy", "orchestra", "union", "Aa"]),
    ("win", words!["prize", "award", "scholarship", "race", "championship", "medal", "grant", "lottery"]),
    ("publish", words!["book", "novel", "album", "paper"]), ("sell", words!["@", "company"]),
    ("found", words!["company", "startup", "charity", "business"]), ("retire", words!["*", "-"]),
    ("have", words!["baby", "surgery", "operation", "stroke", "twins", "heart"]), ("give", words!["birth", "up"]), ("switch", words!["from"]), ("drop", words!["out"]),
    ("meet", words!["wife", "husband", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée"]),
    ("get", words!["back", "diagnosed", "fired", "laid", "pregnant", "redundant", "into", "@", "job"]),
    ("come", words!["back"]), ("return", words!["from"]), ("pass", words!["away"]), ("die", words!["*", "-"]),
    ("graduate", words!["*", "-"]), ("quit", words!["job", "my"]), ("split", words!["up"]), ("turn", words!["#"]),
    ("start", words!["school", "university", "college", "job", "kindergarten", "nursery", "uni", "working"]),
    ("propose", words!["*"]), ("inherit", words!["*"]), ("marry", words!["Aa", "@"]),
];

/// What was done to somebody: "was diagnosed with".
#[rustfmt::skip]
const SUFFERED: Words = words![
    "diagnosed", "promoted", "fired", "laid", "accepted", "hired", "adopted", "elected", "hospitalised",
    "hospitalized", "operated",
];

/// What is done again and again, or holds.
#[rustfmt::skip]
const DONE: &[Telling] = &[
    ("wear", words!["glasses", "contacts", "contact", "aids", "braces", "size", "hijab", "dentures", "turban"]),
    ("do", words!["yoga", "pilates", "crossfit", "karate", "judo", "ballet", "weights", "shifts", "night", "research"]),
    ("run", words!["bakery", "shop", "cafe", "café", "restaurant", "business", "company", "blog", "channel",
        "podcast", "farm", "studio", "agency", "startup", "store", "hotel", "bar", "salon", "charity", "marathons"]),
    ("use", words!["Aa", "mac", "linux", "vim", "emacs", "wheelchair", "cane", "inhaler", "insulin"]),
    ("take", words!["medication", "meds", "pills", "insulin", "antidepressants", "statins", "inhaler", "vitamins",
        "supplements", "lessons", "classes"]),
    ("code", words!["in"]), ("program", words!["in"]), ("get", words!["up"]), ("wake", words!["up", "at"]),
    ("manage", words!["team", "people", "store", "shop", "restaurant"]), ("lead", words!["team"]),
    ("weigh", words!["#"]), ("teach", words!["*"]), ("coach", words!["*"]), ("sing", words!["choir", "band"]),
    ("live", words!["@", "roommates", "flatmates", "alone", "own"]), ("walk", words!["cane", "stick", "crutches", "frame"]), ("support", words!["Aa"]),
    ("work", words!["nights", "shifts", "part-time", "full-time", "remotely", "weekends"]),
    ("commute", words!["*"]), ("volunteer", words!["*"]),
    ("keep", words!["bees", "chickens", "kosher", "halal"]), ("avoid", words!["*"]), ("stick", words!["to"]),
    ("struggle", words!["with"]), ("rent", words!["@", "room", "studio"]), ("write", words!["Aa", "code", "poetry", "fiction", "songs"]), ("share", words!["flat", "apartment", "room", "house"]),
    ("practice", words!["*"]), ("collect", words!["*"]),
    ("start", words!["school", "university", "college", "job", "kindergarten", "nursery", "uni"]),
    ("come", words!["from"]), ("need", words!["wheelchair", "glasses"]),
    ("go", words!["school", "university", "college", "kindergarten", "nursery"]), ("die", words!["-"]),
];

/// What is under way: "is writing a novel".
#[rustfmt::skip]
const UNDER_WAY: &[Telling] = &[
    ("expect", words!["baby", "child", "twins", "boy", "girl"]),
    ("write", words!["novel", "book", "thesis", "dissertation", "memoir", "screenplay", "album"]),
    ("train", words!["for", "as", "to"]), ("save", words!["up", "for"]), ("prepare", words!["for"]),
    ("study", words!["for"]), ("raise", words!["@"]), ("recover", words!["from"]), ("move", words!["to", "@"]),
    ("look", words!["job", "flat", "apartment", "house", "roommate", "flatmate", "internship"]),
    ("build", words!["house", "cabin", "boat", "guitar"]), ("renovate", words!["*"]),
    ("see", words!["therapist", "psychiatrist"]), ("take", words!["classes", "lessons", "medication", "meds"]),
    ("do", words!["phd", "master's", "masters", "degree", "internship", "residency", "apprenticeship", "mba", "course"]),
    ("work", words!["as", "nights", "thesis", "novel", "phd", "part-time", "remotely"]), ("get", words!["divorced"]),
    ("start", words!["school", "university", "college", "job", "uni"]), ("learn", words!["to", "piano", "guitar", "Aa"]),
    ("run", words!["bakery", "shop", "business", "company", "marathon"]), ("have", words!["baby", "twins", "surgery"]),
    ("go", words!["deaf", "blind"]), ("turn", words!["#"]),
    ("try", words!["quit", "lose", "cut", "stop", "learn", "eat", "sleep", "save", "drink"]),
];

/// Reads a predicate in its own words.
pub fn read(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let Some(first) = words.first() else { return Vec::new() };
    let skip = match first.low.as_str() {
        "am" | "is" | "are" | "was" | "were" => 1,
        "have" | "has" if words.get(1).is_some_and(|w| w.low == "been") => 2,
        "have" | "has" => 1,
        _ => 0,
    };
    let (rest, more_negation, _) = after_adverbs(words.get(skip..).unwrap_or_default());
    let is_been = skip == 2 || matches!(first.low.as_str(), "am" | "is" | "are" | "was" | "were");
    let mood = Mood { negated: mood.negated | more_negation, ..mood };
    let (Some(word), after) = (rest.first(), rest.get(1..).unwrap_or_default()) else { return Vec::new() };
    if is_been && SUFFERED.contains(word.low.as_str()) && !mood.negated {
        return told(scope, "was", &format!("Was {}", word.raw), after, Slot::Event);
    }
    if let ["used", "to", base] = words.iter().take(3).map(|w| w.low.as_str()).collect::<Vec<_>>().as_slice()
    {
        return if mood.negated { Vec::new() } else { used_to(scope, base, words) };
    }
    let Some((base, form)) = verb(&word.low) else {
        // "Have two boys": the verb is the auxiliary itself.
        return match first.low.as_str() {
            "have" | "has" => now(scope, "have", words.get(1..).unwrap_or_default(), mood),
            _ => Vec::new(),
        };
    };
    match form {
        Form::Ing if is_been && first.low != "was" && first.low != "were" && !mood.negated => {
            let is_known = company(UNDER_WAY, base, after);
            let slot = if base == "expect" || base == "move" { Slot::Plan } else { Slot::Habit };
            if is_known { told(scope, base, &format!("Is {}", word.low), after, slot) } else { Vec::new() }
        }
        Form::Past if (skip == 0 || skip == 1 && !is_been) && !mood.negated => {
            let is_known = company(HAPPENED, base, after);
            if is_known { told(scope, base, &capitalised(&word.low), after, Slot::Event) } else { Vec::new() }
        }
        Form::Base | Form::Third if skip == 0 => now(scope, base, after, mood),
        _ => Vec::new(),
    }
}

/// "Used to smoke, quit in 2019": what was, until the end that is told behind it.
fn used_to(scope: &Scope, base: &str, words: &[Word]) -> Vec<Statement> {
    let said = words.get(3..).unwrap_or_default();
    let is_alone = words.get(2).is_some_and(|w| w.pause);
    let after = if is_alone { &[] } else { said };
    let is_known = words!["smoke", "drink", "play", "teach", "dance", "swim", "run", "vape"].contains(base)
        || verb(base).is_some_and(|(base, _)| company(DONE, base, after));
    if !is_known {
        return Vec::new();
    }
    let ends = words!["quit", "stopped", "gave"];
    let end = said
        .iter()
        .position(|w| ends.contains(w.low.as_str()))
        .map(|at| without_period(scope, &said[at..]).1);
    let mut found = told(scope, "used to", &format!("Used to {base}"), after, Slot::Event);
    for statement in &mut found {
        statement.until = end.as_ref().and_then(|period| period.from.clone()).or(statement.until.take());
        statement.from = statement.from.take().filter(|_| statement.until.is_none());
    }
    found
}

pub fn now(scope: &Scope, base: &str, after: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.when != When::Now || !company(DONE, base, after) {
        return Vec::new();
    }
    let verb = match (mood.negated, mood.never) {
        (true, true) => format!("Never {}", third_person(base)),
        (true, false) => format!("Does not {base}"),
        _ => capitalised(&third_person(base)),
    };
    let slot = if base == "teach" { Slot::Occupation } else { Slot::Habit };
    told(scope, base, &verb, after, slot)
        .into_iter()
        .map(|statement| statement.negated(mood.negated))
        .collect()
}

pub fn told(scope: &Scope, base: &str, verb: &str, after: &[Word], slot: Slot) -> Vec<Statement> {
    let (rest, period) = without_period(scope, after);
    let Some((object, folded)) =
        clause_object(scope, rest).or_else(|| rest.is_empty().then(Default::default))
    else {
        return Vec::new();
    };
    let text = format!("{}.", format!("{verb} {object}").trim_end());
    let when = if slot == Slot::Plan { When::Ahead } else { When::Now };
    let mut statement = Statement::new(slot, &format!("{base} {folded}"), "", text).when(when);
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

/// Whether the verb of the list stands in company that makes it tell something.
fn company(list: &[Telling], base: &str, after: &[Word]) -> bool {
    // "A book report" is no book: a word counts at the end of its phrase.
    let ends = |at: usize| {
        after.get(at).is_some_and(|w| w.pause || FUNCTION.contains(w.low.as_str()))
            || after.get(at + 1).is_none_or(|next| {
                FUNCTION.contains(next.low.as_str())
                    || next.low.starts_with(|c: char| c.is_ascii_digit())
                    || next.low.ends_with("ing")
                    || next.raw.starts_with(char::is_uppercase)
            })
    };
    let near = |list: Words| {
        after.iter().take(6).enumerate().any(|(at, w)| list.contains(w.low.as_str()) && ends(at))
    };
    list.iter().filter(|(known, _)| *known == base).any(|(_, needed)| {
        needed.iter().any(|one| match one {
            "*" => !after.is_empty(),
            "-" => after.is_empty(),
            "Aa" => is_named(after, 0) || is_named(after, 1),
            "#" => after.iter().take(3).any(|w| w.low.starts_with(|c: char| c.is_ascii_digit())),
            "@" => near(RELATIVES) || near(PETS) || near(POSSESSIONS) || near(AILMENTS),
            word => near(Words::of_lines(word)),
        })
    })
}

/// What may stand behind a noun that is at the end of its phrase.
#[rustfmt::skip]
const FUNCTION: Words = words![
    "about", "with", "for", "in", "at", "on", "and", "or", "to", "every", "since", "from", "by", "of", "near", "as", "called",
    "named", "because", "but", "so", "daily", "twice", "once", "three", "weekly", "when", "while", "last", "next", "this",
    "two", "after", "before", "until", "down", "less", "more", "smoking", "drinking", "weight", "during", "too", "now", "yesterday", "today", "recently", "named", "who", "which",
    "that", "anymore", "scheduled", "up", "into", "again", "back", "together", "my", "our", "the", "a", "away", "out", "off",
];
