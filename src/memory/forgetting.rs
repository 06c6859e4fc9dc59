//! "Forget…" in the chat: what is listed and asked, and how the answer is read. By code, so that it works with any
//! model and nothing is deleted by a model's word.
//!
//! Invariant: only a plain yes, or numbers of the list, forgets anything; whatever else is said leaves all of it.

use crate::text::fold::fold;
use crate::text::language::{Language, language};

/// Facts that one question offers.
pub const OFFERED: usize = 8;

/// What the user answers to the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    All,
    /// Places in the list, from 0.
    Some(Vec<usize>),
    Nothing,
}

/// Longer than this is no answer to such a question, but something else that is said.
const LONGEST_ANSWER_CHARS: usize = 40;

#[rustfmt::skip]
const YES: &[&str] = &[
    "yes", "y", "yeah", "yep", "yup", "sure", "ok", "okay", "do", "go", "confirm", "confirmed", "forget", "delete",
    "remove", "all", "both", "please", "correct", "right",
];
/// Words that say nothing by themselves and may go along with a yes.
const ALONG: &[&str] = &["it", "them", "that", "ahead", "of", "everything"];
const NO: &[&str] =
    &["no", "nope", "n", "not", "don't", "dont", "never", "cancel", "keep", "stop", "wait", "none"];
const YES_JA: &[&str] = &[
    "はい",
    "うん",
    "ええ",
    "お願いします",
    "お願い",
    "おねがいします",
    "おねがい",
    "忘れてください",
    "忘れて",
    "わすれて",
    "消してください",
    "消して",
    "削除してください",
    "削除して",
    "削除",
    "いいですよ",
    "いいよ",
    "いいです",
    "そうしてください",
    "そうして",
    "オーケー",
    "全部",
    "ぜんぶ",
    "すべて",
    "全て",
    "両方",
    "了解",
    "よろしく",
    "ください",
    "を",
    "も",
    "ね",
    "です",
];
const NO_JA: &[&str] = &[
    "いいえ",
    "いや",
    "やめ",
    "だめ",
    "ダメ",
    "残し",
    "ないで",
    "しない",
    "待って",
    "まって",
    "キャンセル",
    "中止",
    "結構",
];

/// Reads the answer to a list of `count` facts; `None` if it is something else.
pub fn answer(text: &str, count: usize) -> Option<Answer> {
    if text.chars().count() > LONGEST_ANSWER_CHARS {
        return None;
    }
    let folded = fold(text);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| NO.contains(word)) || NO_JA.iter().any(|no| folded.contains(&fold(no))) {
        // "No, go on with the story" is more than an answer, but it forgets nothing either.
        return Some(Answer::Nothing);
    }
    let numbers = numbers(&folded);
    if !numbers.is_empty() {
        let rest: String = folded.chars().map(|c| if c.is_ascii_digit() { ' ' } else { c }).collect();
        let joins = ["番目", "番", "と", "、", ",", "and", "number", "no", "#", ".", "&"];
        let says_more = leftover(&rest, &joins);
        let places: Vec<usize> = numbers.iter().filter_map(|number| number.checked_sub(1)).collect();
        let fits = places.len() == numbers.len() && places.iter().all(|place| *place < count);
        return (fits && !says_more).then_some(Answer::Some(places));
    }
    if words.iter().all(|word| agrees(word)) && words.iter().any(|word| YES.contains(word)) {
        return Some(Answer::All);
    }
    let is_japanese = language(text) == Language::Ja && !leftover(&folded, &[]);
    is_japanese.then_some(Answer::All)
}

/// Whether anything stands in the text besides words of agreement and these.
fn leftover(folded: &str, also: &[&str]) -> bool {
    let mut rest = folded.to_owned();
    for word in YES_JA.iter().chain(also) {
        rest = rest.replace(&fold(word), " ");
    }
    rest.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && !agrees(word))
}

fn agrees(word: &str) -> bool {
    YES.contains(&word) || ALONG.contains(&word)
}

fn numbers(folded: &str) -> Vec<usize> {
    let runs = folded.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    let mut numbers: Vec<usize> = runs.map(|run| run.parse().unwrap_or(usize::MAX)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether what is to be forgotten is everything.
pub fn is_everything(what: &str) -> bool {
    let folded = fold(what);
    let bare = folded.trim_matches(|c: char| !c.is_alphanumeric());
    [
        "everything",
        "everything about me",
        "all",
        "all about me",
        "everything you know",
        "everything you know about me",
        "all my data",
        "me",
        "全部",
        "ぜんぶ",
        "すべて",
        "全て",
        "何もかも",
        "私のこと",
        "私のことを全部",
        "私について全部",
        "私のことをすべて",
        "私のすべて",
    ]
    .iter()
    .any(|all| fold(all) == bare)
}

/// The list of what is remembered, with the question.
pub fn question(asked_in: Language, facts: &[&str]) -> String {
    let list: Vec<String> =
        facts.iter().enumerate().map(|(at, fact)| format!("{}. {fact}", at + 1)).collect();
    let list = list.join("\n");
    match (asked_in, facts.len()) {
        (Language::En, 1) => {
            format!("This is what I remember:\n\n{list}\n\nShall I forget it? Say yes or no.")
        }
        (Language::En, _) => format!(
            "This is what I remember:\n\n{list}\n\nShall I forget all of it? Say yes, the numbers, or no."
        ),
        (Language::Ja, 1) => {
            format!(
                "次のことを覚えています。\n\n{list}\n\n忘れてよいですか？「はい」か「いいえ」で答えてください。"
            )
        }
        (Language::Ja, _) => format!(
            "次のことを覚えています。\n\n{list}\n\nすべて忘れてよいですか？「はい」、番号、または「いいえ」で答えてください。"
        ),
    }
}

/// What is said where nothing fits.
pub fn nothing_found(asked_in: Language) -> &'static str {
    match asked_in {
        Language::En => "I remember nothing that fits. The memory page shows everything that I remember.",
        Language::Ja => "当てはまることは覚えていません。覚えていることはすべて記憶のページにあります。",
    }
}

/// What is said to who wants everything to be forgotten: it has no way back, so it isn't done by a word.
pub fn everything(asked_in: Language) -> &'static str {
    match asked_in {
        Language::En => {
            "Everything is forgotten on the memory page, under Settings: it can't be undone, so it is confirmed there."
        }
        Language::Ja => {
            "すべてを忘れるには、記憶のページの「設定」で確認してください。元に戻せないため、ここでは行いません。"
        }
    }
}

/// What is said afterwards, without what was forgotten.
pub fn done(asked_in: Language, count: usize) -> String {
    match (asked_in, count) {
        (Language::En, 0) => "Nothing was forgotten.".to_owned(),
        (Language::En, 1) => "It is forgotten.".to_owned(),
        (Language::En, count) => format!("{count} facts are forgotten."),
        (Language::Ja, 0) => "何も忘れていません。".to_owned(),
        (Language::Ja, count) => format!("{count}件を忘れました。"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_plain_yes_means_all_of_it() {
        for text in [
            "yes",
            "Yes, please.",
            "ok",
            "Sure!",
            "yes, forget it",
            "do it",
            "Delete them all",
            "ＹＥＳ",
            "はい",
            "はい。",
            "うん、お願い",
            "はい、忘れてください",
            "全部消して",
            "お願いします！",
        ] {
            assert_eq!(answer(text, 3), Some(Answer::All), "{text}");
        }
    }

    #[test]
    fn numbers_mean_those() {
        for (text, places) in [
            ("1", vec![0]),
            ("1 and 3", vec![0, 2]),
            ("２番", vec![1]),
            ("1と2を忘れて", vec![0, 1]),
            ("yes, 2", vec![1]),
            ("3番目をお願いします", vec![2]),
        ] {
            assert_eq!(answer(text, 3), Some(Answer::Some(places)), "{text}");
        }
        for text in ["4", "0", "1 apple", "12345678901234567890123", "I have 2 cats", "2時に会おう"] {
            assert_eq!(answer(text, 3), None, "{text}");
        }
    }

    #[test]
    fn a_no_keeps_everything_and_anything_else_is_no_answer() {
        for text in [
            "no",
            "No, keep it",
            "don't",
            "yes... no, wait",
            "いいえ",
            "いや、残して",
            "忘れないで",
            "やめて",
        ] {
            assert_eq!(answer(text, 3), Some(Answer::Nothing), "{text}");
        }
        for text in [
            "What is the weather?",
            "that",
            "it",
            "忘れ物をした",
            "犬の話をしよう",
            "",
            "!?",
            "はい、ところで犬が好きです",
        ] {
            assert_eq!(answer(text, 3), None, "{text}");
        }
    }

    #[test]
    fn everything_is_told_apart_from_something() {
        for what in ["everything", "everything about me", "全部", "私のこと"] {
            assert!(is_everything(what), "{what}");
        }
        for what in ["my address", "everything about my dog", "犬のこと", ""] {
            assert!(!is_everything(what), "{what}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read_and_names_only_what_was_listed(text in "(\\PC|はい|番|[0-9]){0,12}", count in 0_usize..9) {
            if let Some(Answer::Some(places)) = answer(&text, count) {
                prop_assert!(places.iter().all(|place| *place < count));
            }
        }
    }
}
