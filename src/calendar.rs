//! Calendar dates: the Gregorian calendar, years 0 to 9999, no zones and no clock.
//!
//! Deliberate absence: a library. This is all that is needed of one, and the one we had was a tenth of the wasm.

use std::fmt;

use crate::time::{DAY, HOUR, MINUTE, Millis, SECOND};

/// A day that exists. Ordered by time, shown as `2026-11-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i16,
    month: i8,
    day: i8,
}

impl Date {
    /// `None` for a day that doesn't exist, or outside the years 0 to 9999.
    pub const fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        let exists = 0 <= year && year <= 9999 && 1 <= month && month <= 12 && 1 <= day;
        if exists && day <= days_in_month(year, month) { Some(Self { year, month, day }) } else { None }
    }

    pub const fn year(self) -> i16 {
        self.year
    }

    /// 1 to 12.
    pub const fn month(self) -> i8 {
        self.month
    }

    /// 1 to 31.
    pub const fn day(self) -> i8 {
        self.day
    }

    #[must_use]
    pub const fn first_of_month(self) -> Self {
        Self { day: 1, ..self }
    }

    /// 0 on Mondays to 6 on Sundays.
    pub fn days_after_monday(self) -> i64 {
        // 1970-01-01 was a Thursday.
        (self.days() + 3).rem_euclid(7)
    }

    /// Reads `2026-11-30` and nothing else.
    pub fn parse(raw: &str) -> Option<Self> {
        let (date, rest) = Self::take(raw)?;
        rest.is_empty().then_some(date)
    }

    /// The date so many days later, or earlier for a negative count; `None` outside the calendar.
    pub fn plus_days(self, count: i64) -> Option<Self> {
        Self::from_days(self.days().checked_add(count)?)
    }

    /// The same day so many months later, or the month's last day where that month is shorter.
    pub fn plus_months(self, count: i64) -> Option<Self> {
        let months = (i64::from(self.year) * 12 + i64::from(self.month) - 1).checked_add(count)?;
        let year = i16::try_from(months.div_euclid(12)).ok()?;
        let month = months.rem_euclid(12) as i8 + 1;
        Self::new(year, month, self.day.min(days_in_month(year, month)))
    }

    /// Days since 1970-01-01. Years are counted from March, so that the leap day is a year's last.
    fn days(self) -> i64 {
        let month = (i64::from(self.month) + 9) % 12;
        let year = i64::from(self.year) - i64::from(self.month < 3);
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        year * 365 + leap_days + (month * 153 + 2) / 5 + i64::from(self.day) - 1 - BEFORE_1970
    }

    fn from_days(days: i64) -> Option<Self> {
        let days = days.checked_add(BEFORE_1970)?;
        let era = days.div_euclid(DAYS_IN_400_YEARS);
        let of_era = days.rem_euclid(DAYS_IN_400_YEARS);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / (DAYS_IN_400_YEARS - 1)) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let year = era * 400 + year_of_era + i64::from(month >= 10);
        Self::new(i16::try_from(year).ok()?, ((month + 2) % 12) as i8 + 1, day as i8)
    }

    /// The date at the start of `raw`, and what follows it.
    fn take(raw: &str) -> Option<(Self, &str)> {
        let (year, rest) = number(raw, 4)?;
        let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
        let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
        Some((Self::new(year as i16, month as i8, day as i8)?, rest))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// From 0000-03-01 to 1970-01-01.
const BEFORE_1970: i64 = 719_468;

const DAYS_IN_400_YEARS: i64 = 146_097;

const fn days_in_month(year: i16, month: i8) -> i8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The UTC date of an instant and the milliseconds since that midnight; `None` outside the calendar.
pub fn date_and_time(at: Millis) -> Option<(Date, i64)> {
    Some((Date::from_days(at.0.div_euclid(DAY))?, at.0.rem_euclid(DAY)))
}

/// The instant at which a date begins in UTC.
pub fn midnight(date: Date) -> Millis {
    Millis(date.days() * DAY)
}

/// Reads an RFC 3339 instant: seconds may be missing, more than milliseconds are dropped, a leap second is the second
/// before it.
pub fn instant(raw: &str) -> Option<Millis> {
    let (date, rest) = Date::take(raw)?;
    let (time, rest) = time_of_day(rest.strip_prefix(['T', 't', ' '])?)?;
    let ahead = match rest.split_at_checked(1)? {
        ("Z" | "z", "") => 0,
        ("+", rest) => offset(rest)?,
        ("-", rest) => -offset(rest)?,
        _ => return None,
    };
    Some(Millis(date.days() * DAY + time - ahead))
}

/// Reads the form that HTTP headers have: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub fn http_date(raw: &str) -> Option<Millis> {
    const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec ";
    let raw = raw.to_ascii_lowercase();
    let mut parts = raw.rsplit_once(',').map_or(raw.as_str(), |(_, rest)| rest).split_ascii_whitespace();
    let (day, _) = number(parts.next()?, 2)?;
    let month = MONTHS.find(parts.next().filter(|name| name.len() == 3)?)? / 4 + 1;
    let (year, _) = number(parts.next()?, 4)?;
    let (time, _) = time_of_day(parts.next()?)?;
    let is_utc = matches!(parts.next()?, "gmt" | "utc" | "z" | "+0000" | "-0000") && parts.next().is_none();
    let date = Date::new(year as i16, month as i8, day as i8).filter(|_| is_utc)?;
    Some(Millis(date.days() * DAY + time))
}

/// `08:49`, `08:49:37` or `08:49:37.123456` at the start of `raw` in milliseconds, and what follows it.
fn time_of_day(raw: &str) -> Option<(i64, &str)> {
    let (hour, rest) = number(raw, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2)?,
        None => (0, rest),
    };
    let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
        Some(digits) => {
            let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = digits.get(..digits.len() - rest.len()).filter(|d| (1..=9).contains(&d.len()))?;
            (
                digits.bytes().chain(*b"00").take(3).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')),
                rest,
            )
        }
        None => (0, rest),
    };
    let is_time = hour < 24 && minute < 60 && second <= 60;
    let millis = hour * HOUR + minute * MINUTE + second.min(59) * SECOND + fraction;
    is_time.then_some((millis, rest))
}

/// `09:00`, `0900` or `09` in milliseconds.
fn offset(raw: &str) -> Option<i64> {
    let (hours, rest) = number(raw, 2)?;
    let (minutes, rest) = match rest.strip_prefix(':').unwrap_or(rest) {
        "" if rest.is_empty() => (0, rest),
        rest => number(rest, 2)?,
    };
    (hours < 24 && minutes < 60 && rest.is_empty()).then_some(hours * HOUR + minutes * MINUTE)
}

/// A number of exactly so many ASCII digits, and what follows it.
fn number(raw: &str, digits: usize) -> Option<(i64, &str)> {
    let (number, rest) = raw.split_at_checked(digits)?;
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn dates_are_counted_as_a_calendar_library_counts_them(
            year in -1i16..10_000, month in 0i8..14, day in 0i8..33, days in -4_000_000i64..4_000_000, months in -130_000i64..130_000,
        ) {
            let ours = Date::new(year, month, day);
            let theirs = jiff::civil::Date::new(year, month, day).ok().filter(|date| date.year() >= 0);
            prop_assert_eq!(ours.map(|d| d.to_string()), theirs.map(|d| d.to_string()));
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                let shown = |date: jiff::civil::Date| (date.year() >= 0).then(|| date.to_string());
                let span = jiff::Span::new();
                prop_assert_eq!(ours.days_after_monday(), i64::from(theirs.weekday().to_monday_zero_offset()));
                let moved = theirs.checked_add(span.days(days)).ok().and_then(shown);
                prop_assert_eq!(ours.plus_days(days).map(|d| d.to_string()), moved);
                let moved = theirs.checked_add(span.months(months)).ok().and_then(shown);
                prop_assert_eq!(ours.plus_months(months).map(|d| d.to_string()), moved);
                prop_assert_eq!(Date::parse(&ours.to_string()), Some(ours));
            }
        }

        #[test]
        fn an_instant_is_read_as_a_calendar_library_reads_it(
            raw in "20[0-9]{2}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9](:[0-6][0-9]([.,][0-9]{1,10})?)?(Z|z|[+-][012][0-9](:?[0-6][0-9])?)?",
        ) {
            let theirs = raw.parse::<jiff::Timestamp>().ok().map(|t| Millis(t.as_millisecond()));
            let is_far = raw.contains("+24") || raw.contains("-24") || raw.contains("+25") || raw.contains("-25");
            prop_assert!(is_far || instant(&raw) == theirs, "{} {:?} {:?}", raw, instant(&raw), theirs);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}", near in "[0-9:.,TZ+ \\-年]{0,30}") {
            for raw in [text, near] {
                let _ = (Date::parse(&raw), instant(&raw), http_date(&raw));
            }
        }
    }

    #[test]
    fn a_header_tells_an_instant_in_one_form() {
        let want = instant("1994-11-06T08:49:37Z");
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), want);
        assert_eq!(http_date("06 nov 1994 08:49:37 gmt"), want);
        for bad in [
            "",
            "Sun, 06 Now 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "06 Nov 1994 08:49:37 EST",
            "1994年11月6日",
        ] {
            assert_eq!(http_date(bad), None, "{bad}");
        }
    }
}
