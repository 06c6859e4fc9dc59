//! Whether a fact's text says only what the user's words say.
//!
//! Invariant: every number, name and content word of the text is found in what was said, in the same spelling
//! after folding or as one of the few rewordings of `vocabulary`. What can't be found was invented.

use crate::calendar::Date;
use crate::sorted::SortedSet;

use super::cover_ja::uncovered_japanese;
use super::derive::names_in_passing;
use super::mentions::mentions;
use super::numbers::{number_at, word_value};
use super::stance::{Turn, turned};
use super::vocabulary::{FREE_EN, GROUPS_EN, WIDER_EN};
use crate::text::fold::fold;
use crate::text::language::{Language, is_han, language};
use crate::text::phrase::has_any;
use crate::words;

/// What a fact's text has that the user's words don't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    Number(String),
    Word(String),
    Turned(Turn),
    /// The statement is about somebody whom the text leaves out.
    Subject(String),
    /// The text leaves out words of the statement that matter, or says it in others.
    Retold,
    /// The text puts the statement's words into another order or another part.
    Rearranged,
}

/// The first gap between `text` and `said`. `today` is the user's date when it was said: a date that the words
/// state relatively ("last month") may stand in the text as it resolves.
pub fn gap(text: &str, said: &str, today: Date) -> Option<Gap> {
    if let Some(number) = uncovered_number(text, said, today) {
        return Some(Gap::Number(number));
    }
    let word = match language(text) {
        Language::En => uncovered_english(text, said, today),
        Language::Ja => uncovered_japanese(text, said),
    };
    if let Some(word) = word {
        return Some(Gap::Word(word));
    }
    if let Some(number) = another_day(text, said) {
        return Some(Gap::Number(number));
    }
    let turn = turned(text, said);
    if names_in_passing(text, said) {
        // Whoever was buried isn't had any more, whatever else is denied of them.
        return turn.filter(|turn| *turn == Turn::Tense).map(Gap::Turned);
    }
    if let Some(turn) = turn {
        return Some(Gap::Turned(turn));
    }
    super::subject::dropped(text, said).map(Gap::Subject)
}

/// Whether one of the two English stems may stand for the other.
pub(super) fn related(one: &str, other: &str) -> bool {
    GROUPS_EN.iter().any(|group| group.contains(one) && group.contains(other))
        || WIDER_EN.iter().any(|(wide, narrow)| *wide == other && narrow.contains(one))
}

/// Numbers of a text with the letter or word that follows each, so that "2 cats" is not "2 dogs".
fn numbers_of(text: &str) -> Vec<(i64, String)> {
    let letters: Vec<char> = fold(text).replace(',', "").chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = letters.get(at..).filter(|rest| !rest.is_empty()) {
        let latin_before = at > 0 && letters.get(at - 1).is_some_and(char::is_ascii_alphanumeric);
        if let Some((number, length)) = number_at(rest) {
            found.push((number, unit(rest.get(length..).unwrap_or_default())));
            at += length;
        } else if !latin_before && rest.first().is_some_and(char::is_ascii_alphabetic) {
            let word: String = rest.iter().take_while(|c| c.is_ascii_alphabetic()).collect();
            if let Some(number) = word_value(&word).filter(|&number| number >= 1) {
                found.push((number, unit(rest.get(word.len()..).unwrap_or_default())));
            }
            at += word.len().max(1);
        } else {
            at += 1;
        }
    }
    found
}

fn unit(after: &[char]) -> String {
    let after: Vec<char> = after.iter().copied().skip_while(|c| *c == ' ' || *c == '-').collect();
    let Some(&first) = after.first() else { return String::new() };
    if first.is_ascii_alphabetic() {
        let word: String = after.iter().take_while(|c| c.is_ascii_alphabetic()).collect();
        return stem(&word);
    }
    if first.is_alphanumeric() { first.to_string() } else { String::new() }
}

fn uncovered_number(text: &str, said: &str, today: Date) -> Option<String> {
    let told = numbers_of(said);
    let dates = mentions(said, today);
    let is_dated = |number: i64, unit: &str| {
        dates.iter().map(|mention| mention.date).any(|date| {
            let (year, month, day) =
                (i64::from(date.year), date.month.map(i64::from), date.day.map(i64::from));
            match unit {
                "年" => year == number,
                "月" => month == Some(number),
                "日" => day == Some(number),
                _ => year == number || month == Some(number) || day == Some(number),
            }
        })
    };
    // Kanji numerals are also parts of words (一緒, 十分, 三重): the same letters in what was said cover those.
    numbers_of(text).into_iter().find_map(|(number, unit)| {
        if is_dated(number, &unit) {
            return None;
        }
        let same: Vec<&(i64, String)> = told.iter().filter(|(value, _)| *value == number).collect();
        // "One" is a pronoun as often as a number.
        if same.is_empty() && number == 1 && !fold(text).contains('1') {
            return None;
        }
        if same.is_empty() {
            let is_digits = fold(text).contains(&number.to_string());
            return (is_digits || number >= 10 || !unit_is_wordlike(&unit)).then(|| number.to_string());
        }
        // The unit belongs to another number of what was said: the two were swapped.
        let swapped = !unit.is_empty()
            && same.iter().all(|(_, own)| !own.is_empty() && *own != unit)
            && told.iter().any(|(value, own)| *value != number && *own == unit);
        swapped.then(|| number.to_string())
    })
}

/// 一緒, 一番, 三重: what follows makes a word and counts nothing. Counters stand apart.
fn unit_is_wordlike(unit: &str) -> bool {
    const COUNTERS: &str =
        "年月日歳才時分秒人匹頭羽個枚本杯冊台軒階回度円万千百歩泊週度名社件点位倍番号ヶかカヵ";
    unit.chars().next().is_some_and(|c| is_han(c) && !COUNTERS.contains(c))
}

/// A time that was said of another weekday: "Thursday at 10" of "from Tuesday 10 to Thursday 2".
fn another_day(text: &str, said: &str) -> Option<String> {
    let (told, stated) = (timed_days(text), timed_days(said));
    told.iter()
        .find(|(day, time)| {
            stated.iter().any(|(own, _)| own == day) && !stated.iter().any(|stated| stated == &(*day, *time))
        })
        .map(|(_, time)| time.to_string())
}

/// Weekdays, each with the first number behind it and before the next one.
fn timed_days(text: &str) -> Vec<(usize, i64)> {
    const DAYS: [(&str, &str); 7] = [
        ("monday", "月曜"),
        ("tuesday", "火曜"),
        ("wednesday", "水曜"),
        ("thursday", "木曜"),
        ("friday", "金曜"),
        ("saturday", "土曜"),
        ("sunday", "日曜"),
    ];
    let folded = fold(text);
    let mut places: Vec<(usize, usize, usize)> = Vec::new();
    for (number, names) in DAYS.iter().enumerate() {
        for name in [names.0, names.1] {
            places.extend(folded.match_indices(name).map(|(at, _)| (at, at + name.len(), number)));
        }
    }
    places.sort_unstable();
    places
        .iter()
        .enumerate()
        .filter_map(|(at, (_, end, day))| {
            let until = places.get(at + 1).map_or(folded.len(), |next| next.0);
            let between: Vec<char> = folded.get(*end..until)?.chars().collect();
            let number = (0..between.len().min(8)).find_map(|from| number_at(between.get(from..)?))?;
            Some((*day, number.0))
        })
        .collect()
}

fn uncovered_english(text: &str, said: &str, today: Date) -> Option<String> {
    let told: SortedSet<String> = english_words(said).iter().map(|word| stem(word)).collect();
    let spelled: SortedSet<String> = english_words(said).into_iter().collect();
    let folded_said = fold(said);
    let dates = date_words(said, today);
    // "she/her" is one word, and so is "and/or".
    if let Some(pair) = fold(text).split(' ').find(|word| word.contains('/') && !folded_said.contains(*word))
    {
        return Some(pair.to_owned());
    }
    english_words(text).into_iter().find(|word| {
        if FREE_EN.contains(word.as_str())
            || spelled.contains(word)
            || word.bytes().all(|b| b.is_ascii_digit())
        {
            return false;
        }
        let own = stem(word);
        let vouched = told.iter().any(|told| related(told, &own));
        let vouched = vouched
            || own == "nam" && introduces(text, said)
            || own == "want"
                && has_any(&folded_said, words!["would like", "would love", "i'd like", "i'd love"])
            || own == "plan" && mentions(said, today).iter().any(|mention| is_ahead(mention.date, today));
        let numeral = word_value(word).is_some();
        let within = !word.is_ascii() && folded_said.contains(word.as_str());
        !(told.contains(&own) || vouched || numeral || within || dates.contains(word))
    })
}

/// "I'm Emily" says that the name is Emily.
fn introduces(text: &str, said: &str) -> bool {
    let Some((owner, name)) = text.split_once(" is ") else { return false };
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_own = words!["name", "the user's name", "user's name", "my name"].contains(fold(owner).as_str());
    let said = said.replace('’', "'");
    is_own
        && name.starts_with(char::is_uppercase)
        && words!["I'm ", "I am ", "i'm ", "i am ", "This is ", "this is "].iter().any(|opening| {
            said.match_indices(opening).any(|(at, _)| {
                said.get(at + opening.len()..)
                    .and_then(|rest| rest.strip_prefix(name))
                    .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            })
        })
}

/// A date to come makes what is said of it a plan: "I'm flying to Kyoto next month".
fn is_ahead(date: super::dates::Partial, today: Date) -> bool {
    (date.year, date.month.unwrap_or(1), date.day.unwrap_or(1)) > (today.year(), today.month(), today.day())
}

/// Month names that a relative date of what was said resolves to.
fn date_words(said: &str, today: Date) -> SortedSet<String> {
    #[rustfmt::skip]
    const MONTHS: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ];
    mentions(said, today)
        .iter()
        .filter_map(|mention| mention.date.month)
        .filter_map(|month| MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?))
        .map(|name| (*name).to_owned())
        .collect()
}

/// Lower-cased words; an apostrophe stays inside its word and `'s` goes.
fn english_words(text: &str) -> Vec<String> {
    fold(text)
        .replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\'').trim_end_matches("'s").to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// A word without its inflection: enough that "works", "worked" and "working" are one.
pub(super) fn stem(word: &str) -> String {
    let undoubled = |base: &str| {
        let mut letters = base.chars().rev();
        match (letters.next(), letters.next()) {
            (Some(last), Some(before)) if last == before && !matches!(last, 'l' | 's' | 'e' | 'o' | 'z') => {
                base.get(..base.len() - last.len_utf8()).unwrap_or(base).to_owned()
            }
            _ => base.to_owned(),
        }
    };
    let base = if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() >= 2) {
        format!("{base}y")
    } else if let Some(base) = word.strip_suffix("ing").filter(|base| base.len() >= 3) {
        undoubled(base)
    } else if let Some(base) = word.strip_suffix("ed").filter(|base| base.len() >= 3) {
        undoubled(base)
    } else if let Some(base) = word.strip_suffix("es").filter(|base| base.len() >= 4) {
        base.to_owned()
    } else if let Some(base) = word.strip_suffix('s').filter(|base| base.len() >= 3 && !base.ends_with('s')) {
        base.to_owned()
    } else if let Some(base) = word.strip_suffix("ly").filter(|base| base.len() >= 4) {
        base.to_owned()
    } else {
        word.to_owned()
    };
    let base = base.strip_suffix('e').filter(|base| base.len() >= 2).unwrap_or(&base);
    match base.strip_suffix('y') {
        Some(stem) if stem.len() >= 2 => format!("{stem}i"),
        _ => base.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, said: &str) -> Option<Gap> {
        gap(text, said, Date::new(2026, 11, 30).unwrap())
    }

    #[test]
    fn a_faithful_rewording_has_no_gap() {
        for (text, said) in [
            ("The user lives in Osaka", "I moved to Osaka"),
            ("Lives in Osaka with two cats", "I live in Osaka with 2 cats"),
            ("The user's dog is named Rex", "my dog is called Rex"),
            ("The user likes green tea", "I love green tea"),
            ("The user moved to Kyoto in October 2026", "I moved to Kyoto last month"),
            ("The user is allergic to peanuts", "I'm allergic to peanuts"),
            ("The user's sister lives in Nara", "my sister lives in Nara"),
            ("大阪に住んでいる", "大阪に引っ越しました"),
            ("ユーザーは猫が好き", "ねこがすきです"),
            ("猫を二匹飼っている", "猫を2匹飼ってます"),
            ("犬の名前はポチ", "うちの犬はポチといいます"),
            ("ユーザーは弁護士として働いている", "弁護士をしています"),
            ("卵アレルギーがある", "卵アレルギーです"),
            ("先月京都に引っ越した(2026年10月)", "先月、京都に引っ越しました"),
            ("妹は東京に住んでいる", "妹が東京に住んでいます"),
            ("毎朝コーヒーを飲む", "毎朝コーヒーを飲みます"),
        ] {
            assert_eq!(found(text, said), None, "{text} / {said}");
        }
    }

    #[test]
    fn what_was_not_said_is_found() {
        for (text, said) in [
            ("The user lives in Kyoto", "I live in Osaka"),
            ("The user has 3 cats", "I have 2 cats"),
            ("The user has 3 cats and 2 dogs", "I have 2 cats and 3 dogs"),
            ("The user runs 5 miles", "I run 5 km"),
            ("The user loves cats and dogs", "I love cats"),
            ("The user lives in Osaka", "my sister lives in Osaka"),
            ("The user is asking about Osaka", "I live in Osaka"),
            ("The user is 36 years old", "I am 35 years old"),
            ("オーストラリアの首都はシカゴです", "オーストラリアの首都が好きです"),
            ("東京に住んでいる", "大阪に住んでいる"),
            ("中田さんが上司だ", "田中さんが上司だ"),
            ("猫を三匹飼っている", "猫を二匹飼っている"),
            ("犬の名前はさくらです", "犬の名前はポチです"),
            ("東京に住んでいる", "妹が東京に住んでいる"),
            ("年収は700万円", "年収は600万円です"),
        ] {
            assert!(found(text, said).is_some(), "{text} / {said}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_a_text_covers_itself(text in "[a-z 0-9猫犬のがさくらーァ三十,]{0,24}") {
            let _ = found(&text, "猫が三匹 and a dog");
            if language(&text) == Language::Ja {
                prop_assert_eq!(uncovered_japanese(&text, &text), None);
            }
        }
    }
}
