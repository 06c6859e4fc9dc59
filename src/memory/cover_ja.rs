//! Whether the words of a Japanese fact were said. Without a dictionary, scripts tell words apart: kanji and
//! katakana runs carry content, hiragana is grammar unless nothing explains it.

use super::numbers::kanji_value;
use super::vocabulary::{FREE_JA, GROUPS_JA, WIDER_JA};
use crate::sorted::SortedSet;
use crate::text::fold::{fold, fold_kana};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
use crate::text::script::{Script, runs};
use crate::words;

/// The first run of the text that was not said.
pub(super) fn uncovered_japanese(text: &str, said: &str) -> Option<String> {
    let (text, said) = (fold(text), fold(said));
    let said_kana = fold_kana(&said);
    let vouched = |word: &str| {
        (word == "名前" && introduces(&text, &said))
            || GROUPS_JA
                .iter()
                .any(|group| group.contains(word) && group.iter().any(|other| said.contains(other)))
            || WIDER_JA
                .iter()
                .any(|(wide, narrow)| *wide == word && narrow.iter().any(|other| said.contains(other)))
    };
    for (script, run) in runs(&text) {
        let covered = match script {
            Script::Han => han_covered(&run, &said, &vouched),
            Script::Katakana | Script::Latin => {
                let plain = run.trim_matches('ー');
                FREE_JA.contains(run.as_str()) || said_kana.contains(&fold_kana(plain)) || vouched(&run)
            }
            Script::Hiragana => hiragana_covered(&run, &said_kana),
            Script::Other => true,
        };
        if !covered {
            return Some(run);
        }
    }
    None
}

/// 「私は田中です」 and 「はじめまして、田中です」 say that the name is 田中; 「私は学生です」 has the same shape.
fn introduces(text: &str, said: &str) -> bool {
    let Some(name) = text.split_once("名前は").map(|(_, name)| name) else { return false };
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let name = ["です", "だ"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let greets = said.contains("はじめまして") || said.contains("初めまして");
    !name.is_empty()
        && (greets || is_japanese_name(name))
        && said.match_indices(name).any(|(at, _)| {
            let (before, after) = (said.get(..at).unwrap_or_default(), said.get(at + name.len()..));
            let opens = before.is_empty() || before.ends_with(['は', '、', '。', '!', ' ', ',']);
            opens && after.is_some_and(|after| after.starts_with("です") || after.starts_with('だ'))
        })
}

/// A run of kanji is covered if it can be cut into pieces that were said, need no saying, or reword what was said.
/// A single kanji of a longer run must have stood by itself, or 田中 would cover 中田.
fn han_covered(run: &str, said: &str, vouched: &impl Fn(&str) -> bool) -> bool {
    if said.contains(run) {
        return true;
    }
    let letters: Vec<char> = run.chars().collect();
    let alone: SortedSet<String> = runs(said)
        .into_iter()
        .filter(|(kind, run)| *kind == Script::Han && run.chars().count() == 1)
        .map(|(_, run)| run)
        .collect();
    let mut at = 0;
    while at < letters.len() {
        let piece = (1..=letters.len() - at).rev().find(|&length| {
            let piece: String = letters.iter().skip(at).take(length).collect();
            let is_said = if length == 1 {
                letters.len() == 1 && said.contains(&piece) || alone.contains(&piece)
            } else {
                said.contains(&piece)
            };
            // 日 needs no saying by itself, but 日勤 is no 夜勤.
            let is_free = FREE_JA.contains(piece.as_str()) && (at > 0 || length > 1 || letters.len() == 1);
            is_said || is_free || vouched(&piece)
        });
        match piece {
            Some(length) => at += length,
            // Numerals are judged by value.
            None if letters.get(at).is_some_and(|&c| kanji_value(c).is_some()) => at += 1,
            None => return false,
        }
    }
    true
}

/// Particles, verb endings and the like, longest first.
#[rustfmt::skip]
const GRAMMAR: Words = words![
    "ではありません", "じゃありません", "なければならない", "ということ", "とのこと", "のことが", "ではない",
    "じゃない", "ありません", "ございます", "している", "しています", "していた", "していない",
    "したことがある", "んでいる", "んでいます", "んでいた", "っている", "っています", "っていた", "いている",
    "いています", "れている", "べている", "てある", "ことがある", "ことにしている", "ことにした",
    "ようになった", "ようにしている", "ことができる", "できない", "できる", "られる", "られない", "したい",
    "きたい", "りたい", "みたい", "べたい", "たいと", "たくない", "ました", "ません", "ます", "でした", "です",
    "だった", "である", "だ", "たい", "なかった", "ない", "なく", "ている", "ていた", "てい", "いる", "いた",
    "いない", "ある", "あり", "あった", "する", "した", "して", "しない", "せず", "なった", "になる", "なる",
    "なり", "という", "といった", "として", "について", "によって", "において", "に", "が", "を", "は", "の",
    "で", "と", "も", "や", "へ", "から", "まで", "より", "など", "とても", "すごく", "よく", "いつも",
    "たまに", "ほとんど", "もう", "まだ", "だけ", "のみ", "ばかり", "しか", "ずっと", "かつて", "いま", "こと", "もの", "ため", "ところ", "ほう",
    "とき", "ころ", "その", "この", "また", "そして", "れ", "ら", "り", "る", "く", "い", "う", "き", "し",
    "す", "せ", "た", "て", "っ", "ん", "な", "ね", "め", "み", "け", "べ", "ば", "ち", "つ", "え", "お", "ご",
    "わ", "か", "こ", "そ", "ろ", "よ", "ぶ", "び", "む", "ま", "げ", "ぐ", "ぎ", "ど",
];

/// A run of hiragana is covered if it was said, or if grammar explains it. Three letters or more that neither
/// explains are a word of their own, such as a name.
fn hiragana_covered(run: &str, said_kana: &str) -> bool {
    if run.chars().count() < 3 || said_kana.contains(run) {
        return true;
    }
    let letters: Vec<char> = run.chars().collect();
    let (mut at, mut short) = (0, 0);
    while at < letters.len() {
        let rest: String = letters.iter().skip(at).collect();
        let grammar = GRAMMAR
            .iter()
            .filter(|word| rest.starts_with(*word))
            .map(|word| word.chars().count())
            .max()
            .unwrap_or(0);
        let spoken = (2..=letters.len() - at)
            .rev()
            .find(|&length| said_kana.contains(&letters.iter().skip(at).take(length).collect::<String>()))
            .unwrap_or(0);
        let length = grammar.max(spoken);
        // One-letter explanations in a row explain nothing: さ‐く‐ら is a name.
        if length >= 2 {
            short = 0;
        } else {
            short += 1;
        }
        if short >= 3 && (letters.len() > 3 || length == 0) {
            return false;
        }
        at += length.max(1);
    }
    letters.len() > 3 || short < 3
}
