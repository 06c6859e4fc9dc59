//! What a summary must keep: names, numbers with their units, and sentences that forbid or deny something.
//!
//! Names are recognized by their form alone (a capital inside a sentence, さん behind it), so a word too many is
//! asked for rather than a name too few. Only what the user said counts; an assistant's numbers are its own.

use std::cell::OnceCell;

use super::calls::Line;
use super::claim::numbers;
use crate::text::estimate::tokens;
use crate::text::fold::{fold, fold_kana};
use crate::text::language::{is_cjk, is_han, is_katakana};
use crate::text::list::Words;
use crate::text::phrase;
use crate::text::phrase::contains_any;
use crate::text::sentences::sentences;
use crate::text::term::terms;
use crate::words;

/// More than this no summary of a few hundred tokens can keep; the newest are asked for.
const MAX_KEPT: usize = 40;
/// A sentence that is longer is reduced to its names and numbers.
const MAX_SENTENCE_CHARS: usize = 120;

/// What must survive from the old summary and the messages, oldest first. What a later message corrects need not.
pub fn keep(summary: &str, messages: &[Line]) -> Vec<String> {
    let mut kept = kept_and_corrected(summary, messages).0;
    kept.split_off(kept.len().saturating_sub(MAX_KEPT))
}

/// Values that a later message took back, and that nothing said again.
pub(super) fn corrected(summary: &str, messages: &[Line]) -> Vec<String> {
    let (kept, mut corrected) = kept_and_corrected(summary, messages);
    corrected.retain(|value| !kept.iter().any(|kept| is_kept(value, kept)));
    corrected
}

fn kept_and_corrected(summary: &str, messages: &[Line]) -> (Vec<String>, Vec<String>) {
    let mut corrected: Vec<String> = Vec::new();
    let said = messages.iter().filter(|line| line.role == "user").map(|line| line.text.as_str());
    let mut kept: Vec<String> = Vec::new();
    for text in std::iter::once(summary).chain(said) {
        for sentence in sentences(text) {
            let (mut fresh, denied) = (values(sentence), denied_values(sentence));
            fresh.retain(|value| !denied.contains(value));
            if corrects(sentence) {
                // The value that is replaced is named ("not 4 pm"), or is the last one of the same unit.
                for value in &fresh {
                    let older = kept.iter().rposition(|old| unit(old).is_some() && unit(old) == unit(value));
                    if let Some(at) = older.filter(|_| denied.is_empty()) {
                        corrected.push(kept.remove(at));
                    }
                }
                corrected.extend(denied.iter().cloned());
                kept.retain(|old| {
                    !denied.iter().any(|denied| denied == old || is_sentence_with(old, denied))
                });
            } else if denies(sentence)
                && !is_question(sentence)
                && sentence.chars().count() <= MAX_SENTENCE_CHARS
            {
                fresh.push(sentence.to_owned());
            }
            for value in fresh {
                kept.retain(|old| *old != value);
                kept.push(value);
            }
        }
    }
    (kept, corrected)
}

/// Of the items, as many as a summary of `max_tokens` has room for in half of it: names and numbers before
/// sentences that deny something, newer ones before older ones. The order stays.
pub fn within(items: Vec<String>, max_tokens: u32) -> Vec<String> {
    let mut room = max_tokens / 2;
    let mut chosen = vec![false; items.len()];
    for denials in [false, true] {
        for (item, chosen) in items.iter().zip(&mut chosen).rev() {
            let cost = tokens(item) + 1;
            if denies(item) == denials && cost <= room {
                room -= cost;
                *chosen = true;
            }
        }
    }
    items.into_iter().zip(chosen).filter_map(|(item, chosen)| chosen.then_some(item)).collect()
}

/// Whether an item of [`keep`] survives in a text.
pub(super) fn is_kept(item: &str, text: &str) -> bool {
    Wanted::of(item).is_in(&Told::of(text))
}

/// An item of [`keep`], taken apart once for all texts that are asked for it.
pub(super) struct Wanted<'a> {
    pub(super) item: &'a str,
    folded: String,
    denies: bool,
    numbers: OnceCell<Vec<i64>>,
}

/// A text, taken apart once for all items that it is asked for.
pub(super) struct Told<'a> {
    pub(super) text: &'a str,
    folded: String,
    numbers: OnceCell<Vec<i64>>,
    denials: OnceCell<Vec<&'a str>>,
}

impl<'a> Told<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, folded: fold_kana(text), numbers: OnceCell::new(), denials: OnceCell::new() }
    }

    fn denials(&self) -> &[&'a str] {
        self.denials
            .get_or_init(|| sentences(self.text).into_iter().filter(|sentence| denies(sentence)).collect())
    }
}

impl<'a> Wanted<'a> {
    pub(super) fn of(item: &'a str) -> Self {
        Self { item, folded: fold_kana(item), denies: denies(item), numbers: OnceCell::new() }
    }

    pub(super) fn is_in(&self, told: &Told<'_>) -> bool {
        if phrase::has(&told.folded, &self.folded) {
            return true;
        }
        if self.denies {
            return told.denials().iter().any(|sentence| shares_most(self.item, sentence));
        }
        // A number survives in any spelling, and with any unit.
        let asked = self.numbers.get_or_init(|| numbers(self.item));
        if !asked.is_empty() {
            let told = told.numbers.get_or_init(|| numbers(told.text));
            return asked.iter().all(|number| told.contains(number));
        }
        let bare = self.folded.trim_end_matches("さん").trim_end_matches("ちゃん").trim_end_matches("くん");
        !bare.is_empty() && phrase::has(&told.folded, bare)
    }
}

/// Whether half of the words that carry the item's meaning are in the sentence.
fn shares_most(item: &str, sentence: &str) -> bool {
    const EMPTY: Words = words![
        "the", "a", "an", "i", "user", "never", "not", "don't", "do", "does", "doesn't", "to", "me", "my",
        "please", "is", "am", "are", "no", "can't", "must", "and", "or", "it", "that", "in", "at", "of",
        "for",
    ];
    let carries = |term: &String| {
        let kana = term.chars().all(|c| ('ぁ'..='ゖ').contains(&c));
        !EMPTY.contains(term.as_str()) && !(kana && term.chars().count() <= 2)
    };
    let wanted: Vec<String> = terms(item).into_iter().filter(carries).collect();
    let told = terms(sentence);
    let near = |a: &str, b: &str| {
        a == b || (a.len() >= 4 && b.len() >= 4 && a.is_ascii() && (a.starts_with(b) || b.starts_with(a)))
    };
    let found = wanted.iter().filter(|word| told.iter().any(|told| near(word, told))).count();
    found * 2 >= wanted.len()
}

/// Whether a sentence forbids or denies something.
pub(super) fn denies(sentence: &str) -> bool {
    const EN: Words = words![
        "never",
        "not",
        "no longer",
        "don't",
        "doesn't",
        "can't",
        "cannot",
        "won't",
        "must not",
        "mustn't",
        "shouldn't",
        "isn't",
        "aren't",
        "without",
        "avoid",
        "avoids",
        "allergic",
        "forbidden",
        "stop",
        "except",
        "refuses",
    ];
    const JA: Words = words![
        "ない",
        "なかった",
        "ません",
        "禁止",
        "ダメ",
        "だめ",
        "駄目",
        "厳禁",
        "アレルギー",
        "避け",
        "嫌い",
        "苦手",
        "やめ",
        "以外",
    ];
    // An apology isn't a denial, though it ends like one.
    let folded = fold(sentence).replace('’', "'").replace("すみません", "").replace("すいません", "");
    phrase::has_any(&folded, EN) || contains_any(&folded, JA)
}

fn is_question(sentence: &str) -> bool {
    sentence.ends_with(['?', '？'])
        || words!["ますか。", "ますか", "ですか。", "ですか", "ませんか", "ませんか。"]
            .iter()
            .any(|end| sentence.ends_with(end))
}

/// Whether a sentence takes something back.
pub(super) fn corrects(sentence: &str) -> bool {
    const EN: Words = words![
        "actually",
        "correction",
        "i meant",
        "i mean",
        "sorry",
        "instead of",
        "not",
        "rather than",
        "changed to",
    ];
    const JA: Words = words![
        "ではなく",
        "じゃなく",
        "訂正",
        "間違え",
        "間違い",
        "正しくは",
        "変更",
        "変わ",
        "いや、",
        "やっぱり",
    ];
    let folded = fold(sentence);
    let values = values(sentence);
    !values.is_empty()
        && (phrase::has_any(&folded, EN)
            && (!denied_values(sentence).is_empty() || !folded.contains(" not "))
            || contains_any(&folded, JA)
            || is_apology(&folded))
        && !phrase::has_any(&folded, words!["never"])
}

/// 「すみません、4時でした」.
fn is_apology(folded: &str) -> bool {
    contains_any(folded, words!["すみません", "すいません", "ごめん"])
        && contains_any(folded, words!["でした", "だった"])
}

/// Values that a sentence names in order to take them back: "not 4 pm", "4時ではなく".
fn denied_values(sentence: &str) -> Vec<String> {
    let folded = fold_kana(sentence);
    values(sentence)
        .into_iter()
        .filter(|value| {
            let value = fold_kana(value);
            words!["not ", "not at ", "not on ", "instead of ", "rather than ", "no longer "]
                .iter()
                .any(|before| phrase::has(&folded, &format!("{before}{value}")))
                || words!["ではなく", "じゃなく", "でなく", "から変更", "はまちが"]
                    .iter()
                    .any(|after| folded.contains(&format!("{value}{after}")))
        })
        .collect()
}

fn is_sentence_with(item: &str, value: &str) -> bool {
    item != value && denies(item) && phrase::has(&fold_kana(item), &fold_kana(value))
}

/// What a number counts; `None` for what isn't a number.
fn unit(value: &str) -> Option<String> {
    let folded = fold_kana(value);
    folded.trim_start_matches(['$', '€', '£', '¥']).starts_with(|c: char| c.is_ascii_digit()).then(|| {
        folded.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | ',' | ':' | ' ')).collect()
    })
}

/// Names and numbers of a sentence, in order, numbers with the unit that is written behind them.
pub(super) fn values(sentence: &str) -> Vec<String> {
    let letters: Vec<char> = sentence.chars().collect();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&c) = letters.get(at) {
        let is_price = "$€£¥".contains(c) && letters.get(at + 1).is_some_and(|next| is_digit(*next));
        let length = if is_price {
            1 + number_length(letters.get(at + 1..).unwrap_or_default())
        } else if is_digit(c) {
            number_length(letters.get(at..).unwrap_or_default())
        } else if c.is_uppercase() {
            let word = letters.iter().skip(at).take_while(|c| c.is_alphanumeric() && !is_cjk(**c)).count();
            let is_inside = found_before(&letters, at);
            // "I" and words at the beginning of a sentence are no names by their form.
            if word >= 2 && is_inside {
                found.push(letters.iter().skip(at).take(word).collect());
            }
            at += word.max(1);
            continue;
        } else {
            0
        };
        if length > 0 {
            found.push(letters.iter().skip(at).take(length).collect());
            at += length;
        } else if c.is_alphabetic() && !is_cjk(c) {
            at += letters.iter().skip(at).take_while(|c| c.is_alphanumeric() && !is_cjk(**c)).count().max(1);
        } else {
            at += 1;
        }
    }
    found.extend(titled_names(&letters));
    found
}

/// Whether a word stands inside its sentence: behind another word, not behind a mark that begins one.
fn found_before(letters: &[char], at: usize) -> bool {
    letters
        .iter()
        .take(at)
        .rev()
        .find(|c| !c.is_whitespace())
        .is_some_and(|c| c.is_alphanumeric() || matches!(c, ',' | '、' | '\'' | '(' | '&' | '-'))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

/// A number with what belongs to it: 3,000円, 2026-12-24, 9:30, 5 pm, 3月5日.
fn number_length(rest: &[char]) -> usize {
    let mut end = 0;
    loop {
        let digits = rest.iter().skip(end).take_while(|c| is_digit(**c)).count();
        if digits == 0 {
            break;
        }
        end += digits;
        let next = rest.get(end).copied().unwrap_or(' ');
        let goes_on = rest.get(end + 1).is_some_and(|c| is_digit(*c));
        if matches!(next, '.' | ',' | ':' | '-' | '/' | '：') && goes_on {
            end += 1;
        } else if "年月日時分万千億".contains(next) {
            end += 1;
        } else {
            break;
        }
    }
    let tail: String = rest.iter().skip(end).take(3).collect();
    let lower = tail.to_ascii_lowercase();
    if lower.starts_with(" am") || lower.starts_with(" pm") {
        return end + 3;
    }
    if lower.starts_with("am")
        || lower.starts_with("pm")
        || lower.starts_with("km")
        || lower.starts_with("kg")
    {
        return end + 2;
    }
    let counter = rest.get(end).is_some_and(|c| "円人匹歳才回本台個名枚階番%％".contains(*c));
    end + usize::from(counter)
}

/// Names with a title: 田中さん, ハナコちゃん, 佐藤先生.
fn titled_names(letters: &[char]) -> Vec<String> {
    let text: String = letters.iter().collect();
    let mut found = Vec::new();
    for title in words!["さん", "ちゃん", "くん", "君", "先生", "様"] {
        for (at, _) in text.match_indices(title) {
            let before = text.get(..at).unwrap_or_default();
            let last = before.chars().next_back();
            let same = |c: char| {
                last.is_some_and(|last| (is_han(c) && is_han(last)) || (is_katakana(c) && is_katakana(last)))
            };
            let name: String = before.chars().rev().take_while(|c| same(*c)).collect();
            let name: String = name.chars().rev().collect();
            if (1..=8).contains(&name.chars().count()) {
                found.push(format!("{name}{title}"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_found_by_their_form() {
        assert_eq!(values("I met Hanako Sato at 9:30 in Osaka"), ["Hanako", "Sato", "9:30", "Osaka"]);
        assert_eq!(values("家賃は80,000円で、田中さんと3月5日に会う"), ["80,000円", "3月5日", "田中さん"]);
        assert!(values("Hello there").is_empty());
    }

    #[test]
    fn a_number_survives_in_another_spelling() {
        assert!(is_kept("3", "The user has three cats."));
        assert!(is_kept("３月５日", "3月5日に会う"));
        assert!(!is_kept("30", "The user has 3 cats."));
        assert!(is_kept("田中さん", "田中と会う"));
        assert!(!is_kept("Ann", "Annual"));
    }
}
