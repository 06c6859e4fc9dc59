//! Comparing sentences by their words, where their claims can't be compared.
//!
//! Only equal words are the same, only unrelated ones are separate, and everything between is for the judge.

use super::claim::{Claim, Count, claim, normal, numbers};
use super::compare::{Relation, is_event, same_words};
use super::model::{Candidate, Fact};
use super::{claim_en, plain_ja, verbs_en};
use crate::sorted::SortedSet;
use crate::text::fold::fold_kana;
use crate::text::language::{Language, is_cjk, is_han, language};
use crate::text::list::Words;
use crate::text::term::terms;
use crate::words;

pub(super) fn by_words(new: &Candidate, old: &Fact) -> Relation {
    let (a, b) = (content(&new.text), content(&old.text));
    if a.is_empty() || b.is_empty() {
        return Relation::Unsure;
    }
    let akin = share_an_attribute(&new.text, &old.text);
    let (a_set, b_set): (SortedSet<&String>, SortedSet<&String>) = (a.iter().collect(), b.iter().collect());
    let shared = a_set.intersection(&b_set).count();
    if shared == 0 && !akin {
        let one_script = has_cjk(&new.text) == has_cjk(&old.text);
        return if one_script { Relation::Separate } else { Relation::Unsure };
    }
    if a == b {
        return equal_words(new, old);
    }
    // A third of the words in common is where rewordings begin; below it are sentences about other things.
    let near = shared * 3 >= a_set.len() + b_set.len() - shared;
    if near || akin { Relation::Unsure } else { Relation::Separate }
}

fn equal_words(new: &Candidate, old: &Fact) -> Relation {
    let (new_denials, old_denials) = (denials(&new.text), denials(&old.text));
    if new_denials != old_denials {
        let ended =
            words!["no longer", "anymore", "もう", "なくな"].iter().any(|mark| new.text.contains(mark));
        return match (new_denials + old_denials, ended) {
            (1, true) => Relation::Changed,
            (1, false) => Relation::Contradicts,
            // Denials may cancel each other out.
            _ => Relation::Unsure,
        };
    }
    if numbers(&new.text) == numbers(&old.text) {
        // Tense and mood aren't in the words: "lived" and "would live" are no "lives".
        return if ends_alike(&new.text, &old.text) { same_words(new, old) } else { Relation::Unsure };
    }
    if is_event(new.kind) || is_event(old.kind) { Relation::Separate } else { Relation::Changed }
}

/// Whether two Japanese sentences end in the same way; English ones have their tense in their words.
fn ends_alike(a: &str, b: &str) -> bool {
    let ending = |text: &str| {
        let plain = normal(text);
        plain.chars().rev().take_while(|c| ('ぁ'..='ゖ').contains(c)).collect::<String>()
    };
    language(a) == Language::En || ending(a) == ending(b)
}

/// Whether a part of one sentence states what a part of the other does: "changed jobs and now works at Beta".
fn share_an_attribute(new: &str, old: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let commas = text.split([',', ';', '、', '，']);
        commas
            .flat_map(|part| part.split(" and "))
            .flat_map(|part| part.split(" but "))
            .map(str::to_owned)
            .collect()
    };
    let (new, old) = (parts(new), parts(old));
    if new.len() + old.len() == 2 {
        return false;
    }
    let claims = |parts: &[String]| -> Vec<Claim> {
        parts.iter().filter_map(|part| claim(part)).filter(|claim| claim.count != Count::Unknown).collect()
    };
    let told = claims(&old);
    claims(&new)
        .iter()
        .any(|new| told.iter().any(|old| old.attribute == new.attribute && old.subject == new.subject))
}

/// The words that carry a sentence's meaning, in order, without numbers, particles and what denies.
fn content(text: &str) -> Vec<String> {
    const EMPTY: Words = words![
        "a", "an", "the", "i", "user", "user's", "is", "am", "are", "was", "were", "be", "to", "of", "in",
        "on", "at", "for", "and", "my", "their", "his", "her", "with", "that", "it", "do", "does", "did",
        "not", "never", "no", "longer", "has", "have", "very", "can", "could", "will", "would", "anymore",
        "now",
    ];
    match language(text) {
        Language::En => claim_en::without_user_words(text)
            .iter()
            .filter(|word| {
                !EMPTY.contains(word.as_str())
                    && !word.chars().all(|c| c.is_ascii_digit())
                    && super::numbers::word_value(word).is_none()
            })
            .map(|word| verbs_en::singular(word))
            .collect(),
        Language::Ja => runs(&plain_ja::without_user(text)),
    }
}

/// The runs of one script in a Japanese sentence: kanji as single characters, because compounds have no border;
/// hiragana, which is endings and particles, only where there is nothing else.
fn runs(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        'ぁ'..='ゖ' => 0,
        'ァ'..='ヺ' | 'ー' => 1,
        c if is_han(c) => 2,
        _ => 3,
    };
    let mut found: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        let class = class(c);
        match (class, last) {
            (0, _) => {}
            (1 | 3, Some(before)) if before == class => {
                if let Some(run) = found.last_mut() {
                    run.push(c);
                }
            }
            _ => found.push(c.to_string()),
        }
        last = Some(class);
    }
    found
        .retain(|run| !run.chars().all(|c| c.is_ascii_digit()) && !run.starts_with(['年', '月', '日', '歳']));
    if found.is_empty() { terms(text) } else { found.iter().map(|run| fold_kana(run)).collect() }
}

/// How often a sentence denies something, wherever.
fn denials(text: &str) -> usize {
    let plain = normal(text);
    let words =
        plain.split(' ').filter(|word| words!["not", "never", "no", "without"].contains(word)).count();
    let marks: usize =
        words!["ない", "なかった", "なくな", "ずに"].iter().map(|mark| plain.matches(mark).count()).sum();
    words + marks
}

fn has_cjk(text: &str) -> bool {
    text.chars().any(is_cjk)
}
