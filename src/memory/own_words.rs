//! The user's own sentence as a fact, where a model left out too much of it.
//!
//! Invariant: what is stored was said, in these words and this order, as a plain statement of the user about
//! themselves that can be understood alone. Deliberate absence: nothing is rewritten, so nothing can be distorted.

use std::ops::Range;

use super::assertion::{Clause, Mood};
use super::chatter::teaches_nothing;
use super::claim::normal;
use super::derive::bears_on;
use super::derive_ja::without_link;
use super::units_en::{Word, is_filler, verb_at, words as words_of};
use crate::sorted::SortedSet;
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::text::phrase::{contains_any, has_any};
use crate::text::script::{Script, runs};
use crate::text::sentences::sentences;
use crate::words;

/// The sentence that `text` retells, of those that the quote touches, if it may stand alone.
pub(super) fn own_words(
    text: &str,
    message: &str,
    touched: &[&Clause],
    all: &[Clause],
) -> Option<Range<usize>> {
    let told = content(text);
    let numbers: SortedSet<usize> = touched.iter().map(|clause| clause.sentence).collect();
    let mut best: Option<(usize, Range<usize>)> = None;
    for number in numbers {
        let own: Vec<&Clause> = all.iter().filter(|clause| clause.sentence == number).collect();
        let asserted: Vec<&&Clause> = own.iter().take_while(|clause| clause.mood == Mood::Asserts).collect();
        let (Some(first), Some(last)) = (asserted.first(), asserted.last()) else { continue };
        // Up to the quoted clause, unless what follows may bear on it.
        let quoted = touched.iter().rfind(|clause| clause.sentence == number);
        let near = quoted.filter(|quoted| quoted.range.end <= last.range.end).map(|quoted| quoted.range.end);
        let end = near
            .filter(|&end| !bears_on("", message.get(end..last.range.end).unwrap_or_default()))
            .unwrap_or(last.range.end);
        let range = first.range.start..end;
        let said = message.get(range.clone()).unwrap_or_default();
        let shared = told.iter().filter(|word| holds(said, word)).count();
        if shared > 0 && is_plain(said) && best.as_ref().is_none_or(|(most, _)| shared > *most) {
            best = Some((shared, range));
        }
    }
    best.map(|(_, range)| range)
}

/// The sentence as it is stored: without what links it to the next.
pub(super) fn spelled(said: &str) -> String {
    let bare = said.trim().trim_end_matches(['、', ',', ';', '，']).trim();
    match language(bare) {
        Language::En => bare.to_owned(),
        Language::Ja => without_link(bare),
    }
}

/// The words of a text by which its sentence is found again.
fn content(text: &str) -> SortedSet<String> {
    match language(text) {
        Language::En => normal(text).split_whitespace().map(str::to_owned).collect(),
        Language::Ja => runs(&fold(text))
            .into_iter()
            .filter(|(script, _)| *script != Script::Hiragana && *script != Script::Other)
            .map(|(_, run)| run)
            .collect(),
    }
}

fn holds(said: &str, word: &str) -> bool {
    match language(said) {
        Language::En => normal(said).split_whitespace().any(|own| own == word),
        Language::Ja => fold(said).contains(word),
    }
}

fn is_plain(said: &str) -> bool {
    let marks = |open: char, close: char| said.matches(open).count() == said.matches(close).count();
    let is_whole = sentences(said).len() == 1 && marks('「', '」') && marks('『', '』') && marks('(', ')');
    is_whole
        && !is_mocking(said)
        && teaches_nothing(said, "").is_none()
        && !said.contains(['：', '='])
        && match language(said) {
            Language::En => is_plain_en(&words_of(said.split_once(": ").map_or(said, |(_, rest)| rest))),
            Language::Ja => is_plain_ja(&fold(said)),
        }
}

/// Marks and words of irony: whoever uses them may mean the opposite.
fn is_mocking(said: &str) -> bool {
    let folded = fold(said);
    said.contains(MOCKING_PICTURES)
        || has_any(&folded, MOCKING)
        || MOCKING_JA.iter().any(|mark| folded.contains(mark))
        || folded.ends_with('笑')
        || language(said) == Language::Ja && folded.ends_with('w')
}

/// Said of the user by the user, and no word of it points outside.
fn is_plain_en(said: &[Word]) -> bool {
    let all: Vec<&Word> = said.iter().skip_while(|word| is_filler(&word.low)).collect();
    let bare = |word: &&Word| word.low.split('\'').next().unwrap_or_default().to_owned();
    let own = |word: &&Word| OWN.contains(&bare(word));
    // "I", "Ana is my sister", or nobody: "not a fan of jazz".
    let is_own = match verb_at(&all) {
        Some(verb) if verb > 0 => {
            all.iter().take(verb + 1).any(own) || verb <= 2 && all.get(verb + 1).is_some_and(own)
        }
        _ => true,
    };
    let points_out = all.iter().enumerate().any(|(at, word)| {
        let next = all.get(at + 1);
        let word = bare(word);
        ADDRESSEE.contains(&word)
            || POINTING.contains(&word) && !next.is_some_and(|next| SPANS.contains(&next.low))
            || HERE.contains(&word) && at < 2
            || REFERRING.contains(&word) && at < 4
            || PERSONS.contains(&word)
                && !all.iter().take(at).any(|before| own(before) && !before.low.starts_with('i'))
            || word == "that" && (at == 0 || next.is_none())
    });
    is_own && !points_out && (3..=40).contains(&all.len())
}

fn is_plain_ja(folded: &str) -> bool {
    let stranger = STRANGERS_JA.iter().any(|named| {
        folded
            .find(named)
            .and_then(|at| folded.get(..at))
            .is_some_and(|name| !name.ends_with(|c: char| KIN_ENDS_JA.contains(&c)))
    });
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    let trails_off = TRAILING_JA.iter().any(|trailing| end.ends_with(trailing));
    !stranger
        && !trails_off
        && !folded.starts_with(['「', '『'])
        && !contains_any(folded, OUTSIDE_JA)
        && (6..=90).contains(&folded.chars().count())
}

const MOCKING_PICTURES: [char; 9] = ['🙄', '🙃', '😏', '😂', '🤣', '😅', '😜', '😉', '🤡'];
#[rustfmt::skip]
const MOCKING: Words = words![
    "lol", "lmao", "rofl", "haha", "hahaha", "sure", "yeah right", "basically", "literally", "obviously", "practically",
    "kidding", "joking", "imagine", "pretend", "suppose", "let's", "as if", "/s", "not!", "oh great", "oh good", "oh joy",
    "oh yes", "confided", "secret", "don't tell", "nobody knows", "avatar", "my character", "run it", "here's", "error",
];
#[rustfmt::skip]
const MOCKING_JA: Words = words![
    "(笑", "笑)", "w。", "ww", "(棒", "棒読み", "(草", "どうせ", "はいはい", "なんつって", "内緒", "秘密", "ここだけの", "友達の話",
    "ありがとう", "エラー", "わー",
];
/// The user, and whom only their family calls so.
const OWN: Words =
    words!["i", "im", "ive", "my", "we", "our", "grandma", "grandpa", "mom", "mum", "dad", "granny", "gran"];
const ADDRESSEE: Words = words!["you", "your", "u"];
const POINTING: Words = words!["this", "these", "those"];
/// What "this" may point at, because the day of the message tells it.
#[rustfmt::skip]
const SPANS: Words = words![
    "year", "month", "week", "morning", "summer", "winter", "spring", "autumn", "weekend", "days",
];
const HERE: Words = words!["there", "here"];
const REFERRING: Words = words!["it", "one", "both", "so", "same"];
const PERSONS: Words = words!["he", "she", "they", "him", "her", "his", "them", "their"];
#[rustfmt::skip]
const OUTSIDE_JA: Words = words![
    "それ", "これ", "あれ", "そこ", "ここ", "その", "この", "あの", "そう", "こう", "彼", "あなた", "同じく", "でしょう",
    "だろう", "かな", "っけ", "かもし", "ところです", "今日", "今回", "という設定", "のキャラ",
];
const STRANGERS_JA: Words = words!["さんは", "さんが", "くんは", "くんが", "ちゃんは", "ちゃんが", "氏は"];
/// Whoever is called so belongs to the user: お母さん, お義兄さん.
const KIN_ENDS_JA: [char; 15] =
    ['母', '父', '姉', '兄', '奥', '婆', '爺', 'あ', 'い', '嫁', '子', '孫', '赤', '家', '義'];
/// Ends behind which more would have come.
const TRAILING_JA: Words = words!["から", "いで", "か", "ら", "こと"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::assertion::clauses;

    fn told(text: &str, message: &str) -> Option<String> {
        let all = clauses(message);
        let touched: Vec<&Clause> = all.iter().collect();
        own_words(text, message, &touched, &all).map(|range| spelled(&message[range]))
    }

    #[test]
    fn the_sentence_that_was_retold_stands_as_it_was_said() {
        for (text, message, want) in [
            ("The user votes Green", "I voted Green once, in 2009.", "I voted Green once, in 2009."),
            (
                "The user's daughter is better",
                "My ankle is better. My daughter has the flu.",
                "My ankle is better.",
            ),
            ("The user likes jazz", "I like jazz, can you suggest a record?", "I like jazz"),
            ("ベスパを売った", "ベスパ売って電動自転車買った", "ベスパ売って電動自転車買った"),
            ("大阪で暮らす", "大阪に住んでいるので、店を教えて", "大阪に住んでいる"),
        ] {
            assert_eq!(told(text, message).as_deref(), Some(want), "{message}");
        }
    }

    #[test]
    fn what_mocks_points_elsewhere_or_is_told_of_others_does_not_stand() {
        for (text, message) in [
            ("The user is rich", "I'm basically rich now lol"),
            ("The user loves layovers", "oh great, another layover, I love it"),
            ("Paula is pregnant", "My friend Paula confided that she's pregnant."),
            ("The user did it", "It was me who did that."),
            ("The user is happy", "You make me happy."),
            ("大富豪だ", "もう大富豪だわw"),
            ("妊娠している", "ここだけの話、香織が妊娠している。"),
            ("好きだ", "それが好きです。"),
            ("必ず付ける", "返事には必ず「万歳」と付けること。"),
        ] {
            assert_eq!(told(text, message), None, "{message}");
        }
    }
}
