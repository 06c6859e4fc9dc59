//! Where one Japanese statement ends and the next begins within a clause, and whose topic it carries.

use std::ops::Range;

use super::units::{Piece, Subject};
use crate::text::language::{is_han, is_kana};
use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::words;

/// The pieces of a clause.
pub(super) fn pieces(clause: &str) -> Vec<Piece> {
    let mut borders = vec![0];
    let letters: Vec<(usize, char)> = clause.char_indices().collect();
    for at in 1..letters.len() {
        let before: String =
            letters.iter().skip(at.saturating_sub(8)).take(at.min(8)).map(|(_, c)| *c).collect();
        let after: String = letters.iter().skip(at).take(16).map(|(_, c)| *c).collect();
        if ends_statement(&before, &after)
            && let Some((byte, _)) = letters.get(at)
        {
            borders.push(*byte);
        }
    }
    borders.push(clause.len());
    let mut found: Vec<Piece> = Vec::new();
    for pair in borders.windows(2) {
        let (Some(&start), Some(&end)) = (pair.first(), pair.get(1)) else { continue };
        let own = clause.get(start..end).unwrap_or_default();
        let subject = match topic(own) {
            Some(topic) => Subject::Own(start + topic.start..start + topic.end),
            // 「中川先生との面談、6日じゃなくて9日」: the noun before the comma is spoken of in both.
            None if own.ends_with("じゃなくて")
                || own.ends_with("ではなく")
                || own.ends_with("ではなくて") =>
            {
                match own.split_once('、').map(|(head, _)| head) {
                    Some(head) => Subject::Own(start..start + head.len() + '、'.len_utf8()),
                    None => Subject::Carried,
                }
            }
            // 「紅茶は嫌いでコーヒーが好き」: what isn't liked is no subject of what is.
            None if contains_any(own, words!["が好き", "が嫌い", "が苦手", "が大好き"])
                && carries_object(clause.get(..start).unwrap_or_default()) =>
            {
                Subject::Own(start..start)
            }
            None => Subject::Carried,
        };
        found.push(Piece { range: start..end, subject, object: None });
    }
    found
}

/// Whether the topic before is what somebody likes, and nobody who likes.
fn carries_object(before: &str) -> bool {
    let tastes = ["好きで", "嫌いで", "苦手で", "好きで、", "嫌いで、", "苦手で、"];
    topic(before)
        .and_then(|range| before.get(range.end..))
        .is_some_and(|rest| tastes.iter().any(|taste| rest.trim_start_matches('大') == *taste))
}

/// Whether a statement ends between the two.
fn ends_statement(before: &str, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return false };
    if words!["じゃなくて", "ではなくて", "ではなく", "じゃなくて、", "ではなく、", "ではなくて、"]
        .iter()
        .any(|end| before.ends_with(end))
    {
        return next != '、' && next != 'て';
    }
    let (joined, comma) = match before.strip_suffix('、') {
        Some(joined) => (joined, true),
        None => (before, false),
    };
    let content = is_han(next) || matches!(next, 'ァ'..='ヺ') || next.is_ascii_alphanumeric();
    // A て that more of the same verb follows ends nothing: 食べている, 連れて行く.
    let goes_on = matches!(
        next,
        '行' | '来' | '見' | '置' | '欲' | '貰' | '下' | '頂' | '戴' | '出' | '回' | '参' | '居'
    );
    let linked = (joined.ends_with('て') || ends_in_de(joined))
        && ![
            "として",
            "について",
            "にとって",
            "によって",
            "に対して",
            "に関して",
            "初めて",
            "はじめて",
            "決して",
            "どうして",
            "そして",
            "改めて",
            "すべて",
            "全て",
            "あわせて",
            "合わせて",
            "続けて",
            "たて",
            "とって",
            "かけて",
            "にて",
        ]
        .iter()
        .any(|word| joined.ends_with(word))
        && !joined.ends_with("くて");
    if linked {
        let begins_verb = words!["やめ", "はじめ", "なくな"].iter().any(|verb| after.starts_with(verb));
        return comma || content && !goes_on || begins_verb;
    }
    // 「名古屋支社に移り、」: a verb's stem with its comma.
    let mut back = joined.chars().rev();
    let stem = back.next().is_some_and(|c| "いきしちにひみりぎびえけせてねへめれげべ".contains(c))
        && back.next().is_some_and(is_han);
    if comma && stem && !joined.ends_with('に') && !joined.ends_with('へ') {
        return true;
    }
    let is_state = [
        "アレルギー",
        "利き",
        "歳",
        "才",
        "出身",
        "在住",
        "独身",
        "既婚",
        "症",
        "派",
        "型",
        "生まれ",
        "者",
        "師",
        "員",
        "日本人",
    ];
    if comma && joined.strip_suffix('で').is_some_and(|noun| is_state.iter().any(|end| noun.ends_with(end)))
    {
        return true;
    }
    // 「プネー出身でトロント在住」, 「山が好きで海は苦手」; 「28歳で結婚した」 tells when.
    let goes_by = ["出身で", "在住で", "独身で", "既婚で", "好きで", "嫌いで", "苦手で"];
    if content && goes_by.iter().any(|end| joined.ends_with(end)) {
        return true;
    }
    // 「祖父は漁師、父は大工」, 「任天堂に入る前は銀行にいた」
    if comma && joined.contains('は') && after.chars().take(5).skip(1).any(|c| c == 'は') {
        return true;
    }
    let until_then = ["る前は", "る前に", "う前は", "く前は", "た後は", "た後に", "るまでは"];
    if until_then.iter().any(|end| joined.ends_with(end)) && (comma || content) {
        return true;
    }
    if comma && NOMINAL.iter().any(|end| joined.ends_with(end)) {
        return true;
    }
    if content && ends_in_picture(before) {
        return true;
    }
    // 「車は赤で自転車は青」
    let topics = |text: &str, most: usize| text.chars().take(most).any(|c| c == 'は');
    if content && joined.ends_with('で') && topics(before, 8) && topics(after, 7) {
        return true;
    }
    let has_topic = after.chars().skip(1).any(|c| c == 'は');
    if comma && joined.ends_with('で') && has_topic {
        return true;
    }
    comma
        && joined.ends_with('で')
        && words!["しかも", "かつ", "なおかつ", "さらに", "また", "今は", "今では", "現在は"]
            .iter()
            .any(|word| after.starts_with(word))
}

/// An emoji ends a sentence as a full stop does.
fn ends_in_picture(text: &str) -> bool {
    text.trim_end().chars().next_back().is_some_and(|c| {
        c >= '\u{2600}'
            && !c.is_alphanumeric()
            && !('\u{3000}'..='\u{30ff}').contains(&c)
            && !('\u{ff00}'..='\u{ffef}').contains(&c)
    })
}

/// 「飲んで」, 「泳いで」: the て of a verb; the で behind a noun says where or with what.
fn ends_in_de(text: &str) -> bool {
    text.ends_with("んで") && !text.ends_with("なんで")
        || text.ends_with("いで") && text.chars().rev().nth(2).is_some_and(is_han)
}

/// The topic with its particle: 「母は」. Times are no topics, and neither is a は inside a word.
fn topic(piece: &str) -> Option<Range<usize>> {
    for (at, _) in piece.match_indices('は') {
        let head = piece.get(..at)?;
        let tail = piece.get(at + 'は'.len_utf8()..)?;
        let noun = head.rsplit(['、', ',', ' ', '　']).next().unwrap_or(head);
        let ends_in_word =
            noun.chars().next_back().is_some_and(|c| !matches!(c, 'ぁ'..='ゖ') || noun.chars().all(is_kana));
        let ends_in_word = ends_in_word
            || ["住まい", "勤め", "好み", "悩み", "生まれ", "休み"].iter().any(|word| noun.ends_with(word));
        if noun.is_empty() || tail.is_empty() || !ends_in_word || noun.chars().count() > 16 {
            continue;
        }
        if is_time(noun) {
            continue;
        }
        return Some(at - noun.len()..at + 'は'.len_utf8());
    }
    None
}

/// Whether a noun before は only says when: 「昔は」, 「月曜は」.
pub(super) fn is_time(noun: &str) -> bool {
    const TIMES: Words = words![
        "今",
        "現在",
        "最近",
        "以前",
        "昔",
        "前",
        "今日",
        "明日",
        "昨日",
        "今年",
        "来年",
        "去年",
        "今月",
        "来月",
        "先月",
        "今週",
        "来週",
        "先週",
        "普段",
        "平日",
        "週末",
        "朝",
        "昼",
        "夜",
        "毎日",
        "月曜",
        "火曜",
        "水曜",
        "木曜",
        "金曜",
        "土曜",
        "日曜",
        "夏",
        "冬",
        "春",
        "秋",
        "これから",
        "それ",
        "これ",
        "実",
        "本当",
        "たま",
        "まずは",
        "とき",
        "時",
        "頃",
        "ころ",
        "で",
        "に",
        "と",
    ];
    TIMES.iter().any(|time| noun.ends_with(time))
}

#[rustfmt::skip]
const NOMINAL: Words = words![
    "歳",
    "才",
    "出身",
    "在住",
    "勤務",
    "独身",
    "会社員",
    "学生",
    "既婚",
    "生まれ",
    "育ち",
    "せいで",
    "おかげで",
    "ために",
    "ため",
];
