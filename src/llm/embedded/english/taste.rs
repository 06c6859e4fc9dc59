//! Likes, interests, abilities and habits in English.
//!
//! An action is a habit only with a frequency; what was liked on one day is no taste.

use super::Scope;
use super::mood::{Mood, phrase};
use super::objects::{clause_object, object, objects};
use super::token::{Word, sentence_text};
use super::words::{LANGUAGES, STOPS, TRAILERS, third_person};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::case::capitalised;
use crate::words;

/// Likes and dislikes; "don't hate" is neither.
pub fn taste(scope: &Scope, base: &str, likes: bool, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.negated && !likes || mood.never {
        return Vec::new();
    }
    let is_like = likes && !mood.negated;
    // "I loved that movie" tells of one day; only what is loved in general is a taste.
    if mood.when == When::Past && !mood.perfect {
        return Vec::new();
    }
    objects(scope, words)
        .into_iter()
        .map(|(object, folded)| {
            let text = match (is_like, likes) {
                (true, _) | (false, false) => format!("{} {object}.", capitalised(&third_person(base))),
                (false, true) => format!("Does not {base} {object}."),
            };
            let about = folded.strip_prefix("to ").unwrap_or(&folded).to_owned();
            Statement::new(Slot::Taste, &about, if is_like { "like" } else { "dislike" }, text)
        })
        .collect()
}

pub fn interest(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    object(scope, words).map_or_else(Vec::new, |(object, folded)| {
        let text = phrase(mood, "Is interested in", "Is not interested in", "", &object);
        vec![Statement::new(Slot::Trait, &format!("interested {folded}"), "", text).negated(mood.negated)]
    })
}

pub fn able(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    match base {
        "speak" => languages(scope, words, mood),
        "stand" if mood.negated => objects(scope, words)
            .into_iter()
            .map(|(object, folded)| {
                Statement::new(Slot::Taste, &folded, "dislike", format!("Can't stand {object}."))
            })
            .collect(),
        "eat" | "drink" if mood.negated => object(scope, words).map_or_else(Vec::new, |(object, folded)| {
            vec![
                Statement::new(
                    Slot::Health,
                    &format!("can {base} {folded}"),
                    "",
                    format!("Can't {base} {object}."),
                )
                .negated(true),
            ]
        }),
        "swim" | "drive" if words.is_empty() => {
            let text = if mood.negated { format!("Can't {base}.") } else { format!("Can {base}.") };
            vec![Statement::new(Slot::Trait, &format!("can {base}"), "", text).negated(mood.negated)]
        }
        "play" => object(scope, words).map_or_else(Vec::new, |(object, folded)| {
            let text =
                if mood.negated { format!("Can't play {object}.") } else { format!("Can play {object}.") };
            vec![Statement::new(Slot::Trait, &format!("can play {folded}"), "", text).negated(mood.negated)]
        }),
        _ => Vec::new(),
    }
}

pub fn languages(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.when != When::Now || mood.perfect {
        return Vec::new();
    }
    let end = words.iter().position(|w| STOPS.contains(w.low.as_str())).unwrap_or(words.len());
    let said = sentence_text(scope.source, &words[..end]);
    words[..end]
        .iter()
        .filter(|w| LANGUAGES.contains(w.low.as_str()))
        .map(|w| {
            let text = match (mood.negated, said.contains("little")) {
                (true, _) => format!("Does not speak {}.", w.raw),
                (false, true) => format!("Speaks a little {}.", w.raw),
                _ => format!("Speaks {}.", w.raw),
            };
            Statement::new(Slot::Language, &w.low, "speaks", text).negated(mood.negated)
        })
        .collect()
}

/// A repeated action: with a frequency, or an abstention ("don't eat meat").
pub fn habit(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.when != When::Now || mood.perfect {
        return Vec::new();
    }
    let end = words
        .iter()
        .position(|w| words!["because", "but", "so", "since", "when", "if", "while"].contains(w.low.as_str()))
        .unwrap_or(words.len());
    let words = &words[..end];
    let is_frequent = words.windows(2).any(|pair| {
        let (a, b) = (pair[0].low.as_str(), pair[1].low.as_str());
        a == "every" && b != "time" && b != "one" && b != "bit"
            || matches!(
                (a, b),
                ("once" | "twice" | "times", "a")
                    | ("on", "weekends" | "sundays" | "saturdays" | "mondays" | "fridays")
            )
            || matches!(a, "daily" | "weekly")
    }) || words.last().is_some_and(|w| matches!(w.low.as_str(), "daily" | "weekly"));
    let abstains = mood.negated && words!["eat", "drink", "smoke"].contains(base);
    let plays = base == "play"
        && !mood.negated
        && words.first().is_some_and(|w| {
            !words![
                "with",
                "a",
                "it",
                "some",
                "around",
                "ever",
                "for",
                "since",
                "professionally",
                "before",
                "again",
                "there",
                "in",
                "at",
                "against",
                "as"
            ]
            .contains(w.low.as_str())
        });
    let drives = base == "drive" && mood.negated && words.is_empty();
    if !(is_frequent || abstains || plays || drives) || words.len() > 14 {
        return Vec::new();
    }
    let Some((object, folded)) = clause_object(scope, words).or_else(|| {
        let says_nothing = words.iter().all(|w| TRAILERS.contains(w.low.as_str()));
        (abstains && says_nothing || drives).then(Default::default)
    }) else {
        return Vec::new();
    };
    let verb = match (mood.negated, mood.never) {
        (true, true) => format!("Never {}", third_person(base)),
        (true, false) => format!("Does not {base}"),
        _ => capitalised(&third_person(base)),
    };
    let text = format!("{}.", format!("{verb} {object}").trim_end());
    vec![Statement::new(Slot::Habit, &format!("{base} {folded}"), "", text).negated(mood.negated)]
}
