//! Whether a fact's text can be derived from what the user said, word by word.
//!
//! Invariant: every word of the text has its counterpart in the user's words, in the same order, and every word of
//! theirs that the text leaves out is of a kind that changes nothing (an article, a filler, a date that the fact
//! carries as its own). Whatever the text does otherwise, it was not said. Deliberate absence: no list of distortions;
//! what can't be derived is not looked at any further.

use crate::calendar::Date;

use super::claim::normal;
use super::mentions::located;
use super::{derive_en, derive_ja, derive_order, derive_words};
use crate::text::fold::fold;
use crate::text::language::{Language, language};

/// Whether `text` follows from the statement `said`, which was made on `today`.
pub(super) fn follows(text: &str, said: &str, today: Date) -> bool {
    normal(text) == normal(said)
        || match language(said) {
            Language::En => derive_en::follows(text, said, today),
            Language::Ja => derive_ja::follows(text, said, today),
        }
}

/// Whether `text` tells the statement in other words or with fewer, and doesn't rearrange its words.
pub(super) fn retells(text: &str, said: &str, today: Date) -> bool {
    match language(said) {
        Language::En => derive_en::retells(text, said, today),
        Language::Ja => derive_ja::retells(text, said, today),
    }
}

/// "My husband Tomás", 「夫の健」: who somebody is, told in passing.
pub(super) fn names_in_passing(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => derive_order::names_in_passing(text, said),
        Language::Ja => derive_ja::names_in_passing(&fold(text), &fold(said)),
    }
}

/// A date of a text, in characters of the folded text.
pub(super) struct Dated {
    pub from: usize,
    pub to: usize,
    pub date: super::dates::Partial,
    /// It names a year or a month with its number, so that it says the same on any day.
    pub is_absolute: bool,
}

pub(super) fn dates(folded: &str, today: Date) -> Vec<Dated> {
    let found = located(folded, today);
    // What a date means on two days far apart tells whether the words hold it or the day does.
    let elsewhere = Date::new(2001, 3, 7).unwrap_or(today);
    let others = if found.is_empty() { Vec::new() } else { located(folded, elsewhere) };
    found
        .into_iter()
        .map(|(mention, range)| Dated {
            is_absolute: others.iter().any(|(other, at)| *at == range && other.date == mention.date),
            from: range.start,
            to: range.end,
            date: mention.date,
        })
        .collect()
}

/// Whether the first date says no more than the second.
pub(super) fn is_within(one: super::dates::Partial, other: super::dates::Partial) -> bool {
    one.year == other.year
        && (one.month.is_none() || one.month == other.month)
        && (one.day.is_none() || one.day == other.day)
}

/// Whether the date lies before `today` or on it.
pub(super) fn is_gone(date: super::dates::Partial, today: Date) -> bool {
    (date.year, date.month.unwrap_or(1), date.day.unwrap_or(1)) <= (today.year(), today.month(), today.day())
}

/// Whether what is said before or behind a statement, in its sentence, may bear on it: a condition, an exception, a
/// second thought.
pub(super) fn bears_on(before: &str, after: &str) -> bool {
    let side = format!("{before}{after}");
    match language(&side) {
        Language::En => derive_words::bears_on(&fold(before), &fold(after)),
        Language::Ja => derive_ja::bears_on(&fold(&side)),
    }
}

/// A statement whose verb leaves its tense to the end of the sentence, with that tense.
pub(super) fn finished(words: &str, sentence: &str) -> String {
    match language(words) {
        Language::En => words.to_owned(),
        Language::Ja => derive_ja::finished(words, sentence),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derives(text: &str, said: &str) -> bool {
        follows(text, said, Date::new(2026, 11, 30).unwrap()) || names_in_passing(text, said)
    }

    #[test]
    fn a_text_made_of_the_words_that_were_said_is_derived() {
        for (text, said) in [
            ("The user lives in Osaka", "I live in Osaka"),
            ("Lives in Osaka with two cats", "I live in Osaka with 2 cats"),
            ("The user has a cat named Momo", "my cat Momo knocked it over"),
            ("The user's husband is Tomás", "me, my husband Tomás, and the kids"),
            ("The user failed their test on 29 November 2026", "I failed my test yesterday"),
            ("The user moved to Bergen", "and I moved to Bergen last year"),
            ("The user hasn't finished Ulysses", "I haven't finished Ulysses"),
            ("The user sleeps in the den because of the noise", "Because of the noise I sleep in the den"),
            ("The user speaks Spanish", "I speak English and Spanish"),
            ("I enjoy piano.", "I enjoy painting, piano and tea."),
            ("The user wants to visit Paris", "I'd like to visit Paris"),
            ("The user's niece is obsessed with cats", "my niece and is obsessed with cats"),
            ("ユーザーは大阪に住んでいる", "大阪に住んでいます"),
            ("妹は京都に住んでいる", "妹が京都に住んでいます"),
            ("2026年10月に京都に引っ越した", "先月京都に引っ越しました"),
            ("京都に引っ越した", "先月、京都に引っ越しました"),
            ("猫を2匹飼っている", "うちは猫を二匹飼ってます"),
            ("ビールを飲まない", "ビールは飲みません"),
            ("数学を教えている", "数学を教えていて、"),
            ("夫は健", "夫の健と、長男の蓮がいます"),
            ("2015年に大学を卒業した", "大学を2015年に卒業しました"),
            ("釣りが趣味", "趣味は釣りです"),
        ] {
            assert!(derives(text, said), "{text} / {said}");
        }
    }

    #[test]
    fn a_text_that_says_more_or_something_else_is_not() {
        for (text, said) in [
            ("The user became a monk", "I nearly became a monk"),
            ("The user speaks Polish", "I barely speak Polish"),
            ("The user has diabetes", "I'm at risk of diabetes"),
            ("The user plays chess", "It's been years since I played chess"),
            ("The user never drinks coffee", "I drink coffee, never after noon"),
            ("The user started at Nokia", "I'm starting at Nokia in June"),
            ("The user moved from Kyoto to Osaka", "I moved from Osaka to Kyoto"),
            ("The user prefers coffee over tea", "I prefer tea over coffee"),
            ("The user's landlord is suing their lawyer", "My lawyer is suing my landlord"),
            ("Paul lent the user 200 euros", "I lent Paul 200 euros"),
            ("The user lives in Bath", "I work with Sara, who lives in Bath"),
            ("The user is a curator in Ghent", "I'm applying for a position as a curator in Ghent"),
            ("The user's husband is Rui", "my husband Tomás, and the kids, Inês (9), Rui (6)"),
            ("The user does parkrun most Saturdays", "I do parkrun most Saturdays unless it's raining"),
            ("The user likes meat", "I don't really like meat"),
            ("A few of the user's students are late", "Few of my students are late"),
            ("The user runs every day", "I run most days"),
            ("The user hates cats", "I adore dogs and hate cats on the sofa, not dogs"),
            ("The user is a smoker", "I was a smoker"),
            ("テスラを買った", "テスラを買うところだった"),
            ("イケアで働く", "イケアで働くはずだった"),
            ("カウンセラーに日記を勧めた", "カウンセラーに日記を勧められて"),
            ("犬を噛んだ", "犬に噛まれた"),
            ("大家が弁護士を訴えている", "弁護士が大家を訴えています"),
            ("京都から大阪に引っ越した", "大阪から京都に引っ越しました"),
            ("猫が1匹と犬が2匹いる", "猫が2匹と犬が1匹います"),
            ("娘は犬を飼っている", "娘の先生は犬を飼っています"),
            ("夫は蓮", "夫の健と、長男の蓮がいます"),
            ("弟は隼人", "玲奈が弟の隼人を紹介してくれました"),
            ("夫は健", "夫の健康が心配です"),
            ("英語を話せる", "同僚がみんな英語を話せるわけではありません"),
            ("電車は6時15分に出る", "電車は6時15分前に出ます"),
            ("日本酒を飲まない", "日本酒しか飲みません"),
        ] {
            assert!(!derives(text, said), "{text} / {said}");
        }
    }
}
