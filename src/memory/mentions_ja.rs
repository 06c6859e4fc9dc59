//! Relative Japanese dates: 昨日, 来週の金曜日, 三日前, 再来月.

use crate::calendar::Date;

use super::dates::Partial;
use super::mentions::{Hit, Tense, monday_of, month_and_day_ja, shifted, starts, valid, without_day};
use super::numbers::number_at;
use crate::time::{Unit, later};

#[rustfmt::skip]
const DAYS: &[(&str, i32)] = &[
    ("一昨日", -2), ("おととい", -2), ("昨日", -1), ("きのう", -1), ("今日", 0), ("本日", 0), ("明後日", 2),
    ("あさって", 2), ("明日", 1), ("あした", 1), ("昨夜", -1), ("昨晩", -1), ("今朝", 0), ("今夜", 0),
    ("今晩", 0),
];

const WEEKS: &[(&str, i32)] = &[("先々週", -2), ("先週", -1), ("今週", 0), ("再来週", 2), ("来週", 1)];

const MONTHS: &[(&str, i32)] = &[("先々月", -2), ("先月", -1), ("今月", 0), ("再来月", 2), ("来月", 1)];

#[rustfmt::skip]
const YEARS: &[(&str, i64)] = &[
    ("一昨年", -2), ("おととし", -2), ("去年", -1), ("昨年", -1), ("今年", 0), ("本年", 0), ("再来年", 2),
    ("来年", 1),
];

#[rustfmt::skip]
const WEEKDAYS: &[(char, i64)] = &[
    ('月', 0), ('火', 1), ('水', 2), ('木', 3),
    ('金', 4), ('土', 5), ('日', 6),
];

pub(super) fn relative_ja(rest: &[char], before: &[char], today: Date, tense: Tense) -> Hit {
    if let Some((used, days)) = lookup(rest, DAYS) {
        return Some((Partial::day(later(today, days.into(), Unit::Days)?), used));
    }
    if let Some((used, weeks)) = lookup(rest, WEEKS) {
        let monday = later(monday_of(today), i64::from(7 * weeks), Unit::Days)?;
        let tail = rest.get(used..).unwrap_or_default();
        let skip = usize::from(tail.first() == Some(&'の'));
        let weekday = tail.get(skip).and_then(|c| WEEKDAYS.iter().find(|(name, _)| name == c));
        if let (Some((_, weekday)), Some('曜' | 'に' | 'の' | 'は')) = (weekday, tail.get(skip + 1).copied())
        {
            let date = later(monday, *weekday, Unit::Days)?;
            return Some((Partial::day(date), used + skip + 2));
        }
        let sunday = later(monday, 6, Unit::Days)?;
        return Some((Partial::day(monday).common(Partial::day(sunday))?, used))
            .map(|(date, used)| (without_day(date), used));
    }
    if let Some((used, months)) = lookup(rest, MONTHS) {
        let month = later(today.first_of_month(), months.into(), Unit::Months)?;
        let tail = rest.get(used..).unwrap_or_default();
        let skip = usize::from(tail.first() == Some(&'の'));
        if let Some((day, length)) = tail.get(skip..).and_then(number_at)
            && tail.get(skip + length) == Some(&'日')
            && !matches!(tail.get(skip + length + 1), Some('間' | '前' | '後'))
        {
            return valid(i64::from(month.year()), Some(i64::from(month.month())), Some(day))
                .map(|date| (date, used + skip + length + 1));
        }
        return Some((Partial::month(month.year(), month.month()), used));
    }
    for (word, years) in YEARS {
        if let Some(used) = starts(rest, word) {
            return month_and_day_ja(rest, used, i64::from(today.year()) + years);
        }
    }
    bare_weekday(rest, before, today, tense).or_else(|| ago_ja(rest, today))
}

/// 「木曜」, 「金曜日」 without its week, but not 「毎週木曜」 nor 「第2木曜」.
fn bare_weekday(rest: &[char], before: &[char], today: Date, tense: Tense) -> Hit {
    let weekday = WEEKDAYS.iter().find(|(name, _)| rest.first() == Some(name))?.1;
    let used = 2 + usize::from(rest.get(2) == Some(&'日'));
    let is_day = rest.get(1) == Some(&'曜') && !matches!(rest.get(used), Some('ご' | '以'));
    let is_bare = !before.last().is_some_and(|c| {
        matches!(c, '毎' | '週' | '第' | '隔' | '・' | 'と' | '二' | '三') || c.is_numeric()
    });
    tense.weekday(weekday, today).filter(|_| is_day && is_bare).map(|date| (date, used))
}

/// `三日前`, `2ヶ月前`, `5年前`, `3日後`.
fn ago_ja(rest: &[char], today: Date) -> Hit {
    let (count, length) = number_at(rest).filter(|&(count, _)| count <= 1000)?;
    let tail = rest.get(length..)?;
    let units = [
        ("日", 'd'),
        ("週間", 'w'),
        ("ヶ月", 'm'),
        ("か月", 'm'),
        ("カ月", 'm'),
        ("ヵ月", 'm'),
        ("ケ月", 'm'),
        ("箇月", 'm'),
        ("年", 'y'),
    ];
    let (unit_length, unit) = units.iter().find_map(|(word, unit)| Some((starts(tail, word)?, *unit)))?;
    let sign = match tail.get(unit_length) {
        Some('前') => -1,
        Some('後') => 1,
        _ => return None,
    };
    shifted(today, sign * count, unit).map(|date| (date, length + unit_length + 1))
}

fn lookup(rest: &[char], table: &[(&str, i32)]) -> Option<(usize, i32)> {
    table.iter().find_map(|(word, value)| Some((starts(rest, word)?, *value)))
}
