//! Work, studies and roles in English: "work at Hitachi as a designer", "am a nurse".

use super::Scope;
use super::mood::{Mood, phrase};
use super::objects::{object, without_period};
use super::token::Word;
use super::words::{LANGUAGES, is_occupation};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::words;

pub fn work(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let first = words.first().map_or("", |w| w.low.as_str());
    let when = if mood.when == When::Past && !mood.perfect || period.until.is_some() {
        When::Past
    } else {
        When::Now
    };
    let mood = Mood { when, ..mood };
    let mut found = Vec::new();
    let split = words.iter().position(|w| w.low == "as");
    if words!["at", "for", "in"].contains(first) {
        let end = split.unwrap_or(words.len());
        if let Some((object, folded)) = object(scope, words.get(1..end).unwrap_or_default()) {
            let is_home = folded.starts_with("their ")
                || words!["home", "night", "hours", "years", "free", "least", "progress", "group", "team"]
                    .contains(folded.as_str())
                || folded.starts_with(|c: char| c.is_ascii_digit());
            let word = if first == "in" {
                "Works in"
            } else if first == "at" {
                "Works at"
            } else {
                "Works for"
            };
            let text = phrase(
                mood,
                word,
                &word.replace("Works", "Does not work"),
                &word.replace("Works", "Worked"),
                &object,
            );
            let slot = if first == "in" { Slot::Occupation } else { Slot::Workplace };
            if !is_home && first != "in" || is_field(&folded) {
                found.push(Statement::new(slot, "", &folded, text).negated(mood.negated));
            }
        }
    }
    if let Some(at) = split
        && let Some((object, folded)) = object(scope, &words[at + 1..])
        && !folded.starts_with("well")
    {
        let text = phrase(mood, "Works as", "Does not work as", "Worked as", &object);
        found.push(Statement::new(Slot::Occupation, "", &folded, text).negated(mood.negated));
    }
    if words.len() >= 2 && first == "from" && words[1].low == "home" {
        let text = phrase(mood, "Works from", "Does not work from", "Worked from", "home");
        found.push(Statement::new(Slot::Habit, "works from home", "", text).negated(mood.negated));
    }
    for statement in &mut found {
        statement.when = when;
        (statement.from, statement.until) = (period.from.clone(), period.until.clone());
    }
    found
}

pub fn is_field(folded: &str) -> bool {
    const FIELDS: Words = words![
        "marketing",
        "sales",
        "finance",
        "it",
        "tech",
        "healthcare",
        "education",
        "hospitality",
        "construction",
        "retail",
        "insurance",
        "banking",
        "advertising",
        "publishing",
        "design",
        "logistics",
        "hr",
        "human resources",
        "real estate",
        "manufacturing",
        "consulting",
        "law",
        "medicine",
        "journalism",
        "software",
        "accounting",
        "tourism",
        "agriculture",
        "research",
        "nursing",
        "fashion",
        "film",
        "music",
        "the food industry",
        "film industry",
        "food industry",
    ];
    FIELDS.contains(folded) || folded.ends_with(" industry")
}

pub fn study(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let skip = usize::from(words.first().is_some_and(|w| w.low == "in"));
    let at = words.iter().position(|w| w.low == "at").unwrap_or(words.len());
    let mut found = Vec::new();
    if let Some((object, folded)) = object(scope, words.get(skip..at).unwrap_or_default())
        && !folded.starts_with("about ")
        && !folded.starts_with("for ")
        && !folded.starts_with("to ")
        && !words!["hard", "abroad", "again", "late", "new skill"].contains(folded.as_str())
        && (base != "learn" || LANGUAGES.iter().any(|l| folded.split(' ').any(|w| w == l)))
    {
        let (now, not, past) = match base {
            "learn" => ("Learns", "Does not learn", "Learned"),
            _ => ("Studies", "Does not study", "Studied"),
        };
        let is_language = LANGUAGES.contains(folded.as_str());
        let slot = if is_language { Slot::Language } else { Slot::School };
        let about = format!("studies {folded}");
        found.push(
            Statement::new(slot, &about, "", phrase(mood, now, not, past, &object)).negated(mood.negated),
        );
    }
    if at < words.len()
        && let Some((object, folded)) = object(scope, &words[at + 1..])
        && !words!["home", "night", "school"].contains(folded.as_str())
    {
        let text = phrase(mood, "Studies at", "Does not study at", "Studied at", &object);
        found.push(Statement::new(Slot::School, "school", &folded, text).negated(mood.negated).single());
    }
    for statement in &mut found {
        statement.when = if period.until.is_some() { When::Past } else { mood.when };
        (statement.from, statement.until) = (period.from.clone(), period.until.clone());
    }
    found
}

pub fn school(scope: &Scope, now: &str, past: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    let is_school = contains_any(&folded, words!["university", "college", "school", "institute", "academy"]);
    let is_named = object.chars().next().is_some_and(char::is_uppercase);
    if !(is_school || is_named && now != "Attends") {
        return Vec::new();
    }
    let mut statement =
        Statement::new(Slot::School, "school", &folded, phrase(mood, now, "Does not attend", past, &object))
            .negated(mood.negated)
            .when(mood.when)
            .single();
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

/// What says only how much: "a huge fan" leaves open of what.
const DEGREES: Words =
    words!["a", "an", "the", "big", "huge", "massive", "great", "total", "real", "such", "true"];

/// "A nurse", "an engineer at Sony".
pub fn role(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    let at = folded
        .split(' ')
        .position(|w| words!["at", "in", "for", "from", "with", "of", "by", "and", "to"].contains(w));
    let head: Vec<&str> = folded.split(' ').take(at.unwrap_or(usize::MAX)).collect();
    let noun = head.last().copied().unwrap_or("");
    // "A tea person", "a huge Liverpool fan", "an only child": what kind of one is said before.
    let is_kind = words!["person", "fan", "child", "owl", "bird", "drinker", "smoker", "riser"]
        .contains(noun)
        && head.len() > 1
        && !head.iter().rev().skip(1).all(|w| DEGREES.contains(w))
        && !head.iter().any(|w| {
            words![
                "good",
                "nice",
                "bad",
                "better",
                "new",
                "changed",
                "terrible",
                "horrible",
                "different",
                "busy"
            ]
            .contains(w)
        });
    if head.len() > 4 || !(is_kind || is_occupation(noun)) {
        return Vec::new();
    }
    let is_identity = is_kind
        || words![
            "vegetarian",
            "vegan",
            "pescatarian",
            "parent",
            "mother",
            "father",
            "mom",
            "dad",
            "mum",
            "twin",
            "introvert",
            "extrovert",
            "buddhist",
            "christian",
            "catholic",
            "muslim",
            "atheist",
            "native",
            "citizen",
            "gamer",
            "grandmother",
            "grandfather",
            "owner"
        ]
        .contains(noun);
    let text = phrase(mood, "Is", "Is not", "Was", &object);
    let statement = if is_identity {
        Statement::new(Slot::Trait, &folded, "", text)
    } else {
        Statement::new(Slot::Occupation, "", &head.join(" "), text)
    };
    let mut statement = statement.negated(mood.negated).when(mood.when);
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}
