//! English dates: `last Friday`, `next month`, `in 2015`, `April 1, 2026`, `two years ago`.

use crate::calendar::Date;

use super::dates::Partial;
use super::mentions::{Tense, monday_of, shifted, valid, without_day};
use super::numbers::word_value;
use crate::text::list;
use crate::time::{Unit, later};
use crate::words;

/// The date that starts exactly here, and how many letters it takes.
pub(super) fn at(rest: &[char], before: &[char], today: Date, tense: Tense) -> Option<(Partial, usize)> {
    let starts_word = rest.first().is_some_and(char::is_ascii_alphanumeric)
        && !before.last().is_some_and(|c| c.is_ascii_alphanumeric() || *c == '\'');
    if !starts_word {
        return None;
    }
    let words = Words::read(rest);
    fixed(&words, today)
        .or_else(|| by_direction(&words, today))
        .or_else(|| distance(&words, today))
        .or_else(|| named_month(&words, today, tense))
        .or_else(|| bare_weekday(&words, before, today, tense))
        .or_else(|| bare_year(&words, before))
}

/// The next few words, lower-cased by folding, with the offset at which each ends.
struct Words {
    list: Vec<(String, usize)>,
}

impl Words {
    fn read(rest: &[char]) -> Self {
        let mut list = Vec::new();
        let mut word = String::new();
        for (at, &c) in rest.iter().enumerate().take(48) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
            } else {
                if !word.is_empty() {
                    list.push((std::mem::take(&mut word), at));
                }
                if list.len() >= 5 || !matches!(c, ' ' | ',' | '.') {
                    return Self { list };
                }
            }
        }
        if !word.is_empty() {
            list.push((word, rest.len().min(48)));
        }
        Self { list }
    }

    fn word(&self, at: usize) -> &str {
        self.list.get(at).map_or("", |(word, _)| word.as_str())
    }

    fn end(&self, at: usize) -> usize {
        self.list.get(at).map_or(0, |(_, end)| *end)
    }

    fn begins(&self, phrase: list::Words) -> bool {
        phrase.iter().enumerate().all(|(at, word)| self.word(at) == word)
    }
}

fn fixed(words: &Words, today: Date) -> Option<(Partial, usize)> {
    let table: [(list::Words, i32); 8] = [
        (words!["the", "day", "before", "yesterday"], -2),
        (words!["the", "day", "after", "tomorrow"], 2),
        (words!["yesterday"], -1),
        (words!["last", "night"], -1),
        (words!["today"], 0),
        (words!["tonight"], 0),
        (words!["this", "morning"], 0),
        (words!["tomorrow"], 1),
    ];
    let (phrase, days) = table.iter().find(|(phrase, _)| words.begins(*phrase))?;
    Some((Partial::day(later(today, (*days).into(), Unit::Days)?), words.end(phrase.iter().count() - 1)))
}

fn by_direction(words: &Words, today: Date) -> Option<(Partial, usize)> {
    let sign: i32 = match words.word(0) {
        "last" => -1,
        "this" => 0,
        "next" => 1,
        _ => return None,
    };
    let end = words.end(1);
    let date = match words.word(1) {
        "year" => Partial::year(today.year() + i16::try_from(sign).ok()?),
        "spring" | "summer" | "autumn" | "winter" | "fall" => by_season(sign, words.word(1), today)?,
        "month" => {
            let month = later(today.first_of_month(), sign.into(), Unit::Months)?;
            Partial::month(month.year(), month.month())
        }
        "week" => {
            let monday = later(monday_of(today), i64::from(7 * sign), Unit::Days)?;
            without_day(Partial::day(monday).common(Partial::day(later(monday, 6, Unit::Days)?))?)
        }
        name => {
            if let Some(weekday) = weekday(name) {
                by_weekday(sign, weekday, today)?
            } else {
                let month = month(name)?;
                let year = match sign {
                    -1 if month >= today.month() => today.year() - 1,
                    1 if month <= today.month() => today.year() + 1,
                    _ => today.year(),
                };
                Partial::month(year, month)
            }
        }
    };
    Some((date, end))
}

/// "Last summer" said in autumn means the one that was to some and the one before to others; then its year is unknown, as
/// that of a winter, which has two.
fn by_season(sign: i32, season: &str, today: Date) -> Option<Partial> {
    let (first, last) = match season {
        "spring" => (3, 5),
        "summer" => (6, 8),
        "winter" => return (sign == 0).then(|| Partial::year(today.year())),
        _ => (9, 11),
    };
    match sign {
        -1 if today.month() <= last => Some(Partial::year(today.year() - 1)),
        1 if today.month() >= first => Some(Partial::year(today.year() + 1)),
        0 => Some(Partial::year(today.year())),
        _ => None,
    }
}

/// "On Thursday": the one to come of what is to come, the last one of what was.
fn bare_weekday(words: &Words, before: &[char], today: Date, tense: Tense) -> Option<(Partial, usize)> {
    let weekday = weekday(words.word(0))?;
    let head: String = before.iter().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
    let date = tense.weekday(weekday, today).filter(|_| head.trim_end().ends_with("on"))?;
    Some((date, words.end(0)))
}

/// "Last Friday" is the one that was. "Next Friday" means the coming one to some and the one after to others, so
/// it is only what both readings share.
fn by_weekday(sign: i32, weekday: i64, today: Date) -> Option<Partial> {
    let this_week = later(monday_of(today), weekday, Unit::Days)?;
    match sign {
        -1 => {
            let back = if this_week < today { 0 } else { 7 };
            Some(Partial::day(later(this_week, -back, Unit::Days)?))
        }
        0 => Some(Partial::day(this_week)),
        _ => {
            let next_week = later(this_week, 7, Unit::Days)?;
            let coming = if this_week > today { this_week } else { next_week };
            Partial::day(coming).common(Partial::day(next_week))
        }
    }
}

/// `two years ago`, `a month ago`, `in three weeks`.
fn distance(words: &Words, today: Date) -> Option<(Partial, usize)> {
    let (first, sign) = if words.word(0) == "in" { (1, 1) } else { (0, -1) };
    let count = match words.word(first) {
        "a" | "an" => 1,
        word => word_value(word).or_else(|| word.parse().ok()).filter(|&count| count <= 1000)?,
    };
    let unit = match words.word(first + 1) {
        "day" | "days" => 'd',
        "week" | "weeks" => 'w',
        "month" | "months" => 'm',
        "year" | "years" => 'y',
        _ => return None,
    };
    let last = if sign < 0 { first + 2 } else { first + 1 };
    if sign < 0 && words.word(last) != "ago" {
        return None;
    }
    shifted(today, sign * count, unit).map(|date| (date, words.end(last)))
}

/// `April 1, 2026`, `1 April 2026`, `April 2026`, and a month with a day whose year the tense tells.
fn named_month(words: &Words, today: Date, tense: Tense) -> Option<(Partial, usize)> {
    let (month, day, mut last) = if let Some(month) = month(words.word(0)) {
        match ordinal(words.word(1)) {
            Some(day) => (month, Some(day), 1),
            None => (month, None, 0),
        }
    } else {
        let skip = usize::from(words.word(1) == "of");
        (month(words.word(1 + skip))?, Some(ordinal(words.word(0))?), 1 + skip)
    };
    let year = if let Some(year) = year(words.word(last + 1)) {
        last += 1;
        year
    } else if day.is_some() || (words.word(0).len() > 3 && words.word(0) != "march") {
        i64::from(tense.year_of(month, day.and_then(|day| i8::try_from(day).ok()), today)?)
    } else {
        // "may" and "march" by themselves are mostly verbs.
        return None;
    };
    valid(year, Some(i64::from(month)), day).map(|date| (date, words.end(last)))
}

/// A year stands behind a preposition, or it is just a number.
fn bare_year(words: &Words, before: &[char]) -> Option<(Partial, usize)> {
    let year = year(words.word(0))?;
    let head: String = before.iter().skip(before.len().saturating_sub(12)).collect();
    let head = head.trim_end();
    let introduced = crate::text::phrase::ends_any(
        head,
        words![
            "in", "since", "from", "until", "till", "to", "by", "of", "year", "between", "and", "through",
            "spring", "summer", "autumn", "fall", "winter", "early", "late", "mid", "around",
        ],
    ) || head.ends_with(['-', '–', '~', '〜']);
    introduced.then(|| valid(year, None, None).map(|date| (date, words.end(0)))).flatten()
}

fn year(word: &str) -> Option<i64> {
    let is_year = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    is_year.then(|| word.parse().ok()).flatten().filter(|year| (1900..=2099).contains(year))
}

fn ordinal(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = word.get(digits.len()..)?;
    (words!["", "st", "nd", "rd", "th"].contains(suffix) && digits.len() <= 2)
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|day| (1..=31).contains(day))
}

fn month(word: &str) -> Option<i8> {
    #[rustfmt::skip]
    const MONTHS: list::Words = words![
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ];
    let at = MONTHS.iter().position(|name| {
        word == name || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && name == "september")
    })?;
    i8::try_from(at + 1).ok()
}

fn weekday(word: &str) -> Option<i64> {
    Some(match word {
        "monday" => 0,
        "tuesday" => 1,
        "wednesday" => 2,
        "thursday" => 3,
        "friday" => 4,
        "saturday" => 5,
        "sunday" => 6,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::calendar::Date;
    use crate::memory::mentions::mentions;

    #[test]
    fn english_dates_are_as_precise_as_their_words() {
        for (text, want) in [
            ("I moved yesterday", "2026-11-29"),
            ("the day after tomorrow", "2026-12-02"),
            ("I saw her last Friday", "2026-11-27"),
            ("next month", "2026-12"),
            ("next Friday", "2026-12"),
            ("I graduated in 2015", "2015"),
            ("since 2019", "2019"),
            ("two years ago", "2024"),
            ("a month ago", "2026-10"),
            ("3 days ago", "2026-11-27"),
            ("in two weeks", "2026-12"),
            ("on April 1, 2026", "2026-04-01"),
            ("1st of April 2026", "2026-04-01"),
            ("in April 2026", "2026-04"),
            ("I moved in April", "2026-04"),
            ("I moved on December 5th", "2025-12-05"),
            ("I've got an exam on Friday", "2026-12-04"),
            ("dentist on Monday at 3", "2026-12-07"),
            ("I broke it on Monday", "2026-11-23"),
        ] {
            let found = mentions(text, Date::new(2026, 11, 30).unwrap());
            let shown: Vec<String> = found.iter().map(|mention| mention.date.to_string()).collect();
            assert_eq!(shown, [want], "{text}");
        }
    }

    #[test]
    fn a_season_has_a_year_where_both_ways_of_saying_it_agree() {
        let year = |text: &str, month: i8| {
            mentions(text, Date::new(2026, month, 15).unwrap())
                .first()
                .map(|mention| mention.date.to_string())
        };
        for (text, month, want) in [
            ("last summer", 3, Some("2025")),
            ("last summer", 7, Some("2025")),
            ("last summer", 11, None),
            ("next spring", 11, Some("2027")),
            ("next spring", 2, None),
            ("this summer", 11, Some("2026")),
            ("last winter", 11, None),
        ] {
            assert_eq!(year(text, month).as_deref(), want, "{text} in month {month}");
        }
    }

    #[test]
    fn a_weekday_of_no_known_tense_stays_words() {
        for text in ["I swim on Mondays", "the market is on Sunday", "call me on Friday", "Thursday at 3?"] {
            assert!(mentions(text, Date::new(2026, 11, 30).unwrap()).is_empty(), "{text}");
        }
    }
}
