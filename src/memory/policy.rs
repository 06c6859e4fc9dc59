//! What may never be stored: cards, national ids, passwords, keys. Found by form and check digit, not by a model.
//!
//! Invariant: every range lies on character borders of the text given. A number that fails its check digit, or a
//! high-entropy string without a key-like word, is left alone: order numbers and dates must stay usable.

use std::borrow::Cow;
use std::ops::Range;

use super::{passwords, secret_numbers, secrets};

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

const EVERY_KIND: [Secret; 8] = [
    Secret::PaymentCard,
    Secret::MyNumber,
    Secret::NationalId,
    Secret::Password,
    Secret::Key,
    Secret::PrivateKey,
    Secret::Phone,
    Secret::BankAccount,
];

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
    let text = &without_masks(text);
    let mut found = secrets::private_keys(text);
    found.extend(passwords::passwords(text));
    found.extend(secrets::keys(text));
    found.extend(secret_numbers::numbers(text, screening));
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
    let mut masked = Cow::Borrowed(text);
    // A mask is shorter or longer than what it hides, so a word that names a number can come nearer to it; what is
    // found then is masked too. Each round hides at least one number or word and puts none there.
    for _ in 0..MASK_ROUNDS {
        let found = screen_with(&masked, screening);
        if found.is_empty() {
            break;
        }
        masked = Cow::Owned(put_masks(&masked, &found));
    }
    masked
}

/// Two rounds were the most that random texts needed.
const MASK_ROUNDS: usize = 8;

fn put_masks(text: &str, found: &[Finding]) -> String {
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
    masked
}

/// The text with our own masks made illegible, every byte offset as before: the word inside a mask is the name of no
/// password and of no card.
fn without_masks(text: &str) -> Cow<'_, str> {
    let mut plain = Cow::Borrowed(text);
    if text.contains('[') {
        for kind in EVERY_KIND {
            let mask = format!("[{}]", kind.as_str());
            if plain.contains(&mask) {
                plain = Cow::Owned(plain.replace(&mask, &"*".repeat(mask.len())));
            }
        }
    }
    plain
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
            "JCB 3530111333300000", "room 12 4111 1111 1111 1111", "4111 1111 1111 1111 12/29",
            "4111-1111-1111-1111 123",
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
