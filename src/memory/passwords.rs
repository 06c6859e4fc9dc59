//! Passwords told by their name: 「パスワードはabc123です」, "my password is …".

use std::ops::Range;

use super::policy::{Finding, Secret};
use super::secrets::looks_random;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::words;

#[rustfmt::skip]
const PASSWORD_WORDS: Words = words![
    "password", "passwort", "passcode", "passphrase", "pin", "pin code", "pin number", "pwd", "pass", "パスワード",
    "パスフレーズ", "パスコード", "暗証番号", "合言葉", "合い言葉", "ログインpw",
];

/// Words between the name of a password and the password.
const PASSWORD_LINKS: Words =
    words!["is", "=", ":", "was", "to", "are", "：", "＝", "は", "が", "を", "も", "って"];

/// What follows the name of a password when no password is told.
#[rustfmt::skip]
const NO_PASSWORD: Words = words![
    "a", "an", "the", "my", "your", "not", "too", "very", "so", "wrong", "weak", "strong", "secure", "safe",
    "important", "expired", "required", "reset", "needed", "long", "short", "same", "manager", "managers",
    "stored", "saved", "forgotten", "lost", "something", "always", "being", "hard", "easy", "difficult",
    "annoying", "and", "or", "but", "it", "that", "this", "what", "in", "on", "old", "outdated", "complicated",
    "simple", "different", "unique", "longer", "stolen", "leaked", "compromised", "protected",
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
                    .is_some_and(|link| PASSWORD_LINKS.contains(fold(link).as_str()));
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
            // "Pass" by itself is a verb or a ticket.
            if name == "pass" && !own.ends_with([':', '=', '：', '＝']) {
                return None;
            }
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
    let link = PASSWORD_LINKS.iter().filter(|link| rest.starts_with(*link)).map(str::len).max();
    let start = range.start + link.unwrap_or(0);
    let opens_plain =
        text.get(range.start..).is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_alphanumeric()));
    (start < range.end && (link.is_some() || opens_plain)).then_some(start..range.end)
}

/// A value behind a linking word: `password is abc`, `password for the router is abc`.
fn linked(words: &[Word], from: usize, text: &str) -> Option<Range<usize>> {
    let link = (from..from + 6).find(|&at| {
        words.get(at).is_some_and(|word| PASSWORD_LINKS.contains(word.folded.as_str()) && word.folded != "to")
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
    (count >= 3 && !NO_PASSWORD.contains(plain.as_str()) && !plain.ends_with('?') && !is_mask(&plain))
        .then_some(range.start + skipped..range.start + skipped + value.len())
}

/// A masked secret is not one, or masking twice would not be masking once.
fn is_mask(value: &str) -> bool {
    value.chars().all(|c| matches!(c, '*' | 'x' | '•'))
}

#[cfg(test)]
mod tests {
    use crate::memory::policy::{mask, screen};

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
}
