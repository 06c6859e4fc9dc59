//! Dates in what was said, resolved against the speaker's day; what can't be resolved stays words.

use crate::calendar::Date;

use crate::memory::dates::Partial;
use crate::memory::mentions::mentions;
use crate::text::list::Words;
use crate::time::{Unit, later};
use crate::words;

const MONTHS: Words = words![
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: Words = words!["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A period as precise as what was said, and where in the words it stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub from: Option<String>,
    pub until: Option<String>,
}

/// The number of a month's English name or three-letter form.
pub fn month(word: &str) -> Option<usize> {
    let word = word.trim_end_matches('.');
    MONTHS.iter().position(|m| m == word || (word.len() == 3 && m.starts_with(word))).map(|at| at + 1)
}

/// `2015` from a word that can only be a year.
pub fn year(word: &str) -> Option<&str> {
    let is_year =
        word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) && ("1900".."2100").contains(&word);
    is_year.then_some(word)
}

/// Reads one English date at the start of folded words: its ISO form and how many words it takes.
pub fn english(words: &[&str], today: Option<Date>) -> Option<(String, usize)> {
    let word = |at: usize| words.get(at).copied().unwrap_or("");
    let skip = usize::from(words!["in", "on", "this", "around", "early", "late", "the"].contains(word(0)));
    if let Some(year) = year(word(skip)) {
        return Some((year.to_owned(), skip + 1));
    }
    if let Some(month) = month(word(skip)) {
        if let Some(year) = year(word(skip + 1)) {
            return Some((format!("{year}-{month:02}"), skip + 2));
        }
        let day = day_of_month(word(skip + 1))?;
        let year = year(word(skip + 2))?;
        return Some((format!("{year}-{month:02}-{day:02}"), skip + 3));
    }
    let today = today?;
    let shift = |days: i64| later(today, days, Unit::Days).map(|d| d.to_string());
    let month_of = |months: i64| later(today.first_of_month(), months, Unit::Months).map(month_text);
    let year_of = |years: i16| Some((today.year() + years).to_string());
    let (date, taken) = match (word(0), word(1)) {
        ("today" | "tonight", _) => (shift(0), 1),
        ("tomorrow", _) => (shift(1), 1),
        ("yesterday", _) => (shift(-1), 1),
        ("last", "night") => (shift(-1), 2),
        ("next", "month") => (month_of(1), 2),
        ("last", "month") => (month_of(-1), 2),
        ("this", "month") => (month_of(0), 2),
        ("next", "year") => (year_of(1), 2),
        ("last", "year") => (year_of(-1), 2),
        ("this", "year") => (year_of(0), 2),
        ("last" | "next", day) => {
            let wanted = DAYS.iter().position(|d| d == day)? as i64;
            let now = today.days_after_monday();
            let ahead = (wanted - now).rem_euclid(7);
            // "Next Friday" said before this Friday is one of two days: it stays words.
            match word(0) {
                "last" => (shift(if ahead == 0 { -7 } else { ahead - 7 }), 2),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((date?, taken))
}

/// Reads the first Japanese date in `text`: its ISO form and its bytes.
pub fn japanese(text: &str, today: Option<Date>) -> Option<(String, std::ops::Range<usize>)> {
    let relative = today.and_then(|today| {
        let shift = |days: i64| later(today, days, Unit::Days).map(|d| d.to_string());
        let month_of = |months: i64| later(today.first_of_month(), months, Unit::Months).map(month_text);
        let year_of = |years: i16| Some((today.year() + years).to_string());
        let found = [
            ("明後日", shift(2)),
            ("あさって", shift(2)),
            ("明日", shift(1)),
            ("一昨日", shift(-2)),
            ("昨日", shift(-1)),
            ("今日", shift(0)),
            ("再来月", month_of(2)),
            ("来月", month_of(1)),
            ("先月", month_of(-1)),
            ("今月", month_of(0)),
            ("再来年", year_of(2)),
            ("来年", year_of(1)),
            ("一昨年", year_of(-2)),
            ("去年", year_of(-1)),
            ("昨年", year_of(-1)),
            ("今年", year_of(0)),
        ]
        .into_iter()
        .filter_map(|(word, date)| Some((text.find(word)?, word, date?)))
        .min_by_key(|(at, word, _)| (*at, std::cmp::Reverse(word.len())));
        found.map(|(at, word, date)| (date, at..at + word.len()))
    });
    calendar(text).or(relative)
}

/// The first date of a text that isn't before `today`, as precise as its words.
pub fn ahead(text: &str, today: Date) -> Option<String> {
    let is_ahead = |date: &Partial| {
        let now = (today.year(), today.month(), today.day());
        (date.year, date.month.unwrap_or(12), date.day.unwrap_or(31)) >= now
    };
    mentions(text, today).into_iter().map(|mention| mention.date).find(is_ahead).map(|date| date.to_string())
}

/// The first such weekday after `today`.
pub fn next_weekday(word: &str, today: Date) -> Option<String> {
    let wanted = DAYS.iter().position(|day| day == word)?;
    let wanted = i64::try_from(wanted).ok()?;
    let days = (wanted - today.days_after_monday() - 1).rem_euclid(7) + 1;
    later(today, days, Unit::Days).map(|day| day.to_string())
}

/// Whether an English word may open a date that comes after an appointment.
pub fn opens_date(word: &str) -> bool {
    words!["on", "next", "this", "tomorrow", "today", "tonight", "in"].contains(word) || month(word).is_some()
}

/// `2015年4月1日`, `2015年`, `令和8年`.
fn calendar(text: &str) -> Option<(String, std::ops::Range<usize>)> {
    let mark = text.find('年')?;
    let (number, start) = number_before(text, mark)?;
    let (start, year) = if (1900..2100).contains(&number) {
        (start, number)
    } else {
        let (era, base) = [("令和", 2018), ("平成", 1988), ("昭和", 1925)]
            .into_iter()
            .find(|(era, _)| text.get(..start).is_some_and(|before| before.ends_with(era)))?;
        (start - era.len(), base + number)
    };
    let mut end = mark + '年'.len_utf8();
    let mut date = year.to_string();
    if let Some((month, length)) = number_then(text.get(end..)?, '月').filter(|(m, _)| (1..=12).contains(m))
    {
        end += length;
        date = format!("{date}-{month:02}");
        if let Some((day, length)) = number_then(text.get(end..)?, '日').filter(|(d, _)| (1..=31).contains(d))
        {
            end += length;
            date = format!("{date}-{day:02}");
        }
    }
    Some((date, start..end))
}

/// A number of ASCII or full-width digits that ends at byte `end`, and where it starts.
pub fn number_before(text: &str, end: usize) -> Option<(u32, usize)> {
    let before = text.get(..end)?;
    let digits = before.chars().rev().take(6).take_while(|c| digit(*c).is_some()).count();
    let start = before.char_indices().rev().take(digits).last()?.0;
    let number = before.get(start..)?.chars().filter_map(digit).fold(0, |n, d| n * 10 + d);
    Some((number, start))
}

fn number_then(text: &str, unit: char) -> Option<(u32, usize)> {
    let end = text.find(unit)?;
    let (number, start) = number_before(text, end)?;
    (start == 0).then_some((number, end + unit.len_utf8()))
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => c.to_digit(10),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    }
}

fn day_of_month(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn month_text(date: Date) -> String {
    format!("{:04}-{:02}", date.year(), date.month())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Option<Date> = Date::new(2026, 11, 30);

    #[test]
    fn dates_are_as_precise_as_what_was_said() {
        let read = |words: &str| english(&words.split(' ').collect::<Vec<_>>(), TODAY);
        assert_eq!(read("in april 2024"), Some(("2024-04".to_owned(), 3)));
        assert_eq!(read("2015"), Some(("2015".to_owned(), 1)));
        assert_eq!(read("tomorrow"), Some(("2026-12-01".to_owned(), 1)));
        assert_eq!(read("next month"), Some(("2026-12".to_owned(), 2)));
        assert_eq!(read("last friday"), Some(("2026-11-27".to_owned(), 2)));
        assert_eq!(read("next friday"), None);
        assert_eq!(read("someday"), None);
    }

    #[test]
    fn japanese_eras_and_relative_words_are_resolved() {
        let read = |text: &str| japanese(text, TODAY).map(|(date, _)| date);
        assert_eq!(read("令和8年に結婚").as_deref(), Some("2026"));
        assert_eq!(read("２０１５年４月から").as_deref(), Some("2015-04"));
        assert_eq!(read("来月京都へ").as_deref(), Some("2026-12"));
        assert_eq!(read("3年前に"), None);
        assert_eq!(japanese("明日", None), None);
    }
}
