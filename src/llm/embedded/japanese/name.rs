//! Names of the speaker, relatives and pets in Japanese.
//!
//! A word is a name only where the sentence introduces one: 「学生です」 has the shape of 「田中です」.

use super::objects::{noun, points};
use super::words::{OTHERS, PETS, RELATIVES};
use super::{Clause, Subject};
use crate::llm::embedded::statement::{Slot, Statement};
use crate::text::language::{is_kana, is_katakana};
use crate::text::names::is_japanese_name;
use crate::text::phrase::contains_any;
use crate::words;

pub fn name_statement(slot: Slot, name: &str) -> Statement {
    let text = if slot == Slot::Nickname {
        format!("{name}と呼ばれたい。")
    } else {
        format!("名前は{name}。")
    };
    Statement::new(slot, "", name, text)
}

pub fn named(slot: Slot, of: &str, name: &str) -> Statement {
    Statement::new(slot, of, name, format!("{of}の名前は{name}。"))
}

pub fn known_being(word: &str) -> Option<Slot> {
    if PETS.contains(word) {
        return Some(Slot::Pet);
    }
    RELATIVES.contains(word).then_some(Slot::Relation)
}

/// What calls somebody by the name before it.
const CALLS: [&str; 10] = [
    "という名前です",
    "という名前だ",
    "という名前",
    "って名前です",
    "って名前",
    "と申します",
    "といいます",
    "と言います",
    "っていいます",
    "と名付けました",
];

/// 「…という名前です」, 「…と申します」, 「…といいます」
pub fn called(body: &str) -> Option<&str> {
    let name = CALLS.iter().find_map(|end| body.strip_suffix(end))?;
    let name = name.rsplit(['、', '，', ' ']).next()?;
    is_name(name).then_some(name)
}

/// 「大阪に住んでいる田中です」, 「営業の田中と申します」: what is said of the speaker before the name, and the name.
pub fn presented<'a>(clause: &Clause<'a>) -> Option<(&'a str, &'a str)> {
    let called = CALLS.iter().find_map(|end| clause.body.strip_suffix(end));
    let presents = called.is_some() || clause.introduced || clause.subject == Subject::Me { explicit: true };
    if !presents || !matches!(clause.subject, Subject::Me { .. }) {
        return None;
    }
    let said = match called {
        Some(said) => said,
        None => noun(clause.body).filter(|found| !found.negated && !found.past)?.before,
    };
    let splits = said.char_indices().filter_map(|(at, c)| said.split_at_checked(at + c.len_utf8()));
    let is_foreign = |name: &str| called.is_some() && !name.is_empty() && name.chars().all(is_katakana);
    let (before, name) = splits
        .filter(|(before, _)| before.ends_with(['る', 'た', 'う', 'く', 'す', 'む', 'の']))
        .find(|(_, name)| is_japanese_name(name) || is_foreign(name))?;
    let is_others =
        before.contains(['は', 'が']) || RELATIVES.iter().chain(OTHERS).any(|other| before.contains(other));
    (!is_others).then_some((before, name))
}

pub fn given_name(rest: &str) -> Option<&str> {
    called(rest).or_else(|| {
        let found = noun(rest)?;
        let is_given = is_name(found.before) && !found.negated && !found.past;
        is_given.then_some(found.before)
    })
}

pub fn is_name(word: &str) -> bool {
    let length = word.chars().count();
    (1..=14).contains(&length)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, 'ー' | '・' | ' ' | '　'))
        && !points(word)
        && !word.ends_with(['い', 'な', 'を', 'が', 'は', 'に', 'て'])
        && !word.ends_with("お願")
        && (word.chars().all(is_kana)
            || !word.contains(['に', 'で', 'と', 'を', 'が', 'は', 'も', 'る', 'く', 'す']))
        && !contains_any(
            word,
            words!["よろしく", "秘密", "内緒", "まだ", "ない", "初めて", "元気", "有名", "珍しい", "同じ"],
        )
}
