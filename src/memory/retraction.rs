//! What is taken back as soon as it is said: jokes marked as such, slips that the next words correct.
//!
//! Both the wrong and the right version are then left alone, because only a reader can tell which is which.

use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{ends_any, find, has_any, starts_any};
use crate::words;

/// Whether the sentence is taken back, by itself or by the one behind it.
pub(super) fn is_taken_back(sentence: &str, next: &str) -> bool {
    let (folded, next) = (fold(sentence), fold(next));
    is_joke(&folded)
        || is_joke(&next) && next.chars().count() <= MOST_CHARS
        || corrects_within(&folded)
        || corrects(&next)
}

/// A longer sentence behind has something of its own to say.
const MOST_CHARS: usize = 40;
/// A second thought that is no sentence of its own.
const AFTERTHOUGHT_CHARS: usize = 24;

fn is_joke(folded: &str) -> bool {
    has_any(folded, JOKES) || folded.trim_end_matches(['。', '.', '!']).ends_with("冗談")
}

/// "I'm 30, sorry, 31", 「60、じゃなくて61です」: a slip in mid-sentence, and what was meant right behind it.
fn corrects_within(folded: &str) -> bool {
    let meant = CORRECTS_WITHIN.iter().find_map(|word| {
        let at = find(folded, word)?;
        let said = folded.get(..at)?.trim_end();
        // "Sorry, I meant 4" corrects what was said before it.
        let is_apart = said.ends_with([',', '.', '…', '-', '—', '–', '、']) && said.contains(' ');
        folded.get(at + word.len()..).filter(|_| is_apart)
    });
    meant.is_some_and(|rest| rest.split_whitespace().count() <= 4)
        || CORRECTS_WITHIN_JA.iter().any(|word| folded.find(word).is_some_and(|at| at > 0))
}

/// "Correction: 7:40", "Worked, I should say", 「あ、違う、…」: the sentence before was wrong.
fn corrects(next: &str) -> bool {
    let words = next.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = OPENS
        .iter()
        .find_map(|word| words.strip_prefix(word))
        .map_or(words, |rest| rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let end = bare.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_short = next.chars().count() <= AFTERTHOUGHT_CHARS;
    starts_any(bare, CORRECTS)
        || CORRECTS_JA.iter().any(|word| bare.starts_with(word))
        || is_short && (ends_any(end, RESTATES) || end.ends_with("、か") || FAILS.contains(end))
}

#[rustfmt::skip]
const JOKES: Words = words![
    "just kidding", "jk", "just joking", "i'm joking", "i'm kidding", "i was kidding", "i was joking",
    "only kidding", "only joking", "kidding!", "it's a joke", "that was a joke", "it was a joke",
    "as a joke", "scratch that", "i take that back", "no wait", "not really, just", "/s", "冗談です",
    "冗談だ", "冗談ね", "冗談だけど", "冗談ですけど", "冗談ですが", "というのは冗談", "なんちゃって",
    "うそうそ", "嘘嘘", "嘘です", "うそです", "嘘だけど", "ジョークです", "ジョークだ", "今のなし",
    "今のは忘れて", "今のは嘘", "ですけど何か", "ですが何か", "はいはい、どうせ", "yeah right", "haha yeah i'm", "yeah no, i",
    "sure, and i'm", "and i'm the queen", "and i'm the pope", "and i'm the king", "i'm totally a", "間違えました、", "と言ってみる", "なんてね", "(冗談)", "(嘘)",
    "april fool", "april fools", "エイプリルフール", "🙄", "🙃",
];
/// How a correction begins.
#[rustfmt::skip]
const CORRECTS: Words = words![
    "no wait", "wait no", "wait, no", "no, wait", "wait, sorry", "hang on", "hold on", "scratch that", "strike that", "correction",
    "i mean", "i meant", "sorry, i meant", "sorry i meant", "make that", "or rather", "rather,", "actually no", "actually, no",
    "no, actually", "no, sorry", "oops", "my mistake", "my bad", "i misspoke", "i lied", "typo", "almost", "well, almost", "not really",
    "just not", "that's wrong", "that was wrong", "it fell through", "fell through",
];
#[rustfmt::skip]
const CORRECTS_JA: Words = words![
    "いや、", "いや違", "いやいや", "違う、", "違った", "違います、", "ちがう", "ちゃう、", "ちゃうわ", "訂正", "間違え", "正しくは", "もとい", "じゃなくて",
    "じゃなかった", "ではなくて", "というか、違", "嘘、", "うそ、",
];
/// Sounds of somebody who notices a slip.
const OPENS: Words = words![
    "oh,",
    "oh ",
    "ah,",
    "ah ",
    "uh,",
    "um,",
    "er,",
    "hmm,",
    "あ、",
    "あっ、",
    "えっと、",
    "ん、",
    "あー、"
];
#[rustfmt::skip]
const CORRECTS_WITHIN: Words = words![
    "sorry", "i mean", "i meant", "make that", "or rather", "no wait", "wait", "almost", "correction", "scratch that", "er", "no",
];
const CORRECTS_WITHIN_JA: Words =
    words!["、じゃなくて", "、いや、", "、もとい", "、訂正", "、違う", "、違った", "、じゃなかった"];
/// How a restatement ends.
const RESTATES: Words = words!["i should say", "rather", "i mean", "that is", "i meant"];
const FAILS: Words = words!["almost", "nearly", "not", "not quite", "it fell through", "未遂", "嘘", "うそ"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_takes_back_what_was_said() {
        for (sentence, next) in [
            ("I own a castle.", "Just kidding!"),
            ("I'm 30, sorry, 31.", ""),
            ("I'm 42, no wait, 43 since Sunday.", ""),
            ("We have three cats.", "Scratch that, two."),
            ("I work at Lloyds.", "Worked, I should say."),
            ("I was born in 1990.", "Oh, hang on, 1991."),
            ("My flight is at 7.", "Correction: 7:40."),
            ("My cat is called Luna... I mean Lima.", ""),
            ("I moved to Oslo...", "almost."),
            ("42歳です。", "あ、違う、日曜で43になりました。"),
            ("猫が三匹います。", "いや、二匹か。"),
            ("三井に勤めてます。", "勤めてました、か。"),
            ("便は7時です。", "訂正、7時40分です。"),
            ("父は60、じゃなくて61です。", ""),
        ] {
            assert!(is_taken_back(sentence, next), "{sentence} {next}");
        }
    }

    #[test]
    fn what_is_only_gone_on_with_stands() {
        for (sentence, next) in [
            ("I live in Bonn.", "Actually, I moved there last year."),
            ("Sorry, I live in Bonn.", "It's far."),
            ("Sorry, I meant 4 pm.", ""),
            ("I like tea.", "I'd rather not have coffee."),
            ("I wait tables, I mean it pays the bills and the hours are fine", ""),
            ("大阪に住んでいます。", "いやあ、暑いです。"),
            ("京都出身ではなく滋賀出身です。", ""),
            ("冗談が好きです。", ""),
        ] {
            assert!(!is_taken_back(sentence, next), "{sentence} {next}");
        }
    }
}
