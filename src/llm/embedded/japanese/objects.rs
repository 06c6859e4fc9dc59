//! Japanese endings, noun phrases and dates: what a predicate needs around its stem.

use super::Clause;
use super::words::{ADVERBS, Ending, NOUN_ENDINGS, OTHERS, POINTERS, RELATIVES};
use crate::llm::embedded::dates;
use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::words;

/// A stem found before a complete ending.
pub struct Predicate<'a> {
    pub before: &'a str,
    pub negated: bool,
    pub past: bool,
}

pub fn noun(body: &str) -> Option<Predicate<'_>> {
    ending(body, "", NOUN_ENDINGS).filter(|found| !found.before.is_empty())
}

/// The body before `stem` and one of the endings, if nothing else follows.
pub fn ending<'a>(body: &'a str, stem: &str, endings: &[Ending]) -> Option<Predicate<'a>> {
    endings.iter().find_map(|&(end, negated, past)| {
        let before = body.strip_suffix(end)?.strip_suffix(stem)?;
        Some(Predicate { before, negated, past })
    })
}

pub fn te_tail(found: &Predicate) -> Option<&'static str> {
    match (found.negated, found.past) {
        (false, false) => Some("いる"),
        (true, false) => Some("いない"),
        (false, true) => Some("いた"),
        (true, true) => None,
    }
}

pub fn with_te(stem: &str, found: &Predicate) -> Option<String> {
    te_tail(found).map(|tail| format!("{stem}{tail}"))
}

/// A noun phrase that says what it means by itself.
pub fn object(said: &str) -> Option<&str> {
    let said = without_adverbs(said.trim().trim_start_matches('、')).trim();
    let length = said.chars().count();
    let is_other = said
        .find('は')
        .and_then(|at| said.get(..at))
        .is_some_and(|who| OTHERS.iter().chain(RELATIVES).any(|word| who.ends_with(word)));
    let fits = (1..=24).contains(&length)
        && !points(said)
        && !is_other
        && !said.contains(['「', '」', '(', '（', '？', '?', '！', '!', '。']);
    (fits
        && !said.starts_with(['が', 'を', 'は', 'も', 'と', 'に', 'で', 'の'])
        && said.chars().any(char::is_alphanumeric))
    .then_some(said)
}

/// An object of a taste: a noun phrase, not the end of another clause or a topic with its comment.
pub fn is_plain_object(object: &str) -> bool {
    let mut previous = ' ';
    let has_topic = object.chars().zip(object.chars().skip(1)).any(|(c, next)| {
        let is_topic = c == 'は'
            && (crate::text::language::is_han(previous) || matches!(previous, 'ァ'..='ー') || next == '、');
        previous = c;
        is_topic
    });
    let ends = [
        "て",
        "で",
        "けど",
        "ので",
        "から",
        "ば",
        "に",
        "たら",
        "く",
        "が",
        "は",
        "し",
        "、",
        "っと",
        "ど",
        "でも",
        "って",
        "だけ",
        "かも",
        "より",
        "くらい",
        "ぐらい",
        "自分",
    ];
    let inside = [
        "です",
        "ます",
        "かも",
        "けど",
        "ねー",
        "ねぇ",
        "…",
        "私",
        "僕",
        "俺",
        "どれ",
        "何でも",
        "全部",
        "どっち",
        "ですが",
    ];
    !has_topic
        && !ends.iter().any(|end| object.ends_with(end))
        && !inside.iter().any(|word| object.contains(word))
}

pub fn place(said: &str) -> Option<&str> {
    let said = said.rsplit("で、").next()?;
    object(said).filter(|place| is_place(place))
}

pub fn is_place(place: &str) -> bool {
    place.chars().count() <= 16
        && !place.ends_with(['い', 'な', 'り', 'て', 'く', 'と', 'も', 'ら'])
        && !place.contains(['を', 'が', 'は', '、'])
        && !place.ends_with('に')
        && !["一人", "ひとり", "二人", "家族", "一緒", "年", "前", "頃", "とき", "時"]
            .iter()
            .any(|word| place.ends_with(word))
}

pub fn is_adjective(value: &str) -> bool {
    value.ends_with(['い', 'な'])
        && value.chars().count() >= 2
        && !value.ends_with("占い")
        && !value.ends_with("習い")
        || words![
            "大変",
            "楽",
            "忙し",
            "順調",
            "好き",
            "嫌い",
            "微妙",
            "最高",
            "休み",
            "秘密",
            "いろいろ",
            "色々",
            "特に",
        ]
        .iter()
        .any(|word| value.starts_with(word))
}

pub fn points(said: &str) -> bool {
    POINTERS
        .iter()
        .any(|pointer| said == pointer || (pointer.chars().count() >= 2 && said.starts_with(pointer)))
        || contains_any(
            said,
            words![
                "そういう",
                "こういう",
                "そこ",
                "ために",
                "どれ",
                "あの",
                "それ",
                "これ",
                "その",
                "この",
                "誰か",
                "何か",
                "どこか",
                "あなた",
            ],
        )
}

pub fn is_temporary(thing: &str) -> bool {
    contains_any(
        thing,
        words![
            "今日",
            "昨日",
            "明日",
            "今",
            "最近",
            "朝",
            "昼",
            "夜",
            "まだ",
            "もう",
            "あまり",
            "全然",
            "ほとんど",
            "毎",
            "全く",
            "頻繁",
            "なかなか",
            "たま",
            "家で",
            "一緒",
            "めった",
        ],
    )
}

/// The objects of a list of plain nouns, one by one; anything else stays whole.
pub fn parts(said: &str) -> Vec<&str> {
    let pieces: Vec<&str> = said
        .split(['、', '，', '・'])
        .flat_map(|piece| piece.split("と"))
        .flat_map(|piece| piece.split('や'))
        .collect();
    let plain = |piece: &&str| {
        (1..=10).contains(&piece.chars().count()) && !piece.chars().any(|c| matches!(c, 'ぁ'..='ん'))
    };
    if (2..=6).contains(&pieces.len())
        && pieces.iter().all(plain)
        && !pieces
            .iter()
            .enumerate()
            .any(|(at, a)| pieces.iter().skip(at + 1).any(|b| a.starts_with(b) || b.starts_with(a)))
        && !said.contains('・')
    {
        return pieces.into_iter().filter_map(object).collect();
    }
    object(said).into_iter().collect()
}

pub fn without_adverbs(mut said: &str) -> &str {
    loop {
        let rest = ADVERBS.iter().find_map(|adverb| {
            let rest = said.strip_prefix(adverb)?;
            // 「今井」 and 「昔話」 begin with no adverb.
            let is_long_ago = adverb == "昔" && !rest.starts_with(['話', 'の', 'な', 'ば', 'と']);
            let is_word = is_long_ago
                || rest.is_empty()
                || adverb.chars().count() >= 2
                    && !matches!(adverb, "現在" | "普段" | "基本" | "結構" | "最近" if rest.starts_with('の'))
                || rest.starts_with(['、', 'は', ' ', '　']);
            is_word.then(|| rest.trim_start_matches(['、', ' ', '　']))
        });
        match rest {
            Some(rest) if !rest.is_empty() => said = rest,
            _ => return said,
        }
    }
}

pub fn without_trailing_adverbs(said: &str) -> &str {
    let said = said.trim_end_matches(['、', ' ', '　']);
    ADVERBS
        .iter()
        .filter(|adverb| adverb.chars().count() >= 2 && *adverb != "だけ")
        .find_map(|adverb| said.strip_suffix(adverb))
        .map_or(said, |rest| rest.trim_end_matches(['、', ' ', '　']))
}

/// Takes a resolved date out: 「2015年から2018年まで」, 「来月」; what is left reads as a sentence still.
pub fn without_period(clause: &Clause) -> (String, (Option<String>, Option<String>)) {
    let body = clause.body;
    let Some((date, range)) = dates::japanese(body, clause.today) else {
        return (body.to_owned(), (None, None));
    };
    let (before, after) = (body.get(..range.start).unwrap_or(""), body.get(range.end..).unwrap_or(""));
    // A date that is the value itself stays: 「誕生日は1990年5月3日です」, 「1990年生まれ」.
    if words!["生まれ", "式", "製", "モデル", "です", "だ", "の", "も", "ので", "が", "以"]
        .iter()
        .any(|next| after.starts_with(next))
        || after.is_empty()
        || before.ends_with('「')
        || before.contains("誕生日")
        || before.contains("記念日")
    {
        return (body.to_owned(), (None, None));
    }
    let skip = |text: &str, particles: Words| {
        particles
            .iter()
            .find_map(|p| text.strip_prefix(p).map(str::to_owned))
            .unwrap_or_else(|| text.to_owned())
    };
    if let Some(rest) = after.strip_prefix("まで") {
        return (format!("{before}{}", skip(rest, words!["は、", "は", "、"])), (None, Some(date)));
    }
    if let Some(rest) = after.strip_prefix("から") {
        let rest = rest.trim_start_matches('、');
        if let Some((until, range)) = dates::japanese(rest, clause.today)
            && let Some(left) = rest.get(range.end..).and_then(|left| left.strip_prefix("まで"))
            && range.start == 0
        {
            return (
                format!("{before}{}", skip(left, words!["は、", "は", "、"])),
                (Some(date), Some(until)),
            );
        }
        return (format!("{before}{rest}"), (Some(date), None));
    }
    (
        format!("{before}{}", skip(after, words!["には、", "には", "に、", "に", "は、", "は", "、"])),
        (Some(date), None),
    )
}
