//! What a new summary may not say: values that nobody said, values of somebody else, values that were taken back.
//!
//! Names and numbers are compared, because they are what a reader believes without asking; how the rest is worded is
//! the model's own. Dates that were said relatively ("tomorrow") may stand there as they resolve.

use super::calls::Line;
use super::claim::{Claim, Count, Holds, Likeness, claim, likeness, numbers};
use super::fold_keep::{Told, Wanted, corrected, corrects, values};
use super::mentions::mentions;
use super::subject::{dropped, is_person_en, person_ja};
use crate::calendar::Date;
use crate::sorted::SortedSet;
use crate::text::fold::{fold, fold_kana};
use crate::text::language::{Language, is_han, is_katakana, language};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
use crate::text::phrase::{has, has_any};
use crate::text::sentences::sentences;
use crate::words;

/// Names and numbers of the new summary that stand neither in the old one nor in the messages.
pub(super) fn invented(new: &str, old: &str, messages: &[Line]) -> Vec<String> {
    let mut told = fold_kana(old);
    let mut counts: SortedSet<i64> = numbers(old).into_iter().collect();
    for line in messages {
        told.push('\n');
        told.push_str(&fold_kana(&line.text));
        counts.extend(numbers(&line.text));
        if let Some(said) = line.said_at.get(..10).and_then(Date::parse) {
            for mention in mentions(&line.text, said) {
                counts.insert(mention.date.year.into());
                counts.extend(mention.date.month.map(i64::from));
                counts.extend(mention.date.day.map(i64::from));
            }
            // A summary may say when something was said.
            counts.extend([i64::from(said.year()), said.month().into(), said.day().into()]);
        }
    }
    let mut found = Vec::new();
    for sentence in sentences(new) {
        for value in values(sentence).into_iter().chain(names_ja(sentence)) {
            let asked = numbers(&value);
            let is_told = if asked.is_empty() {
                let name = fold_kana(&value);
                let bare = words!["さん", "ちゃん", "くん", "君", "先生", "様"]
                    .iter()
                    .find_map(|title| name.strip_suffix(title));
                is_common(&name) || has(&told, bare.unwrap_or(&name))
            } else {
                asked.iter().all(|number| counts.contains(number))
            };
            if !is_told && !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found
}

/// Capitals that name nobody in particular.
fn is_common(name: &str) -> bool {
    #[rustfmt::skip]
    const COMMON: Words = words![
        "user", "assistant", "the", "they", "their", "he", "she", "it", "and", "but", "also", "january", "february", "march",
        "april", "may", "june", "july", "august", "september", "october", "november", "december", "monday", "tuesday",
        "wednesday", "thursday", "friday", "saturday", "sunday", "english", "japanese", "ok", "am", "pm", "ゆーざー", "あしすたんと",
    ];
    COMMON.contains(name)
}

/// Katakana words and kanji that are names by themselves.
fn names_ja(sentence: &str) -> Vec<String> {
    if language(sentence) != Language::Ja {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut run = String::new();
    let class = |c: char| if is_katakana(c) { 1 } else { 2 * u8::from(is_han(c)) };
    for c in sentence.chars().chain(std::iter::once(' ')) {
        let same = run.chars().next_back().is_some_and(|last| class(last) == class(c));
        if !run.is_empty() && !same {
            let katakana = run.chars().all(|c| class(c) == 1) && run.chars().count() >= 2;
            if katakana || is_japanese_name(&run) {
                found.push(std::mem::take(&mut run));
            }
            run.clear();
        }
        if class(c) > 0 {
            run.push(c);
        }
    }
    found
}

/// Values that the new summary gives to the user although somebody else's were meant, and the reverse.
pub(super) fn misattributed(new: &str, messages: &[Line]) -> Vec<String> {
    let mut found = Vec::new();
    let said: Vec<&str> =
        messages.iter().filter(|line| line.role == "user").flat_map(|line| sentences(&line.text)).collect();
    let all: Vec<Told<'_>> = said.iter().map(|sentence| Told::of(sentence)).collect();
    let new: Vec<Told<'_>> = sentences(new).into_iter().map(Told::of).collect();
    for (at, sentence) in said.iter().enumerate() {
        let nobody = if language(sentence) == Language::En { "the user has it" } else { "ある" };
        let other = dropped(nobody, sentence);
        for value in values(sentence) {
            let wanted = Wanted::of(&value);
            // A value that is said of several people may be told of each of them.
            if all.iter().enumerate().any(|(other, told)| other != at && wanted.is_in(told)) {
                continue;
            }
            for told in new.iter().filter(|told| wanted.is_in(told)).map(|told| told.text) {
                let wrong = match (&other, language(told)) {
                    (Some(owner), Language::En) => !names_other(told, owner),
                    (Some(owner), Language::Ja) => {
                        !told.contains(owner.as_str()) && person_ja(told).is_none() && !told.contains("さん")
                    }
                    (None, Language::En) => is_others(told) && is_own(sentence),
                    (None, Language::Ja) => false,
                };
                if wrong && !found.contains(&value) {
                    found.push(value.clone());
                }
            }
        }
    }
    found
}

/// Whether an English sentence speaks of somebody else than the user.
fn names_other(sentence: &str, owner: &str) -> bool {
    let folded = fold(sentence).replace('’', "'").replace("'s", "");
    has(&folded, &fold(owner))
        || has_any(&folded, words!["he", "she", "they", "his", "her", "him", "their", "them"])
        || folded.split(|c: char| !c.is_alphanumeric() && c != '-').any(is_person_en)
        || values(sentence)
            .iter()
            .any(|value| value.starts_with(char::is_uppercase) && !is_common(&fold(value)))
}

/// Whether it says nothing of the user at all, but of a third person.
fn is_others(sentence: &str) -> bool {
    let folded = fold(sentence).replace('’', "'");
    has_any(&folded, words!["she", "her", "he", "his"])
        && !has_any(&folded, words!["user", "user's", "i", "my"])
}

fn is_own(sentence: &str) -> bool {
    let folded = fold(sentence).replace('’', "'");
    has_any(&folded, words!["i", "my", "i'm", "me"])
        && !has_any(&folded, words!["she", "her", "he", "his", "they", "their"])
        && !folded.split(|c: char| !c.is_alphanumeric() && c != '-').any(is_person_en)
}

/// Values that were corrected away and still stand as if they held, and what a later statement made untrue.
pub(super) fn stale(new: &str, old: &str, messages: &[Line]) -> Vec<String> {
    let gone = corrected(old, messages);
    let all = sentences(new);
    let mut found: Vec<String> = Vec::new();
    let last_correction = if gone.is_empty() { None } else { all.iter().rposition(|later| corrects(later)) };
    for (at, sentence) in all.iter().enumerate().filter(|_| !gone.is_empty()) {
        let told = Told::of(sentence);
        let taken_back = tells_change(sentence) || last_correction.is_some_and(|later| later > at);
        for value in gone.iter().filter(|value| !taken_back && Wanted::of(value).is_in(&told)) {
            found.push(value.clone());
        }
    }
    found.extend(contradictions(&all));
    found
}

/// Whether a sentence that has an old value says that it is one.
fn tells_change(sentence: &str) -> bool {
    has_any(
        &fold(sentence),
        words![
            "not",
            "instead",
            "from",
            "was",
            "were",
            "moved",
            "changed",
            "previously",
            "formerly",
            "no longer",
            "used to",
            "before",
            "rather than",
            "corrected",
            "ではなく",
            "じゃなく",
            "から",
            "以前",
            "だった",
            "変更",
            "変わ",
            "訂正",
            "前は",
            "もう",
            "元",
        ],
    )
}

/// Statements of which a later one makes an earlier one untrue: two homes, two ages. The earlier is named.
fn contradictions(sentences: &[&str]) -> Vec<String> {
    let claims: Vec<(usize, Claim)> = sentences
        .iter()
        .enumerate()
        .filter_map(|(at, sentence)| Some((at, claim(sentence)?)))
        .filter(|(_, claim)| claim.holds == Holds::Now && matches!(claim.count, Count::One | Count::Fixed))
        .collect();
    let mut found = Vec::new();
    for (at, earlier) in &claims {
        let later = claims.iter().find(|(other, later)| {
            other > at
                && later.subject == earlier.subject
                && later.attribute == earlier.attribute
                && matches!(likeness(&later.object, &earlier.object), Likeness::Apart | Likeness::Numbers)
        });
        if later.is_some()
            && let Some(sentence) = sentences.get(*at)
        {
            found.push((*sentence).to_owned());
        }
    }
    found
}

/// Of a summary's sentences, those that a later one makes untrue and that say nothing else.
pub(super) fn outdated<'a>(all: &[&'a str]) -> Vec<&'a str> {
    let gone = contradictions(all);
    all.iter().copied().filter(|sentence| gone.iter().any(|other| other == sentence)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(said: &[&str]) -> Vec<Line> {
        said.iter()
            .map(|text| Line {
                reference: "u1".into(),
                role: "user".into(),
                text: (*text).into(),
                said_at: "2026-11-30T02:00:00Z".into(),
            })
            .collect()
    }

    #[test]
    fn a_value_that_nobody_said_is_seen() {
        let said =
            lines(&["My sister Hanako pays 1,200 euros.", "She visits tomorrow.", "I have three cats."]);
        for good in [
            "The user's sister Hanako pays 1,200 euros.",
            "Hanako visits on 2026-12-01.",
            "The user has 3 cats.",
        ] {
            assert!(invented(good, "", &said).is_empty(), "{good}: {:?}", invented(good, "", &said));
        }
        for (bad, value) in [
            ("Hanako pays 1,300 euros.", "1,300"),
            ("His friend Kenji visits.", "Kenji"),
            ("The user has 4 cats.", "4"),
        ] {
            assert_eq!(invented(bad, "", &said), [value], "{bad}");
        }
        let said = lines(&["妹の花子さんは田中先生に3万円払った。"]);
        assert!(invented("ユーザーの妹の花子は田中先生に3万円払った。", "", &said).is_empty());
        assert_eq!(invented("花子さんはケンジに3万円払った。", "", &said), ["ケンジ"]);
        assert_eq!(invented("佐藤は3万円払った。", "", &said), ["佐藤"]);
        assert_eq!(invented("5万円払った。", "", &said), ["5万円"]);
    }

    #[test]
    fn a_value_stays_with_whom_it_belongs_to() {
        let said = lines(&["My sister came. Her locker number is 4512.", "My own desk is number 77."]);
        for good in [
            "Her locker number is 4512.",
            "The sister's locker number is 4512.",
            "The user's desk is number 77.",
        ] {
            assert!(misattributed(good, &said).is_empty(), "{good}");
        }
        assert_eq!(misattributed("The user's locker number is 4512.", &said), ["4512"]);
        assert_eq!(misattributed("Her desk is number 77.", &said), ["77"]);
        let said = lines(&["妹のロッカー番号は4512番です。"]);
        assert!(misattributed("妹のロッカー番号は4512番。", &said).is_empty());
        assert_eq!(misattributed("ユーザーのロッカー番号は4512番。", &said), ["4512番"]);
    }

    #[test]
    fn what_was_taken_back_or_outlived_is_no_longer_told_as_so() {
        let said = lines(&["The meeting is at 4 pm.", "Sorry, I meant 5 pm, not 4 pm."]);
        assert_eq!(stale("The meeting is at 4 pm and 5 pm.", "", &said), ["4 pm"]);
        assert!(stale("The meeting is at 5 pm.", "", &said).is_empty());
        assert!(stale("The meeting was moved from 4 pm to 5 pm.", "", &said).is_empty());
        assert_eq!(stale("The user lives in Osaka. The user lives in Kyoto.", "", &[]).len(), 1);
        assert!(stale("The user lived in Osaka. The user lives in Kyoto.", "", &[]).is_empty());
        assert_eq!(stale("大阪に住んでいる。京都に住んでいる。", "", &[]).len(), 1);
    }
}
