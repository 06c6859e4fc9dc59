//! The time that a question asks about: "on 16 August", "last week", 先週.
//!
//! A date in a question says when the answer was said or happened. Texts seldom repeat it, so it is no word to look
//! for; what was said at that time, or told of soon afterwards, comes first instead.

use std::ops::RangeInclusive;

use super::dates::Partial;
use super::mentions::{located, monday_of};
use crate::calendar::Date;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::time::{Unit, later};
use crate::words;

/// A question, its times, and what it asks besides them, folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    pub question: String,
    pub days: Vec<RangeInclusive<Date>>,
    pub rest: String,
}

impl When {
    /// A question that is to be taken for one without times.
    pub fn whole(question: &str) -> Self {
        Self { question: question.to_owned(), days: Vec::new(), rest: fold(question) }
    }
}

/// Weeks are named by days, and a month would be too wide.
const WEEKS: &[(Words, i64)] = &[
    (words!["the week before last", "先々週"], -2),
    (words!["last week", "past week", "previous week", "先週"], -1),
    (words!["this week", "今週"], 0),
];

/// `today` is the user's local date.
pub fn when(question: &str, today: Date) -> When {
    let mut folded = fold(question);
    let mut days = Vec::new();
    for (names, weeks) in WEEKS {
        for name in *names {
            // 「先週の金曜」 is a day.
            let Some(rest) = folded.split(name).nth(1) else { continue };
            if rest.trim_start_matches('の').chars().nth(1).is_some_and(|c| c == '曜') {
                continue;
            }
            let Some(monday) = later(monday_of(today), *weeks, Unit::Weeks) else { continue };
            let Some(sunday) = later(monday, 6, Unit::Days) else { continue };
            days.push(monday..=sunday);
            folded = folded.replace(name, " ");
        }
    }
    let found = located(&folded, today);
    let mut rest: Vec<char> = folded.chars().collect();
    for (mention, characters) in found {
        days.extend(days_of(mention.date));
        for letter in rest.get_mut(characters).into_iter().flatten() {
            *letter = ' ';
        }
    }
    When { question: question.to_owned(), days, rest: rest.into_iter().collect() }
}

fn days_of(date: Partial) -> Option<RangeInclusive<Date>> {
    let first = Date::new(date.year, date.month.unwrap_or(1), date.day.unwrap_or(1))?;
    let next = match (date.month, date.day) {
        (_, Some(_)) => return Some(first..=first),
        (Some(_), None) => later(first, 1, Unit::Months)?,
        (None, None) => later(first, 1, Unit::Years)?,
    };
    Some(first..=later(next, -1, Unit::Days)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> (Vec<String>, String) {
        let when = when(question, Date::new(2026, 11, 30).unwrap());
        let days = when.days.iter().map(|days| format!("{} to {}", days.start(), days.end())).collect();
        (days, when.rest.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_question_is_searched_for_without_its_time() {
        for (question, days, rest) in [
            (
                "What did Anna adopt on 16 August, 2023?",
                "2023-08-16 to 2023-08-16",
                "what did anna adopt on ?",
            ),
            (
                "What kind of deal did I get in July 2022?",
                "2022-07-01 to 2022-07-31",
                "what kind of deal did i get in ?",
            ),
            (
                "What did I say about cats last week?",
                "2026-11-23 to 2026-11-29",
                "what did i say about cats ?",
            ),
            ("先週、猫について何と言った？", "2026-11-23 to 2026-11-29", "、猫について何と言った?"),
            ("先々週は何を食べた？", "2026-11-16 to 2026-11-22", "は何を食べた?"),
            ("昨日は何を食べた？", "2026-11-29 to 2026-11-29", "は何を食べた?"),
            ("2024年の旅行は？", "2024-01-01 to 2024-12-31", "の旅行は?"),
        ] {
            assert_eq!(of(question), (vec![days.to_owned()], rest.to_owned()), "{question}");
        }
    }

    #[test]
    fn a_question_without_a_time_stays_whole() {
        for question in ["which weeks are the longest?", "猫の名前は?", "", "👍"] {
            assert_eq!(of(question), (Vec::new(), question.to_owned()));
        }
    }
}
