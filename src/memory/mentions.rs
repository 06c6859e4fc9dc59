//! Finds the dates that a text mentions, absolute and relative, in English and Japanese.
//!
//! Invariant: a mention is never more precise than its words: "in 2015" is a year, 今年の夏 is a year, a week that
//! spans two months is only their year. A month or day without any hint of its year gives nothing.

use std::ops::Range;

use crate::calendar::Date;

use super::dates::Partial;
use super::mentions_ja::relative_ja;
use super::numbers::number_at;
use super::{mentions_en, numbers};
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::time::{Unit, later};
use crate::words;

/// Whether a date begins or ends what is said, by the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Start,
    End,
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    pub date: Partial,
    pub place: Place,
}

/// All dates of the text, in order. `today` is the user's local date when it was said.
pub fn mentions(text: &str, today: Date) -> Vec<Mention> {
    located(&fold(text), today).into_iter().map(|(mention, _)| mention).collect()
}

/// The same of a folded text, each with the characters that say it.
pub(super) fn located(folded: &str, today: Date) -> Vec<(Mention, Range<usize>)> {
    let letters: Vec<char> = folded.chars().collect();
    let tense = Tense::of(folded);
    let mut found: Vec<(Mention, Range<usize>)> = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let rest = letters.get(at..).unwrap_or_default();
        let before = letters.get(..at).unwrap_or_default();
        let inside_number = before.last().is_some_and(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
            && rest.first().is_some_and(char::is_ascii_digit);
        // Of letters without accents only English dates are made, and of blanks and marks none.
        let is_plain = rest.first().is_some_and(|c| c.is_ascii() && !c.is_ascii_digit());
        let hit = if inside_number {
            None
        } else if is_plain {
            mentions_en::at(rest, before, today, tense)
        } else {
            numeric(rest, today, tense)
                .or_else(|| relative_ja(rest, before, today, tense))
                .or_else(|| mentions_en::at(rest, before, today, tense))
        };
        match hit {
            Some((date, length)) if length > 0 => {
                let after = letters.get(at + length..).unwrap_or_default();
                let place = place(before, after, !found.is_empty());
                found.push((Mention { date, place }, at..at + length));
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

/// What has a day of its own.
#[rustfmt::skip]
const APPOINTMENTS: Words = words![
    "interview", "exam", "appointment", "flight", "wedding", "surgery", "deadline", "marathon", "race", "concert", "recital",
    "competition", "trip", "meeting", "party", "dentist", "checkup", "check-up", "haircut", "rehearsal", "歯医者", "病院",
    "面接", "試験", "予約", "会議", "打ち合わせ", "手術", "検査", "健診", "健康診断", "運動会", "結婚式", "発表会", "締め切り", "締切",
    "美容院", "デート", "飲み会", "フライト", "面談", "診察", "授業参観",
];

/// Whether the text tells of the past or of the future: it chooses the year of a bare month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    Past,
    Future,
    Unknown,
}

impl Tense {
    #[rustfmt::skip]
    fn of(folded: &str) -> Self {
        use crate::text::phrase::has_any;
        let is_announced = has_any(
            folded,
            words![
                "will", "going to", "i'll", "we'll", "plan to", "planning", "next", "upcoming", "予定",
                "つもり", "する予定", "これから", "来", "があります", "がある",
            ],
        );
        let owned = folded.replace("i've got", " ").replace("have got", " ");
        let past = has_any(
            &owned,
            words![
                "was", "were", "went", "did", "moved", "started", "began", "had", "joined", "got", "bought", "broke", "saw", "met",
                "ました", "した", "った", "いた", "だった",
            ],
        );
        // 「木曜の3時に歯医者」, "dentist on Thursday": an appointment of which nothing says that it was.
        let future = is_announced || !past && has_any(folded, APPOINTMENTS);
        match (past, future) {
            (true, false) => Self::Past,
            (false, true) => Self::Future,
            _ => Self::Unknown,
        }
    }

    /// The day of a weekday that was said without its week.
    pub(super) fn weekday(self, weekday: i64, today: Date) -> Option<Partial> {
        let ahead = (weekday - today.days_after_monday() - 1).rem_euclid(7) + 1;
        let days = match self {
            Self::Future => ahead,
            Self::Past if ahead == 7 => -7,
            Self::Past => ahead - 7,
            Self::Unknown => return None,
        };
        later(today, days, Unit::Days).map(Partial::day)
    }

    /// The year of a month and day that were said without one.
    pub(super) fn year_of(self, month: i8, day: Option<i8>, today: Date) -> Option<i16> {
        let this_year = (month, day.unwrap_or(1));
        let now = (today.month(), if day.is_some() { today.day() } else { 1 });
        match self {
            Self::Past => Some(if this_year <= now { today.year() } else { today.year() - 1 }),
            Self::Future => Some(if this_year >= now { today.year() } else { today.year() + 1 }),
            Self::Unknown => None,
        }
    }
}

pub(super) type Hit = Option<(Partial, usize)>;

pub(super) fn valid(year: i64, month: Option<i64>, day: Option<i64>) -> Option<Partial> {
    let year = i16::try_from(year).ok().filter(|year| (1868..=2199).contains(year))?;
    let month = month.map(i8::try_from).transpose().ok()?;
    let day = day.map(i8::try_from).transpose().ok()?;
    Date::new(year, month.unwrap_or(1), day.unwrap_or(1))?;
    Some(Partial { year, month, day })
}

pub(super) fn starts(rest: &[char], word: &str) -> Option<usize> {
    let mut length = 0;
    for c in word.chars() {
        if rest.get(length) != Some(&c) {
            return None;
        }
        length += 1;
    }
    Some(length)
}

const ERAS: &[(&str, i64)] =
    &[("令和", 2018), ("平成", 1988), ("昭和", 1925), ("大正", 1911), ("明治", 1867)];

/// `令和8年4月1日`, `2026年4月`, `2026-04-01`, `4月1日`.
fn numeric(rest: &[char], today: Date, tense: Tense) -> Hit {
    for (era, base) in ERAS {
        if let Some(mut used) = starts(rest, era) {
            let (count, length) =
                if rest.get(used) == Some(&'元') { (1, 1) } else { number_at(rest.get(used..)?)? };
            used += length + starts(rest.get(used + length..)?, "年")?;
            return month_and_day_ja(rest, used, base + count);
        }
    }
    let (number, length) = number_at(rest)?;
    let tail = rest.get(length..)?;
    if length == 4 && tail.first() == Some(&'年') && !matches!(tail.get(1), Some('間' | '前' | '後')) {
        return month_and_day_ja(rest, length + 1, number);
    }
    if length == 4
        && matches!(tail.first(), Some('-' | '/' | '.'))
        && rest.first().is_some_and(char::is_ascii_digit)
    {
        let mark = tail.first()?;
        if let Some((month, month_length)) = number_at(tail.get(1..)?).filter(|&(_, length)| length <= 2) {
            let after = tail.get(1 + month_length..)?;
            let day = (after.first() == Some(mark)).then(|| number_at(after.get(1..)?)).flatten();
            if let Some((day, day_length)) = day.filter(|&(_, length)| length <= 2) {
                return valid(number, Some(month), Some(day))
                    .map(|date| (date, length + 2 + month_length + day_length));
            }
            if month_length == 2 && *mark != '.' {
                return valid(number, Some(month), None).map(|date| (date, length + 1 + month_length));
            }
        }
    }
    if tail.first() == Some(&'月') && (1..=12).contains(&number) {
        let month = i8::try_from(number).ok()?;
        let day = tail.get(1..).and_then(number_at).filter(|&(_, n)| tail.get(1 + n) == Some(&'日'));
        let year = tense.year_of(month, day.and_then(|(day, _)| i8::try_from(day).ok()), today)?;
        let used = length + 1 + day.map_or(0, |(_, n)| n + 1);
        return valid(i64::from(year), Some(number), day.map(|(day, _)| day)).map(|date| (date, used));
    }
    None
}

/// What may follow a year: `4月`, `の4月1日`.
pub(super) fn month_and_day_ja(rest: &[char], used: usize, year: i64) -> Hit {
    let mut end = used;
    let tail = rest.get(used..).unwrap_or_default();
    let skip = usize::from(tail.first() == Some(&'の'));
    let mut month = None;
    let mut day = None;
    if let Some((number, length)) = tail.get(skip..).and_then(number_at)
        && tail.get(skip + length) == Some(&'月')
    {
        month = Some(number);
        end = used + skip + length + 1;
        if let Some((number, length)) = rest.get(end..).and_then(number_at)
            && rest.get(end + length) == Some(&'日')
        {
            day = Some(number);
            end += length + 1;
        }
    }
    valid(year, month, day).or_else(|| valid(year, None, None)).map(|date| (date, end))
}

/// A distance in days is a day; in weeks and months it is a month, in years a year.
pub(super) fn shifted(today: Date, count: i64, unit: char) -> Option<Partial> {
    let date = later(
        today,
        count,
        match unit {
            'd' => Unit::Days,
            'w' => Unit::Weeks,
            'm' => Unit::Months,
            _ => Unit::Years,
        },
    )?;
    Some(match unit {
        'd' => Partial::day(date),
        'w' | 'm' => Partial::month(date.year(), date.month()),
        _ => Partial::year(date.year()),
    })
}

pub(super) fn monday_of(today: Date) -> Date {
    let back = today.days_after_monday();
    later(today, -back, Unit::Days).unwrap_or(today)
}

pub(super) fn without_day(date: Partial) -> Partial {
    Partial { day: None, ..date }
}

fn place(before: &[char], after: &[char], is_second: bool) -> Place {
    let tail: String = after.iter().take(8).collect();
    let tail = tail.trim_start();
    let head: String = before.iter().skip(before.len().saturating_sub(14)).collect();
    let head = head.trim_end();
    let ends = |words: Words| crate::text::phrase::ends_any(head, words);
    if tail.starts_with("まで") || ends(words!["until", "till", "through", "up to"]) {
        return Place::End;
    }
    if is_second
        && (ends(words!["to", "and", "-", "–", "~", "〜", "から", "、"])
            || head.ends_with(['-', '–', '~', '〜']))
    {
        let opened = ends(words!["and"]);
        return if opened && !numbers::contains(before, "between") { Place::Plain } else { Place::End };
    }
    let opens = tail.starts_with("から")
        || tail.starts_with("以来")
        || tail.starts_with("以降")
        || tail.starts_with("より");
    let dashed = tail.starts_with(['-', '–', '~', '〜'])
        && tail.chars().skip(1).find(|c| !c.is_whitespace()).is_some_and(|c| c.is_ascii_digit());
    if opens
        || dashed
        || ends(words!["since", "from", "starting", "starting in", "starting on", "between", "as of"])
    {
        return Place::Start;
    }
    Place::Plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dates(text: &str) -> Vec<String> {
        mentions(text, Date::new(2026, 11, 30).unwrap())
            .iter()
            .map(|mention| mention.date.to_string())
            .collect()
    }

    #[test]
    fn japanese_dates_are_as_precise_as_their_words() {
        for (text, want) in [
            ("昨日映画を見た", "2026-11-29"),
            ("一昨日", "2026-11-28"),
            ("明後日", "2026-12-02"),
            ("先週の金曜に", "2026-11-27"),
            ("再来週の水曜日", "2026-12-16"),
            ("来月", "2026-12"),
            ("来月の10日", "2026-12-10"),
            ("今年の夏", "2026"),
            ("去年の４月", "2025-04"),
            ("令和8年", "2026"),
            ("令和元年五月一日", "2019-05-01"),
            ("平成30年", "2018"),
            ("昭和六十三年", "1988"),
            ("2026年4月", "2026-04"),
            ("2026年4月1日", "2026-04-01"),
            ("三日前", "2026-11-27"),
            ("5年前", "2021"),
            ("２ヶ月前", "2026-09"),
            ("4月1日に引っ越しました", "2026-04-01"),
            ("12月5日に行きました", "2025-12-05"),
            ("1月15日に行く予定", "2027-01-15"),
            ("木曜の3時に歯医者", "2026-12-03"),
            ("土曜は子どもの運動会", "2026-12-05"),
            ("金曜日に映画を見ました", "2026-11-27"),
        ] {
            assert_eq!(dates(text), [want], "{text}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn what_is_no_date_gives_none() {
        for text in [
            "4月1日", "3年間", "12345年", "10時", "月曜日", "2月30日に行きました", "May", "I may go", "1.2026",
            "一日三回", "木曜は休み", "毎週木曜に歯医者",
        ] {
            assert_eq!(dates(text), Vec::<String>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9年月日前後の令和元昭一十先来週金曜.\\-/ a-z]{0,30}") {
            let _ = dates(&text);
        }
    }
}
