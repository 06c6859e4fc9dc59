//! Whom a statement is about: what is said of somebody else may not be told of the user.

use super::vocabulary::GROUPS_JA;
use crate::text::fold::fold;
use crate::text::language::{Language, is_kana, language};
use crate::text::list::Words;
use crate::text::phrase::{has, has_any};
use crate::words;

/// People around a user, in English. Each names its spellings.
#[rustfmt::skip]
const PEOPLE_EN: &[Words] = &[
    words!["sister", "sisters"], words!["brother", "brothers"], words!["mother", "mom", "mum"], words!["father", "dad"],
    words!["parents"], words!["wife", "spouse", "partner"], words!["husband", "spouse", "partner"], words!["son", "sons"],
    words!["daughter", "daughters"], words!["child", "children", "kid", "kids"], words!["friend", "friends"], words!["best friend"],
    words!["boss", "manager"], words!["colleague", "colleagues", "coworker", "co-worker"], words!["girlfriend", "partner"],
    words!["boyfriend", "partner"], words!["aunt"], words!["uncle"], words!["cousin", "cousins"], words!["grandmother", "grandma"],
    words!["grandfather", "grandpa"], words!["neighbor", "neighbour"], words!["roommate", "flatmate"], words!["teacher"],
    words!["doctor"], words!["dog"], words!["cat"], words!["pet"], words!["niece"], words!["nephew"], words!["fiancé", "fiance", "fiancee"],
    words!["mother-in-law"], words!["ex"], words!["company"], words!["team"], words!["partner"],
];

#[rustfmt::skip]
const PEOPLE_JA: Words = words![
    "妹", "姉", "兄", "弟", "母", "父", "両親", "妻", "嫁", "夫", "旦那", "主人", "息子", "娘", "子供",
    "子ども", "友達", "友人", "親友", "上司", "同僚", "部下", "先輩", "後輩", "彼女", "彼氏", "恋人", "叔母",
    "叔父", "伯母", "伯父", "おば", "おじ", "いとこ", "祖母", "祖父", "おばあちゃん", "おじいちゃん", "隣人",
    "先生", "医者", "社長", "部長", "課長", "犬", "猫", "ペット", "姪", "甥", "孫", "義母", "義父", "元カレ",
    "元カノ", "親", "ママ", "パパ", "お母さん", "お父さん", "お姉ちゃん", "お兄ちゃん", "ルームメイト",
    "婚約者", "奥さん", "彼",
];

/// The one whom `said` is about and `text` leaves out; `None` if the two are about the same.
pub(super) fn dropped(text: &str, said: &str) -> Option<String> {
    let (folded_text, folded_said) = (fold(text), fold(said));
    match language(said) {
        Language::En => dropped_en(&folded_text, &folded_said, said),
        Language::Ja => dropped_ja(&folded_text, &folded_said),
    }
}

fn dropped_en(text: &str, folded: &str, said: &str) -> Option<String> {
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let skip = words
        .iter()
        .take_while(|word| {
            words!["and", "but", "so", "also", "well", "because", "oh", "yes", "actually", "by", "the", "way"]
                .contains(word)
        })
        .count();
    let word = |at: usize| words.get(skip + at).copied().unwrap_or_default();
    if words!["my", "our", "the"].contains(word(0)) {
        // The head noun stands before the verb; "my dog's name" is about the dog too.
        let head: Vec<&str> =
            words.iter().skip(skip + 1).take(3).copied().map(|word| word.trim_end_matches("'s")).collect();
        let verb = head
            .iter()
            .position(|word| {
                words!["is", "was", "has", "and", "are", "lives", "works", "likes", "loves", "in"]
                    .contains(word)
            })
            .unwrap_or(head.len());
        for word in head.iter().take(verb) {
            if let Some(group) = PEOPLE_EN.iter().find(|group| group.contains(word)) {
                // "Daughter's birthday" names her as well as "a daughter" does.
                let bare = text.replace('’', "'").replace("'s", "");
                return (!has_any(&bare, *group)).then(|| (*word).to_owned());
            }
        }
        return None;
    }
    if words!["he", "she", "they", "his", "her", "their"].contains(word(0)) {
        // Who is meant stands in another sentence; a fact that names nobody but the user misses them.
        return says_user(text).then(|| word(0).to_owned());
    }
    let third_person = |verb: &str| {
        verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss")
            || words!["is", "was", "has", "does"].contains(verb)
    };
    let first = said.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).nth(skip)?;
    let is_name = first.chars().next().is_some_and(char::is_uppercase)
        && !words![
            "i",
            "it",
            "that",
            "this",
            "there",
            "what",
            "everything",
            "nothing",
            "english",
            "japanese"
        ]
        .contains(word(0));
    (is_name && third_person(word(1)) && !has(text, word(0))).then(|| first.to_owned())
}

fn says_user(text: &str) -> bool {
    has_any(text, words!["user", "i", "i'm", "i've"])
}

/// A person or animal before は, が, も or の at the beginning, perhaps behind うちの or 私の.
#[rustfmt::skip]
fn dropped_ja(text: &str, said: &str) -> Option<String> {
    let mut head = said.trim_start_matches(|c: char| !c.is_alphanumeric());
    for opening in
        words!["ちなみに", "実は", "あと、", "あと", "それと", "そして", "でも", "今は", "昔、", "以前、"]
    {
        head = head.strip_prefix(opening).unwrap_or(head).trim_start_matches(['、', ' ', ',']);
    }
    for owner in words!["私の", "僕の", "俺の", "うちの", "わたしの", "我が家の", "わが家の", "自分の"]
    {
        head = head.strip_prefix(owner).unwrap_or(head);
    }
    let person =
        PEOPLE_JA.iter().filter(|person| head.starts_with(*person)).max_by_key(|person| person.len());
    if let Some(person) = person {
        let after = head.get(person.len()..)?;
        let is_subject = words![
            "は", "が", "も", "の", "たちは", "達は", "さんは", "さんが", "、", "って", "ちゃんは", "ちゃんが",
        ]
        .iter()
        .any(|particle| after.starts_with(particle))
            && !["がい", "が二", "が三", "が一", "がほ", "が欲", "が好", "が大好", "が苦手", "が嫌"]
                .iter()
                .any(|other| after.starts_with(other));
        if !is_subject {
            return None;
        }
        let spellings: Vec<&str> = GROUPS_JA
            .iter()
            .filter(|group| group.contains(person))
            .flat_map(|group| group.iter())
            .filter(|other| PEOPLE_JA.contains(other))
            .collect();
        let named = text.contains(person) || spellings.iter().any(|other| text.contains(other));
        return (!named).then(|| person.to_owned());
    }
    titled(head, text)
}

/// 田中さんは…, ケンくんが…: somebody by name and title.
#[rustfmt::skip]
fn titled(head: &str, text: &str) -> Option<String> {
    for title in words![
        "さんは", "さんが", "くんは", "くんが", "君は", "君が", "ちゃんは", "ちゃんが", "氏は", "氏が",
        "先生は", "先生が", "様は", "様が", "さんの", "くんの", "ちゃんの",
    ] {
        if let Some(at) = head.find(title)
            && let Some(name) = head.get(..at)
            && (1..=8).contains(&name.chars().count())
            && name.chars().all(char::is_alphabetic)
            && !name.chars().any(|c| matches!(c, 'は' | 'が' | 'を' | 'に') && is_kana(c))
        {
            return (!text.contains(name)).then(|| name.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_others_is_not_told_of_the_user() {
        for (text, said) in [
            ("The user lives in Osaka", "My sister lives in Osaka"),
            ("The user is a nurse", "She is a nurse"),
            ("The user likes jazz", "Kenji likes jazz"),
            ("東京に住んでいる", "妹は東京に住んでいる"),
            ("看護師だ", "うちの母は看護師です"),
            ("ジャズが好き", "田中さんはジャズが好き"),
        ] {
            assert!(dropped(text, said).is_some(), "{text} / {said}");
        }
        for (text, said) in [
            ("The user's sister lives in Osaka", "My sister lives in Osaka"),
            ("The user's mother is a nurse", "my mom is a nurse"),
            ("Kenji likes jazz", "Kenji likes jazz"),
            ("The user has a sister", "I have a sister"),
            ("Daughter's birthday is June 10", "My daughter's birthday is June 10"),
            ("猫が好き", "猫が好きです"),
            ("妹がいる", "妹が二人います"),
            ("母は看護師", "うちのお母さんは看護師です"),
            ("仕事は看護師", "私の仕事は看護師です"),
        ] {
            assert_eq!(dropped(text, said), None, "{text} / {said}");
        }
    }
}
