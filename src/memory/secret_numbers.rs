//! Numbers that are secrets: cards, national ids, accounts. Told by form, check digit and the words around them.

use std::ops::Range;

use super::policy::{Finding, Screening, Secret};
use super::secrets;

/// Secrets among the numbers of a text, in order; at most one of each run of digits.
pub(super) fn numbers(text: &str, screening: Screening) -> Vec<Finding> {
    digit_runs(text).iter().filter_map(|run| number_in(run, text, screening)).collect()
}

/// Digits that are written as one number: single spaces or hyphens may stand between groups.
struct Run {
    digits: Vec<u8>,
    groups: Vec<Group>,
}

/// Digits without a separator between them.
struct Group {
    digits: usize,
    range: Range<usize>,
}

/// Some neighbouring groups of a run.
struct Number<'a> {
    digits: &'a [u8],
    /// Lengths of the groups between separators.
    groups: Vec<usize>,
    range: Range<usize>,
}

/// How a number stands in its run.
#[derive(Clone, Copy)]
struct Part {
    is_whole: bool,
    /// A neighbour is grouped alike, so the number may be a piece of a longer one.
    goes_on: bool,
}

/// The secret in a run: the whole run, or the longest of its parts, because two numbers may stand side by side.
fn number_in(run: &Run, text: &str, screening: Screening) -> Option<Finding> {
    // Longer runs are data, not numbers that somebody tells.
    const GROUPS_READ: usize = 24;
    let count = run.groups.len().min(GROUPS_READ);
    for length in (1..=count).rev() {
        for first in 0..=count - length {
            let groups = run.groups.get(first..first + length)?;
            let skipped: usize = run.groups.iter().take(first).map(|group| group.digits).sum();
            let digits: usize = groups.iter().map(|group| group.digits).sum();
            let number = Number {
                digits: run.digits.get(skipped..skipped + digits)?,
                groups: groups.iter().map(|group| group.digits).collect(),
                range: groups.first()?.range.start..groups.last()?.range.end,
            };
            let part = Part {
                is_whole: length == run.groups.len(),
                goes_on: [first.checked_sub(1), Some(first + length)].into_iter().flatten().any(|beside| {
                    run.groups.get(beside).is_some_and(|group| number.groups.contains(&group.digits))
                }),
            };
            if let Some(kind) = number_kind(&number, part, text, screening) {
                return Some(Finding { kind, range: number.range });
            }
        }
    }
    None
}

fn digit_runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut current: Option<Run> = None;
    let mut separated = false;
    let mut previous = ' ';
    let mut closes = |run: Option<Run>, next: char| {
        // Letters, points and currency beside it make it part of something else: an id, a price, an address.
        if let Some(run) = run.filter(|_| !next.is_ascii_alphanumeric() && next != '_') {
            runs.push(run);
        }
    };
    for (at, c) in text.char_indices() {
        if let Some(digit) = digit_value(c) {
            match &mut current {
                Some(run) => {
                    run.digits.push(digit);
                    match run.groups.last_mut().filter(|_| !separated) {
                        Some(group) => {
                            group.digits += 1;
                            group.range.end = at + c.len_utf8();
                        }
                        None => run.groups.push(Group { digits: 1, range: at..at + c.len_utf8() }),
                    }
                }
                None if !previous.is_ascii_alphanumeric() && previous != '_' => {
                    let group = Group { digits: 1, range: at..at + c.len_utf8() };
                    current = Some(Run { digits: vec![digit], groups: vec![group] });
                }
                None => {}
            }
            separated = false;
        } else if current.is_some() && !separated && is_separator(c) {
            separated = true;
        } else {
            closes(current.take(), if separated { ' ' } else { c });
            separated = false;
        }
        previous = c;
    }
    closes(current, ' ');
    runs
}

fn digit_value(c: char) -> Option<u8> {
    match c {
        '0'..='9' => u8::try_from(c as u32 - '0' as u32).ok(),
        '０'..='９' => u8::try_from(c as u32 - '０' as u32).ok(),
        _ => None,
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\u{3000}' | '\u{a0}' | '-' | '－' | '‐' | '‑' | '–' | '−' | 'ー')
}

/// What a number is. Only by form and check digit can a part of a run be told from the rest of it.
fn number_kind(number: &Number, part: Part, text: &str, screening: Screening) -> Option<Secret> {
    let digits = number.digits;
    let near = secrets::context(text, number.range.clone());
    if is_card(number, &near) {
        return Some(Secret::PaymentCard);
    }
    if is_my_number(number, part, &near) {
        return Some(Secret::MyNumber);
    }
    if is_social_security(number, part, &near) {
        return Some(Secret::NationalId);
    }
    if !part.is_whole {
        return None;
    }
    if digits.len() >= 6 && secrets::names_national_id(&near) {
        return Some(Secret::NationalId);
    }
    if secrets::names_card_code(&near) && (3..=4).contains(&digits.len()) && number.groups.len() == 1 {
        return Some(Secret::PaymentCard);
    }
    if screening.bank_accounts && (6..=20).contains(&digits.len()) && secrets::names_bank_account(&near) {
        return Some(Secret::BankAccount);
    }
    let is_phone = screening.phones
        && (9..=15).contains(&digits.len())
        && (secrets::names_phone(&near) || (digits.first() == Some(&0) && number.groups.len() == 3));
    is_phone.then_some(Secret::Phone)
}

/// Thirteen to nineteen digits with an issuer's first digits and a valid check digit, grouped as on a card.
fn is_card(number: &Number, near: &str) -> bool {
    let digits = number.digits;
    if !(13..=19).contains(&digits.len()) || !luhn(digits) || digits.iter().all(|d| Some(d) == digits.first())
    {
        return false;
    }
    let head = |count: usize| digits.iter().take(count).fold(0u32, |sum, &d| sum * 10 + u32::from(d));
    let known_issuer = match digits.len() {
        15 => matches!(head(2), 34 | 37) || matches!(head(4), 2131 | 1800),
        14 => matches!(head(2), 36 | 38 | 39) || (300..=305).contains(&head(3)),
        13 | 16 | 19 => {
            head(1) == 4
                || (51..=55).contains(&head(2))
                || (2221..=2720).contains(&head(4))
                || (3528..=3589).contains(&head(4))
                || matches!(head(2), 60 | 62 | 64 | 65)
        }
        _ => false,
    };
    let card_grouping = match number.groups.as_slice() {
        [_] | [4, 4, 4, 1..=4] | [4, 6, 4 | 5] | [4, 4, 4, 4, 1..=3] => true,
        // A model or a user may group freely; then a word must say that it is a card.
        _ => secrets::names_card(near),
    };
    known_issuer && card_grouping && (secrets::names_card(near) || !secrets::names_other_number(near))
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, &digit)| {
            let value = u32::from(digit) * if at % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Twelve digits whose last is the check digit that the law on マイナンバー defines. One number in eleven passes by
/// chance, so an ungrouped one that is called something else is left alone.
fn is_my_number(number: &Number, part: Part, near: &str) -> bool {
    let named = secrets::names_my_number(near);
    let [body @ .., check] = number.digits else { return false };
    if body.len() != 11 {
        return false;
    }
    let sum: u32 = body
        .iter()
        .rev()
        .zip(1u32..)
        .map(|(&digit, n)| u32::from(digit) * if n <= 6 { n + 1 } else { n - 5 })
        .sum();
    let expected = match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    let valid = u32::from(*check) == expected;
    let grouped = matches!(number.groups.as_slice(), [12] | [4, 4, 4]);
    // Said to be one, a mistyped number is still somebody's.
    (named && part.is_whole) || (valid && grouped && !part.goes_on && !secrets::names_other_number(near))
}

/// `123-45-6789`, or nine digits called a social security number.
fn is_social_security(number: &Number, part: Part, near: &str) -> bool {
    if number.digits.len() != 9 {
        return false;
    }
    let value = number.digits.iter().fold(0u64, |sum, &d| sum * 10 + u64::from(d));
    let (area, group, serial) = (value / 1_000_000, value / 10_000 % 100, value % 10_000);
    let plausible = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    plausible
        && ((number.groups == [3, 2, 4] && !part.goes_on && !secrets::names_other_number(near))
            || (part.is_whole && secrets::names_social_security(near)))
}
