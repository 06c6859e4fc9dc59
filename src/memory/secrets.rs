//! Secrets that are words and not numbers: passwords, keys, tokens, private keys, and the words that name numbers.

use std::ops::Range;

use super::policy::{Finding, Secret};
use crate::text::fold::fold;
use crate::text::phrase::has_any;

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
    has_any(near, &["card", "visa", "mastercard", "amex", "jcb", "カード", "クレジット", "クレカ"])
}

pub(super) fn names_card_code(near: &str) -> bool {
    has_any(
        near,
        &["cvv", "cvc", "cvv2", "cvc2", "security code", "セキュリティコード", "セキュリティーコード"],
    )
}

pub(super) fn names_my_number(near: &str) -> bool {
    has_any(near, &["マイナンバー", "個人番号", "my number is", "mynumber"])
}

pub(super) fn names_social_security(near: &str) -> bool {
    has_any(near, &["ssn", "social security", "itin"])
}

pub(super) fn names_national_id(near: &str) -> bool {
    has_any(
        near,
        &[
            "passport number",
            "passport no",
            "driver's license number",
            "driver license number",
            "driving licence number",
            "national id",
            "national insurance number",
            "aadhaar",
            "resident registration number",
            "パスポート番号",
            "旅券番号",
            "免許証番号",
            "免許証の番号",
            "在留カード番号",
            "保険証番号",
            "保険証の番号",
            "基礎年金番号",
            "年金番号",
        ],
    )
}

pub(super) fn names_bank_account(near: &str) -> bool {
    has_any(
        near,
        &[
            "account number",
            "account no",
            "bank account",
            "iban",
            "routing number",
            "口座番号",
            "口座は",
            "口座が",
        ],
    )
}

pub(super) fn names_phone(near: &str) -> bool {
    has_any(near, &["phone", "mobile", "cell", "call me", "tel", "電話", "携帯", "ケータイ"])
}

/// Names of numbers that are no secrets.
pub(super) fn names_other_number(near: &str) -> bool {
    has_any(
        near,
        &[
            "order",
            "order number",
            "tracking",
            "invoice",
            "isbn",
            "ticket",
            "booking",
            "reservation",
            "serial",
            "receipt",
            "注文",
            "追跡",
            "伝票",
            "予約",
            "問い合わせ番号",
            "受付番号",
            "請求書",
            "製造番号",
            "会員番号",
            "整理番号",
            "型番",
            "管理番号",
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

const PASSWORD_WORDS: &[&str] = &[
    "password",
    "passwort",
    "passcode",
    "passphrase",
    "pin",
    "pin code",
    "pin number",
    "pwd",
    "パスワード",
    "パスフレーズ",
    "パスコード",
    "暗証番号",
    "合言葉",
    "合い言葉",
    "ログインpw",
];

/// Words between the name of a password and the password.
const PASSWORD_LINKS: &[&str] =
    &["is", "=", ":", "was", "to", "are", "：", "＝", "は", "が", "を", "も", "って"];

/// What follows the name of a password when no password is told.
const NO_PASSWORD: &[&str] = &[
    "a",
    "an",
    "the",
    "my",
    "your",
    "not",
    "too",
    "very",
    "so",
    "wrong",
    "weak",
    "strong",
    "secure",
    "safe",
    "important",
    "expired",
    "required",
    "reset",
    "needed",
    "long",
    "short",
    "same",
    "manager",
    "managers",
    "stored",
    "saved",
    "forgotten",
    "lost",
    "something",
    "always",
    "being",
    "hard",
    "easy",
    "difficult",
    "annoying",
    "and",
    "or",
    "but",
    "it",
    "that",
    "this",
    "what",
    "in",
    "on",
    "old",
    "outdated",
    "complicated",
    "simple",
    "different",
    "unique",
    "longer",
    "stolen",
    "leaked",
    "compromised",
    "protected",
];

/// Passwords that are told: behind the word, a link and optional quotation marks.
pub(super) fn passwords(text: &str) -> Vec<Finding> {
    let words = words(text);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(tail_at) = PASSWORD_WORDS.iter().find_map(|name| names_password(word, name, text)) else {
            continue;
        };
        let value = match tail_at {
            // `password: x`, `パスワードは x`: the link is in this word or the next.
            Tail::InWord(start) => told_in_word(text, start..word.range.end).or_else(|| {
                let link_only = text
                    .get(start..word.range.end)
                    .is_some_and(|link| PASSWORD_LINKS.contains(&fold(link).as_str()));
                link_only.then(|| words.get(at + 1)).flatten().map(|next| next.range.clone())
            }),
            Tail::NextWord => linked(&words, at + 1, text),
        };
        if let Some(range) = value.and_then(|range| secret_part(text, range)) {
            found.push(Finding { kind: Secret::Password, range });
        }
    }
    found
}

struct Word {
    folded: String,
    range: Range<usize>,
}

/// Words between white space.
fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                found.push(Word { folded: fold(text.get(from..at).unwrap_or_default()), range: from..at });
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found
}

enum Tail {
    InWord(usize),
    NextWord,
}

/// Whether the word names a password, and where what follows the name begins.
fn names_password(word: &Word, name: &str, text: &str) -> Option<Tail> {
    let own = text.get(word.range.clone())?;
    let bare = word.folded.trim_matches(|c: char| !c.is_alphanumeric());
    if name.is_ascii() {
        if bare == name {
            // `password:` and `password` alike: the link is in this word's end or in the next word.
            return Some(match own.char_indices().find(|(_, c)| matches!(c, ':' | '=' | '：' | '＝')) {
                Some((at, _)) => Tail::InWord(word.range.start + at),
                None => Tail::NextWord,
            });
        }
        let (at, link) = own.char_indices().find(|(_, c)| matches!(c, ':' | '=' | '：' | '＝'))?;
        let head = fold(own.get(..at)?);
        let head = head.trim_matches(|c: char| !c.is_alphanumeric());
        return (head == name || head.ends_with(&format!("_{name}")))
            .then_some(Tail::InWord(word.range.start + at + link.len_utf8()));
    }
    let at = own.find(name)? + name.len();
    Some(if at >= own.len() { Tail::NextWord } else { Tail::InWord(word.range.start + at) })
}

/// A value in the same word, behind its link: `password:abc`, `パスワードはabcです`.
fn told_in_word(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(range.clone())?;
    let link = PASSWORD_LINKS.iter().filter(|link| rest.starts_with(**link)).map(|link| link.len()).max();
    let start = range.start + link.unwrap_or(0);
    let opens_plain =
        text.get(range.start..).is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_alphanumeric()));
    (start < range.end && (link.is_some() || opens_plain)).then_some(start..range.end)
}

/// A value behind a linking word: `password is abc`, `password for the router is abc`.
fn linked(words: &[Word], from: usize, text: &str) -> Option<Range<usize>> {
    let link = (from..from + 6).find(|&at| {
        words
            .get(at)
            .is_some_and(|word| PASSWORD_LINKS.contains(&word.folded.as_str()) && word.folded != "to")
    });
    let value = match link {
        Some(link) => words.get(link + 1)?,
        None => {
            words.get(from).filter(|word| looks_random(text.get(word.range.clone()).unwrap_or_default()))?
        }
    };
    Some(value.range.clone())
}

/// The run of password characters in the range, unless it is an ordinary word of a sentence about passwords.
fn secret_part(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let word = text.get(range.clone())?;
    let is_secret =
        |c: char| fold(&c.to_string()).chars().all(|c| c.is_ascii_graphic()) && !c.is_whitespace();
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '「' | '『' | '“' | '‘' | ':' | '：' | '=');
    let skipped = word.len() - word.trim_start_matches(is_quote).len();
    let rest = word.get(skipped..)?;
    let quoted = skipped > 0 && word.starts_with(['「', '『', '"', '“', '\'', '`']);
    let length = if quoted {
        rest.find(['」', '』', '"', '”', '\'', '`']).unwrap_or(rest.len())
    } else {
        rest.char_indices().find(|(_, c)| !is_secret(*c)).map_or(rest.len(), |(at, _)| at)
    };
    let value = rest.get(..length)?.trim_end_matches(['.', ',', '!', ';', ')']);
    let plain = fold(value);
    let count = value.chars().count();
    (count >= 3 && !NO_PASSWORD.contains(&plain.as_str()) && !plain.ends_with('?') && !is_mask(&plain))
        .then_some(range.start + skipped..range.start + skipped + value.len())
}

/// A masked secret is not one, or masking twice would not be masking once.
fn is_mask(value: &str) -> bool {
    value.starts_with('[') || value.chars().all(|c| matches!(c, '*' | 'x' | '•'))
}

/// Prefixes by which vendors mark their keys, and how many characters must follow.
const KEY_PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("pk_live_", 10),
    ("rk_live_", 10),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("hf_", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("SG.", 20),
    ("eyJ", 30),
    ("dop_v1_", 30),
    ("shpat_", 20),
    ("AGE-SECRET-KEY-", 20),
    ("kioku_", 20),
];

/// Keys and tokens: by a vendor's prefix, or a random string behind a word that says it is one.
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
        let near = context(text, from + skip..from + skip);
        let named = has_any(
            &near,
            &[
                "api key",
                "apikey",
                "api_key",
                "api-key",
                "access key",
                "secret key",
                "secret",
                "token",
                "bearer",
                "authorization",
                "credential",
                "apiキー",
                "キーは",
                "秘密鍵",
                "トークン",
                "アクセスキー",
                "シークレット",
                "認証キー",
                "鍵は",
            ],
        );
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        if by_prefix || (named && token.len() >= 16 && looks_random(token)) {
            found.push(Finding { kind: Secret::Key, range });
        } else if digits >= 5 && digits < token.len() && names_national_id(&near) {
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
fn looks_random(word: &str) -> bool {
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
    fn a_password_is_found_where_it_is_told_and_not_where_passwords_are_talked_about() {
        for (text, want) in [
            ("my password is hunter2", "my password is [password]"),
            ("Password: Tr0ub4dor&3.", "Password: [password]."),
            ("wifi password=correcthorse", "wifi password=[password]"),
            ("パスワードはabc123です", "パスワードは[password]です"),
            ("パスワードは「さくら咲く」です", "パスワードは「[password]」です"),
            ("パスワード：ｐａｓｓ９９", "パスワード：[password]"),
            ("暗証番号は 4649 だよ", "暗証番号は [password] だよ"),
            ("the password for the router is s3cret!", "the password for the router is [password]!"),
        ] {
            assert_eq!(mask(text), want, "{text}");
        }
        for text in [
            "I forgot my password",
            "My password is too weak",
            "I use a password manager",
            "パスワードを忘れた",
            "パスワードは大事です",
            "Is my password safe?",
            "I changed my password to be safe",
            "パスワードは毎月変えています",
        ] {
            assert_eq!(screen(text), [], "{text}");
        }
    }

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
