//! Secrets that are words and not numbers: passwords, keys, tokens, private keys, and the words that name numbers.

use std::ops::Range;

use super::policy::{Finding, Secret};
use crate::text::fold::fold;
use crate::text::phrase::has_any;
use crate::words;

/// How far around a number a word may stand that says what it is, in characters.
const NEAR_CHARS: usize = 32;

/// The folded text before a range, and a little after it.
pub(super) fn context(text: &str, range: Range<usize>) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let from = before.char_indices().rev().nth(NEAR_CHARS - 1).map_or(0, |(at, _)| at);
    let until = after.char_indices().nth(NEAR_CHARS / 2).map_or(after.len(), |(at, _)| at);
    fold(&format!("{} {}", before.get(from..).unwrap_or_default(), after.get(..until).unwrap_or_default()))
}

pub(super) fn names_card(near: &str) -> bool {
    has_any(near, words!["card", "visa", "mastercard", "amex", "jcb", "カード", "クレジット", "クレカ"])
}

pub(super) fn names_card_code(near: &str) -> bool {
    has_any(
        near,
        words!["cvv", "cvc", "cvv2", "cvc2", "security code", "セキュリティコード", "セキュリティーコード"],
    )
}

pub(super) fn names_my_number(near: &str) -> bool {
    has_any(near, words!["マイナンバー", "個人番号", "my number is", "mynumber"])
}

pub(super) fn names_social_security(near: &str) -> bool {
    has_any(near, words!["ssn", "social security", "itin"])
}

#[rustfmt::skip]
pub(super) fn names_national_id(near: &str) -> bool {
    has_any(
        near,
        words![
            "passport number", "passport no", "driver's license number", "driver license number",
            "driving licence number", "national id", "national insurance number", "aadhaar",
            "resident registration number", "パスポート番号", "旅券番号", "免許証番号", "免許証の番号",
            "在留カード番号", "保険証番号", "保険証の番号", "基礎年金番号", "年金番号",
        ],
    )
}

#[rustfmt::skip]
pub(super) fn names_bank_account(near: &str) -> bool {
    has_any(
        near,
        words![
            "account number", "account no", "bank account", "iban", "routing number", "口座番号", "口座は",
            "口座が",
        ],
    )
}

pub(super) fn names_phone(near: &str) -> bool {
    has_any(near, words!["phone", "mobile", "cell", "call me", "tel", "電話", "携帯", "ケータイ"])
}

/// Names of numbers that are no secrets.
#[rustfmt::skip]
pub(super) fn names_other_number(near: &str) -> bool {
    has_any(
        near,
        words![
            "order", "order number", "tracking", "invoice", "isbn", "ticket", "booking", "reservation",
            "serial", "receipt", "注文", "追跡", "伝票", "予約", "問い合わせ番号", "受付番号", "請求書",
            "製造番号", "会員番号", "整理番号", "型番", "管理番号",
        ],
    )
}

#[rustfmt::skip]
fn names_key(near: &str) -> bool {
    has_any(
        near,
        words![
            "api key", "apikey", "api_key", "api-key", "access key", "secret key", "secret", "token", "bearer",
            "authorization", "credential", "apiキー", "キーは", "秘密鍵", "トークン", "アクセスキー", "シークレット", "認証キー",
            "鍵は",
        ],
    )
}

/// PEM blocks of private keys, to their end mark or to the end of the text.
pub(super) fn private_keys(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("-----BEGIN ")).map(|at| from + at) {
        let rest = text.get(start..).unwrap_or_default();
        let head = rest.lines().next().unwrap_or_default();
        from = start + "-----BEGIN ".len();
        if !head.contains("PRIVATE KEY") {
            continue;
        }
        let end = rest
            .find("-----END ")
            .and_then(|at| rest.get(at + 9..)?.find("-----").map(|close| start + at + 9 + close + 5))
            .unwrap_or(text.len());
        found.push(Finding { kind: Secret::PrivateKey, range: start..end });
        from = end;
    }
    found
}

/// Prefixes by which vendors mark their keys, and how many characters must follow.
#[rustfmt::skip]
const KEY_PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16), ("sk_live_", 10), ("sk_test_", 10), ("pk_live_", 10), ("rk_live_", 10), ("ghp_", 20),
    ("gho_", 20), ("ghu_", 20), ("ghs_", 20), ("github_pat_", 20), ("glpat-", 16), ("xoxb-", 10), ("xoxp-", 10),
    ("xoxa-", 10), ("xapp-", 10), ("AKIA", 16), ("ASIA", 16), ("AIza", 30), ("ya29.", 20), ("hf_", 20),
    ("npm_", 30), ("pypi-", 30), ("SG.", 20), ("eyJ", 30), ("dop_v1_", 30), ("shpat_", 20),
    ("AGE-SECRET-KEY-", 20), ("kioku_", 20),
];

/// Keys and tokens: by a vendor's prefix, or a random string behind a word that says it is one.
#[rustfmt::skip]
pub(super) fn keys(text: &str) -> Vec<Finding> {
    let is_key_char =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=' | '~');
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if is_key_char(c) {
            start = start.or(Some(at));
            continue;
        }
        let Some(from) = start.take() else { continue };
        let Some(run) = text.get(from..at) else { continue };
        let skip = run.rfind('=').filter(|&eq| eq + 1 < run.len()).map_or(0, |eq| eq + 1);
        let token = run.get(skip..).unwrap_or_default().trim_end_matches('.');
        let range = from + skip..from + skip + token.len();
        let by_prefix = KEY_PREFIXES.iter().any(|(prefix, more)| {
            token.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *more && has_letter_and_more(rest))
        });
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        // Every word comes by here, and few of them could be a key if they were called one.
        let near = || context(text, from + skip..from + skip);
        if by_prefix || (token.len() >= 16 && looks_random(token) && names_key(&near())) {
            found.push(Finding { kind: Secret::Key, range });
        } else if digits >= 5 && digits < token.len() && names_national_id(&near()) {
            // Numbers of documents carry letters; those of digits alone are found as numbers.
            found.push(Finding { kind: Secret::NationalId, range });
        }
    }
    found
}

fn has_letter_and_more(rest: &str) -> bool {
    let kinds = [
        rest.bytes().any(|b| b.is_ascii_digit()),
        rest.bytes().any(|b| b.is_ascii_lowercase()),
        rest.bytes().any(|b| b.is_ascii_uppercase()),
    ];
    kinds.iter().filter(|kind| **kind).count() >= 2
}

/// Letters and digits mixed, and no word with hyphens: `a1B2c3`, not `long-lived-token-name`.
#[rustfmt::skip]
pub(super) fn looks_random(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let mixed_case =
        word.bytes().any(|b| b.is_ascii_lowercase()) && word.bytes().skip(1).any(|b| b.is_ascii_uppercase());
    word.len() >= 6 && letters >= 2 && (digits >= 2 || (digits >= 1 && mixed_case))
}

#[cfg(test)]
mod tests {
    use crate::memory::policy::{Secret, mask, screen};

    #[test]
    fn keys_are_found_by_prefix_or_behind_their_name() {
        for text in [
            "use sk-abcdefgh12345678ijklmnop",
            "OPENAI_API_KEY=sk-proj-Abc123Abc123Abc123Abc1",
            "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
            "APIキーは 9f8e7d6c5b4a39281706 です",
            "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123456",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert_eq!(screen(text).first().map(|finding| finding.kind), Some(Secret::Key), "{text}");
        }
        for text in [
            "I ask-myself-why every day",
            "the commit 9f8e7d6c5b4a39281706",
            "sk-2 is a bus",
            "https://example.com/a/b-c",
        ] {
            assert_eq!(screen(text), [], "{text}");
        }
        let pem = "key:\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nthanks";
        assert_eq!(mask(pem), "key:\n[private_key]\nthanks");
    }
}
