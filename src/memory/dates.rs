//! When a statement holds: dates found in what was said, as precise as they were said.
//!
//! Invariant: no date comes from a model alone. A date that the quote doesn't state is dropped, and a month or a
//! weekday whose year can't be told stays unknown. Frequencies ("every April") and birthdays are no periods.

use std::fmt;

use crate::calendar::Date;

use super::mentions::{Mention, Place, mentions};
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase;
use crate::words;

/// A calendar date whose month or day may be unknown; shown as `2015`, `2015-04` or `2015-04-01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    pub year: i16,
    pub month: Option<i8>,
    pub day: Option<i8>,
}

impl Partial {
    pub fn year(year: i16) -> Self {
        Self { year, month: None, day: None }
    }

    pub fn month(year: i16, month: i8) -> Self {
        Self { year, month: Some(month), day: None }
    }

    pub fn day(date: Date) -> Self {
        Self { year: date.year(), month: Some(date.month()), day: Some(date.day()) }
    }

    /// Reads `2015`, `2015-04` and `2015-04-01` (also the date of an instant); refuses days that don't exist.
    pub fn parse(raw: &str) -> Option<Self> {
        let raw = raw.trim().split(['T', ' ']).next()?;
        let mut parts = raw.split('-');
        let year: i16 = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
        let month: Option<i8> = parts.next().map(str::parse).transpose().ok()?;
        let day: Option<i8> = parts.next().map(str::parse).transpose().ok()?;
        if parts.next().is_some() {
            return None;
        }
        Date::new(year, month.unwrap_or(1), day.unwrap_or(1))?;
        Some(Self { year, month, day })
    }

    /// What both dates agree on; `None` if not even on the year.
    #[must_use]
    pub fn common(self, other: Self) -> Option<Self> {
        (self.year == other.year).then(|| {
            let month = self.month.filter(|_| self.month == other.month);
            Self {
                year: self.year,
                month,
                day: self.day.filter(|_| month.is_some() && self.day == other.day),
            }
        })
    }

    /// Whether one of the two is the other, said less precisely.
    fn agrees(self, other: Self) -> bool {
        let (Some(common), less) =
            (self.common(other), if self.precision() < other.precision() { self } else { other })
        else {
            return false;
        };
        common == less
    }

    fn precision(self) -> u8 {
        u8::from(self.month.is_some()) + u8::from(self.day.is_some())
    }

    fn first_day(self) -> (i16, i8, i8) {
        (self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// When a statement holds, as far as it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Period {
    pub from: Option<Partial>,
    pub until: Option<Partial>,
}

/// The period that a quote states. `today` is the user's local date when it was said.
pub fn period(quote: &str, today: Date) -> Period {
    let folded = fold(quote);
    if phrase::has_any(&folded, RECURRING) {
        return Period::default();
    }
    let found = mentions(quote, today);
    let mut period = Period::default();
    for mention in &found {
        match mention.place {
            Place::Start => period.from = period.from.or(Some(mention.date)),
            Place::End => period.until = Some(mention.date),
            Place::Plain => {}
        }
    }
    if let [only] = found.as_slice()
        && only.place == Place::Plain
    {
        if phrase::has_any(&folded, ENDING) {
            period.until = Some(only.date);
        } else {
            period.from = Some(only.date);
        }
    }
    ordered(period)
}

/// The period of a proposal: what the quote states; a model's date counts only where it chooses between dates that
/// the quote mentions without saying which of them begins or ends something.
pub fn checked(quote: &str, today: Date, from: Option<&str>, until: Option<&str>) -> Period {
    let mut period = period(quote, today);
    if phrase::has_any(&fold(quote), RECURRING) {
        return period;
    }
    let plain: Vec<Mention> =
        mentions(quote, today).into_iter().filter(|mention| mention.place == Place::Plain).collect();
    let chosen = |raw: Option<&str>| {
        let date = Partial::parse(raw?)?;
        plain.iter().map(|mention| mention.date).find(|&mentioned| mentioned.agrees(date))
    };
    if period == Period::default() {
        period = Period { from: chosen(from), until: chosen(until) };
        if period.from.is_some() && period.from == period.until {
            period.until = None;
        }
    }
    ordered(period)
}

/// Whether a text only says what somebody is called, which no time bounds.
pub fn names_only(text: &str, today: Date) -> bool {
    let folded = fold(text);
    phrase::has_any(&folded, words!["named", "name is", "名前は", "という"])
        && !phrase::has_any(&folded, words!["and", "lives", "works", "住", "働", "勤め"])
        && mentions(text, today).is_empty()
}

/// An end before the start means that one of the two was misread; neither is believed.
fn ordered(period: Period) -> Period {
    match (period.from, period.until) {
        (Some(from), Some(until))
            if until.year < from.year
                || until.first_day() < Partial::first_day(from) && until.precision() >= from.precision() =>
        {
            Period::default()
        }
        _ => period,
    }
}

/// Dates that come back every year, month or week, or belong to a birth, say nothing about validity.
#[rustfmt::skip]
const RECURRING: Words = words![
    "every", "each year", "annually", "yearly", "birthday", "was born", "am born", "born on", "born in",
    "anniversary", "毎", "誕生日", "生まれ", "記念日", "生年月日",
];

/// A statement with one of these and a single date tells when something ended.
#[rustfmt::skip]
const ENDING: Words = words![
    "quit", "stopped", "gave up", "left", "no longer", "ended", "retired", "resigned", "broke up", "divorced",
    "died", "passed away", "やめた", "やめました", "辞め", "止めた", "止めました", "退職", "離婚",
    "別れ", "亡くな", "終わっ", "終わりました", "引退",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> Date {
        Date::new(2026, 11, 30).unwrap()
    }

    fn shown(period: Period) -> String {
        let date = |date: Option<Partial>| date.map_or_else(|| "?".to_owned(), |date| date.to_string());
        format!("{}..{}", date(period.from), date(period.until))
    }

    #[test]
    fn a_quote_tells_its_own_period() {
        for (quote, want) in [
            ("I lived in Osaka from 2015 to 2018", "2015..2018"),
            ("I have lived in Kyoto since 2019", "2019..?"),
            ("2015年から2018年まで大阪に住んでいた", "2015..2018"),
            ("平成30年から東京で働いています", "2018..?"),
            ("I quit smoking in March 2024", "?..2024-03"),
            ("昨日会社を辞めました", "?..2026-11-29"),
            ("I moved to Osaka last month", "2026-10..?"),
            ("来年の4月にパリへ行く予定です", "2027-04..?"),
            ("I visit Kyoto every April", "?..?"),
            ("私は1990年4月1日生まれです", "?..?"),
            ("猫が好きです", "?..?"),
            ("I will be in Berlin until 2027-03-15", "?..2027-03-15"),
            ("from 2018 to 2015", "?..?"),
        ] {
            assert_eq!(shown(period(quote, today())), want, "{quote}");
        }
    }

    #[test]
    fn a_date_that_only_the_model_knows_is_dropped() {
        let read = |quote, from, until| shown(checked(quote, today(), from, until));
        assert_eq!(read("I live in Osaka", Some("2020-01-01"), None), "?..?");
        assert_eq!(read("I moved to Osaka in 2020", Some("2020-05-05"), None), "2020..?");
        assert_eq!(read("In 2010 I met Ken and in 2012 we married", Some("2012"), None), "2012..?");
        assert_eq!(read("In 2010 I met Ken and in 2012 we married", Some("2013"), None), "?..?");
        assert_eq!(read("去年から東京にいる", None, Some("2025")), "2025..?");
    }

    #[test]
    fn a_partial_date_reads_back_what_it_shows() {
        for raw in ["2015", "2015-04", "2015-04-01"] {
            assert_eq!(Partial::parse(raw).unwrap().to_string(), raw);
        }
        for bad in ["", "15", "2015-13", "2015-02-30", "2015-04-01-01", "April", "２０１５"] {
            assert_eq!(Partial::parse(bad), None, "{bad}");
        }
    }
}
