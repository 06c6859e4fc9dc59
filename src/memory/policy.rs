//! What may never be stored: cards, national ids, passwords, keys. Found by form and check digit, not by a model.
//!
//! Invariant: every range lies on character borders of the text given. A number that fails its check digit, or a
//! high-entropy string without a key-like word, is left alone: order numbers and dates must stay usable.

use std::borrow::Cow;
use std::ops::Range;

use super::{passwords, secrets};

/// What kind of secret was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    PaymentCard,
    /// マイナンバー.
    MyNumber,
    NationalId,
    Password,
    /// API keys and tokens.
    Key,
    PrivateKey,
    Phone,
    BankAccount,
}

impl Secret {
    /// The word of traces and masks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PaymentCard => "payment_card",
            Self::MyNumber => "my_number",
            Self::NationalId => "national_id",
            Self::Password => "password",
            Self::Key => "key",
            Self::PrivateKey => "private_key",
            Self::Phone => "phone",
            Self::BankAccount => "bank_account",
        }
    }
}

/// A secret and the bytes of the text that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: Secret,
    pub range: Range<usize>,
}

/// What is refused beyond the kinds that always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screening {
    pub phones: bool,
    pub bank_accounts: bool,
}

/// Secrets that are refused whatever the settings, in order and without overlaps.
pub fn screen(text: &str) -> Vec<Finding> {
    screen_with(text, Screening::default())
}

/// As [`screen`], and the kinds that the settings add.
pub fn screen_with(text: &str, screening: Screening) -> Vec<Finding> {
    let mut found = secrets::private_keys(text);
    found.extend(passwords::passwords(text));
    found.extend(secrets::keys(text));
    for run in digit_runs(text) {
        if let Some(kind) = number_kind(&run, text, screening) {
            found.push(Finding { kind, range: run.range });
        }
    }
    crate::order::by_key(&mut found, |finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
    let mut end = 0;
    found.retain(|finding| {
        let is_new = finding.range.start >= end && finding.range.end > finding.range.start;
        if is_new {
            end = finding.range.end;
        }
        is_new
    });
    found
}

/// The text with each secret replaced by `[payment_card]` and the like; the text itself if there is none.
pub fn mask(text: &str) -> Cow<'_, str> {
    mask_with(text, Screening::default())
}

/// As [`mask`], and the kinds that the settings add.
pub fn mask_with(text: &str, screening: Screening) -> Cow<'_, str> {
    let found = screen_with(text, screening);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for finding in found {
        masked.push_str(text.get(done..finding.range.start).unwrap_or_default());
        masked.push('[');
        masked.push_str(finding.kind.as_str());
        masked.push(']');
        done = finding.range.end;
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Digits that are written as one number: single spaces or hyphens may stand between groups.
struct Run {
    digits: Vec<u8>,
    /// Lengths of the groups between separators.
    groups: Vec<usize>,
    range: Range<usize>,
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
                    if separated {
                        run.groups.push(0);
                    }
                    run.digits.push(digit);
                    if let Some(group) = run.groups.last_mut() {
                        *group += 1;
                    }
                    run.range.end = at + c.len_utf8();
                }
                None if !previous.is_ascii_alphanumeric() && previous != '_' => {
                    current =
                        Some(Run { digits: vec![digit], groups: vec![1], range: at..at + c.len_utf8() });
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

fn number_kind(run: &Run, text: &str, screening: Screening) -> Option<Secret> {
    let digits = run.digits.as_slice();
    let near = secrets::context(text, run.range.clone());
    if is_card(run, &near) {
        return Some(Secret::PaymentCard);
    }
    if is_my_number(run, &near) {
        return Some(Secret::MyNumber);
    }
    if is_social_security(run, &near) || (digits.len() >= 6 && secrets::names_national_id(&near)) {
        return Some(Secret::NationalId);
    }
    if secrets::names_card_code(&near) && (3..=4).contains(&digits.len()) && run.groups.len() == 1 {
        return Some(Secret::PaymentCard);
    }
    if screening.bank_accounts && (6..=20).contains(&digits.len()) && secrets::names_bank_account(&near) {
        return Some(Secret::BankAccount);
    }
    let is_phone = screening.phones
        && (9..=15).contains(&digits.len())
        && (secrets::names_phone(&near) || (digits.first() == Some(&0) && run.groups.len() == 3));
    is_phone.then_some(Secret::Phone)
}

/// Thirteen to nineteen digits with an issuer's first digits and a valid check digit, grouped as on a card.
fn is_card(run: &Run, near: &str) -> bool {
    let digits = run.digits.as_slice();
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
    let card_grouping = match run.groups.as_slice() {
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
fn is_my_number(run: &Run, near: &str) -> bool {
    let named = secrets::names_my_number(near);
    let [body @ .., check] = run.digits.as_slice() else { return false };
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
    let grouped = matches!(run.groups.as_slice(), [12] | [4, 4, 4]);
    // Said to be one, a mistyped number is still somebody's.
    named || (valid && grouped && !secrets::names_other_number(near))
}

/// `123-45-6789`, or nine digits called a social security number.
fn is_social_security(run: &Run, near: &str) -> bool {
    if run.digits.len() != 9 {
        return false;
    }
    let number = run.digits.iter().fold(0u64, |sum, &d| sum * 10 + u64::from(d));
    let (area, group, serial) = (number / 1_000_000, number / 10_000 % 100, number % 10_000);
    let plausible = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    plausible
        && ((run.groups == [3, 2, 4] && !secrets::names_other_number(near))
            || secrets::names_social_security(near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<Secret> {
        screen(text).into_iter().map(|finding| finding.kind).collect()
    }

    #[test]
    #[rustfmt::skip]
    fn cards_are_found_in_every_spelling() {
        for text in [
            "my card is 4111 1111 1111 1111, ok?", "カードは4111-1111-1111-1111です",
            "４１１１１１１１１１１１１１１１", "amex 3782 822463 10005", "card number:5555555555554444.",
            "JCB 3530111333300000",
        ] {
            assert_eq!(kinds(text), [Secret::PaymentCard], "{text}");
        }
        assert_eq!(kinds("CVVは123です"), [Secret::PaymentCard]);
    }

    #[test]
    #[rustfmt::skip]
    fn numbers_that_only_look_like_secrets_are_left_alone() {
        for text in [
            "order 4111 1111 1111 1112", "注文番号は4111111111111111です", "2026-11-30 12:00:00",
            "call 090-1234-5678", "ISBN 9784101010014", "tracking number 123456789012", "123456789012",
            "I have 1000000000000000 reasons", "3.14159265358979", "v1.2.3 at 192.168.0.1:8080",
            "予約番号 1234 5678 9018", "0000 0000 0000 0000", "550e8400-e29b-41d4-a716-446655440000",
            "zip 123-4567",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn national_ids_are_found_by_check_digit_or_by_name() {
        assert_eq!(kinds("1234 5678 9018"), [Secret::MyNumber]);
        assert_eq!(kinds("マイナンバーは１２３４５６７８９０１２です"), [Secret::MyNumber]);
        assert_eq!(kinds("SSN 123-45-6789"), [Secret::NationalId]);
        assert_eq!(kinds("my social security number is 123456789"), [Secret::NationalId]);
        assert_eq!(kinds("パスポート番号は TK1234567 です").len(), 1);
    }

    #[test]
    fn phones_and_accounts_are_refused_only_where_configured() {
        let all = Screening { phones: true, bank_accounts: true };
        let strict =
            |text| screen_with(text, all).into_iter().map(|finding| finding.kind).collect::<Vec<_>>();
        assert_eq!(strict("電話は090-1234-5678"), [Secret::Phone]);
        assert_eq!(strict("my phone number is +1 415 555 0100"), [Secret::Phone]);
        assert_eq!(strict("口座番号は1234567です"), [Secret::BankAccount]);
        assert_eq!(kinds("口座番号は1234567です"), []);
    }

    #[test]
    fn a_mask_names_what_it_hides_and_keeps_the_rest() {
        assert_eq!(mask("カードは4111-1111-1111-1111です"), "カードは[payment_card]です");
        assert!(matches!(mask("猫が好き"), Cow::Borrowed("猫が好き")));
        for masked in
            ["my password is [password] ask-aaa00aa0a00aa00aa000aa00", "パスワードは[password] abc123です"]
        {
            assert_eq!(mask(masked), masked, "a mask is no name of a password");
        }
    }

    proptest! {
        #[test]
        fn masking_leaves_nothing_to_find(text in "(my password is |4111 1111 1111 1111|1234 5678 9018|sk-[a-z0-9]{24}|パスワードは|[a-z0-9 。はです１]{1,6}){0,6}") {
            let masked = mask(&text).into_owned();
            prop_assert_eq!(mask(&masked), masked.as_str());
        }
    }
}
