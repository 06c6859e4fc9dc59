//! Requests to memory in Japanese: 覚えておいて, 忘れて.
//!
//! Invariant: the request is the end of its sentence. 覚えている, 忘れてしまった and 覚えてる？ tell or ask something.

use crate::text::list::Words;
use crate::text::phrase::has_any;
use crate::words;

/// Requests to remember, longest first; what precedes them is the object.
#[rustfmt::skip]
const REMEMBER_JA: Words = words![
    "覚えといて", "覚えておいて", "覚えていて", "覚えてください", "覚えて下さい", "覚えてね", "覚えてほしい",
    "覚えて欲しい", "覚えておいてほしい", "覚えて", "おぼえておいて", "おぼえといて", "おぼえていて",
    "おぼえて", "憶えておいて", "憶えて", "記憶しておいて", "記憶して", "メモしておいて", "メモしといて",
    "メモして", "記録しておいて", "記録して", "忘れないで", "忘れないでおいて", "忘れないように", "覚えておけ",
    "覚えとけ", "覚えろ", "メモっといて", "メモっておいて", "覚えておくように",
];

/// What may follow 覚えて when it is no request: a state, a wish of one's own, a question.
#[rustfmt::skip]
const NOT_A_REQUEST: Words = words![
    "いない", "いません", "ない", "ません", "る", "いる", "います", "いた", "いました", "た？", "おこう",
    "おかない", "おきたい", "おく", "おき", "しまっ", "しまう", "き", "ます", "もら", "くれた", "くれてい",
    "くれて", "たら", "も", "は", "から", "なかった", "られ", "よかった", "行", "ゆ", "みた", "みる", "みよう",
    "いれば", "いたら", "くる", "きた",
];

#[rustfmt::skip]
pub(super) fn remember_ja(folded: &str) -> Option<String> {
    let (at, word) = REMEMBER_JA
        .iter()
        .filter_map(|word| folded.rfind(word).map(|at| (at, word)))
        .max_by_key(|(at, word)| (at + word.len(), word.len()))?;
    let after = folded.get(at + word.len()..)?;
    let after = after.strip_prefix("おいて").unwrap_or(after);
    let before = folded.get(..at)?;
    // ほしいんだけど、…: the request opens the sentence, and its object follows.
    let after = words!["んだけど", "んですが", "のですが", "んですけど", "ほしいんだけど", "欲しいんだけど", "ほしいんですが", "欲しいんですが", "ほしいのですが", "ほしいんですけど", "ほしいけど"]
        .iter()
        .find_map(|opening| after.strip_prefix(opening))
        .unwrap_or(after);
    let after = words!["ね", "よ", "な"].iter().find_map(|end| after.strip_prefix(end).filter(|rest| rest.starts_with(['、', ',']))).unwrap_or(after);
    let tail = after.trim_end_matches(['。', '.', '!', '~', 'ー', ' ', 'w', '笑']);
    if is_question_tail(after)
        || NOT_A_REQUEST.iter().any(|no| tail.starts_with(no)) && !tail.starts_with("くれ")
    {
        return None;
    }
    let polite = [
        "", "ね", "よ", "な", "ください", "下さい", "くださいね", "くれ", "ほしい", "欲しい", "ほしいです",
        "欲しいです", "ほしいな", "もらえると助かります", "お願い", "お願いします", "いただけますか",
        "くださいませ", "おいて", "おいてね", "頂戴", "ちょうだい",
    ];
    let is_request = polite.contains(&tail)
        || tail.starts_with(['、', ','])
        || tail.starts_with("くださ")
        || tail.starts_with(':');
    // 忘れないで is said to the assistant only about facts: 傘を忘れないで reminds somebody of an umbrella, and is kept too.
    if !is_request || has_any(before, words!["と言われた", "って言われた"]) && word.starts_with("忘れ")
    {
        return None;
    }
    let object =
        before.trim_end_matches([' ', '、', ',']).trim_end_matches("ちゃんと").trim_end_matches("しっかり");
    let object = trim_particle(object);
    if object.is_empty() || object == "これ" || object == "それ" || object == "このこと" {
        // The object follows: 覚えておいて、犬の名前はポチ.
        return Some(
            tail.trim_start_matches(|c: char| !c.is_alphanumeric())
                .trim_start_matches("ください")
                .trim_start_matches(['、', ',', ':', ' '])
                .to_owned(),
        )
        .map(|rest| if polite.contains(&rest.as_str()) { String::new() } else { rest });
    }
    Some(object.to_owned())
}

#[rustfmt::skip]
fn trim_particle(object: &str) -> &str {
    for particle in words![
        "ということを", "っていうのを", "というのを", "ってことを", "のことは", "のことを", "ことを", "と",
        "って", "を", "は", "も", "、",
    ] {
        if let Some(rest) = object.strip_suffix(particle)
            && !rest.is_empty()
        {
            return rest.trim_end_matches(['、', ',', ' ']);
        }
    }
    object
}

#[rustfmt::skip]
const FORGET_JA: Words = words![
    "忘れて", "わすれて", "記憶から消して", "記憶から削除して", "メモリから消して", "覚えないで",
    "記憶しないで", "覚えなくていい", "覚えておかないで", "忘れろ",
];
const MEMORY_JA: Words = words![
    "記憶",
    "覚えている",
    "覚えてる",
    "私について",
    "私の情報",
    "私に関する",
    "メモリ",
    "知っていること",
    "僕について",
    "俺について",
    "覚えた",
];
const DELETE_JA: Words = words!["削除して", "消して", "消去して", "破棄して"];

#[rustfmt::skip]
pub(super) fn forget_ja(folded: &str) -> Option<String> {
    let direct = FORGET_JA
        .iter()
        .filter_map(|word| folded.rfind(word).map(|at| (at, word)))
        .max_by_key(|(at, word)| (at + word.len(), word.len()));
    let (at, word) = if let Some(found) = direct {
        found
    } else {
        let found = DELETE_JA
            .iter()
            .filter_map(|word| folded.rfind(word).map(|at| (at, word)))
            .max_by_key(|(at, _)| *at)?;
        // Files and lines are deleted too; memory is meant when it is named.
        if !has_any(folded.get(..found.0)?, MEMORY_JA) {
            return None;
        }
        found
    };
    let after = folded.get(at + word.len()..)?;
    let before = folded.get(..at)?;
    let tail = after.trim_end_matches(['。', '.', '!', '~', 'ー', ' ']);
    let polite = [
        "", "ね", "よ", "ください", "下さい", "くださいね", "くれ", "ほしい", "欲しい", "ほしいです",
        "欲しいです", "お願い", "お願いします", "もらえますか", "くれますか", "くれる", "もらえる",
        "いただけますか", "です", "いい", "いいよ", "いいです", "構いません", "頂戴", "ちょうだい",
    ];
    let asks_politely = polite.contains(&tail.trim_end_matches(['?', '？']));
    if !asks_politely || is_about_instructions(before) {
        return None;
    }
    let what = before
        .trim_end_matches([' ', '、', ','])
        .trim_start_matches(|c: char| !c.is_alphanumeric());
    let what = words!["全部", "すべて", "全て", "もう", "一旦"].iter().fold(what, |what, adverb| what.strip_suffix(adverb).filter(|rest| !rest.is_empty()).unwrap_or(what));
    let what = trim_particle(what);
    // "That" is what was last talked about; only the talk can tell.
    let points = words!["そ", "こ", "あ", "その", "この", "それ", "これ", "今の", "今", "さっき", "さっきの"].contains(what);
    Some(if points { String::new() } else { what.to_owned() })
}

fn is_about_instructions(before: &str) -> bool {
    has_any(before, words!["指示", "命令", "プロンプト", "ルール"])
}

fn is_question_tail(after: &str) -> bool {
    let tail = after.split(['、', ',']).next().unwrap_or(after).trim_end_matches(['。', ' ']);
    (tail.ends_with('?') || tail.ends_with("か") || tail.ends_with("の"))
        && !tail.contains("くれますか")
        && !tail.contains("もらえますか")
        && !tail.contains("いただけますか")
        && !tail.contains("くれる?")
        && !tail.contains("もらえる?")
}
