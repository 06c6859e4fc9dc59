//! Time as an argument: instants are milliseconds since 1970 in UTC, local dates come from the user's zone.
//!
//! Nothing here reads a clock or a zone database; [`Zones`] is a port because the runtime already carries one.

use serde::{Deserialize, Serialize};

use crate::calendar::{self, Date};

pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// An instant: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// `2026-11-30T02:00:00Z`, with milliseconds only where there are any; outside the calendar the start of 1970.
    pub fn to_rfc3339(self) -> String {
        let (date, time) = self.date_and_time();
        let (hour, minute, second) = (time / HOUR, time / MINUTE % 60, time / SECOND % 60);
        let fraction = match time % SECOND {
            0 => String::new(),
            millis => format!(".{millis:03}").trim_end_matches('0').to_owned(),
        };
        format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }

    /// Reads an RFC 3339 instant of any offset.
    pub fn parse_rfc3339(raw: &str) -> Option<Self> {
        calendar::instant(raw)
    }

    #[must_use]
    pub fn plus(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to this instant; never negative, because clocks jump.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }

    /// The UTC calendar day, for budgets that are counted by day.
    pub fn utc_day(self) -> String {
        self.date_at(0).to_string()
    }

    /// The calendar date on a clock that is `offset_seconds` ahead of UTC.
    pub fn date_at(self, offset_seconds: i32) -> Date {
        self.plus(i64::from(offset_seconds) * SECOND).date_and_time().0
    }

    fn date_and_time(self) -> (Date, i64) {
        const START: (Date, i64) = (Date::new(1970, 1, 1).expect("a day that exists"), 0);
        calendar::date_and_time(self).unwrap_or(START)
    }
}

/// What dates are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Days,
    Weeks,
    Months,
    Years,
}

/// The date so many units later, or earlier for a negative count; `None` outside the calendar's years.
pub fn later(date: Date, count: i64, unit: Unit) -> Option<Date> {
    match unit {
        Unit::Days => date.plus_days(count),
        Unit::Weeks => date.plus_days(count.checked_mul(7)?),
        Unit::Months => date.plus_months(count),
        Unit::Years => date.plus_months(count.checked_mul(12)?),
    }
}

/// The zone database that the host carries.
pub trait Zones {
    /// Seconds ahead of UTC in the IANA zone at that instant; `None` for an unknown zone.
    fn offset_seconds(&self, zone: &str, at: Millis) -> Option<i32>;
}

/// When a date begins in the user's zone, but for an hour on days that change the clock.
pub fn first_instant(zones: &dyn Zones, zone: &str, date: Date) -> Millis {
    let midnight = calendar::midnight(date);
    midnight.plus(-SECOND * i64::from(zones.offset_seconds(zone, midnight).unwrap_or(0)))
}

/// The date in the user's zone; an unknown zone counts as UTC.
pub fn local_date(zones: &dyn Zones, zone: &str, at: Millis) -> Date {
    at.date_at(zones.offset_seconds(zone, at).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_survives_its_text_form() {
        for millis in [0, 1_796_004_000_000, 1_796_004_000_123, -1] {
            let instant = Millis(millis);
            assert_eq!(Millis::parse_rfc3339(&instant.to_rfc3339()), Some(instant));
        }
        assert_eq!(
            Millis::parse_rfc3339("2026-11-30T11:00:00+09:00"),
            Millis::parse_rfc3339("2026-11-30T02:00:00Z")
        );
        assert_eq!(Millis::parse_rfc3339("yesterday"), None);
    }

    #[test]
    fn a_count_that_leaves_the_calendar_gives_no_date() {
        let date = Date::new(2026, 11, 30).unwrap();
        let text = |count, unit| later(date, count, unit).map(|date| date.to_string());
        assert_eq!(text(-30, Unit::Days).as_deref(), Some("2026-10-31"));
        assert_eq!(text(3, Unit::Months).as_deref(), Some("2027-02-28"));
        for unit in [Unit::Days, Unit::Weeks, Unit::Months, Unit::Years] {
            assert_eq!(later(date, i64::MAX, unit), None);
            assert_eq!(later(date, i64::from(i32::MIN), unit), None);
        }
    }

    #[test]
    fn half_past_midnight_in_tokyo_is_already_the_next_day() {
        let instant = Millis::parse_rfc3339("2026-11-29T15:30:00Z").unwrap();
        assert_eq!(instant.utc_day(), "2026-11-29");
        assert_eq!(instant.date_at(9 * 3600).to_string(), "2026-11-30");
    }
}
