//! Small and capital letters.
//!
//! The tables for every script are twelve kilobytes of the download, and the runtime has them
//! ([`super::normalize::provide`]). What English and Japanese texts are made of never leaves the core.

use super::normalize::tables;

/// The text in small letters.
pub fn lower(text: &str) -> String {
    if text.chars().all(|c| own_lower(c).is_some()) {
        text.chars().filter_map(own_lower).collect()
    } else {
        (tables().lower)(text)
    }
}

/// Appends the character in small letters, whatever stands beside it.
pub fn push_lower(out: &mut String, c: char) {
    match own_lower(c) {
        Some(small) => out.push(small),
        None => out.push_str(&(tables().lower)(c.encode_utf8(&mut [0; 4]))),
    }
}

/// The text with a small first letter.
pub fn lower_first(text: &str) -> String {
    with_first(text, |first, out| push_lower(out, first))
}

/// The text with a capital first letter.
pub fn capitalised(text: &str) -> String {
    with_first(text, |first, out| {
        if first.is_ascii() || has_no_case(first) {
            out.push(first.to_ascii_uppercase());
        } else {
            out.push_str(&(tables().upper)(first.encode_utf8(&mut [0; 4])));
        }
    })
}

fn with_first(text: &str, push: fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    if let Some(first) = rest.next() {
        push(first, &mut out);
    }
    out.push_str(rest.as_str());
    out
}

/// The small letter, for characters that need no table.
fn own_lower(c: char) -> Option<char> {
    match c {
        'À'..='Ö' | 'Ø'..='Þ' => char::from_u32(c as u32 + 0x20),
        '\0'..='\u{ff}' => Some(c.to_ascii_lowercase()),
        _ if has_no_case(c) => Some(c),
        _ => None,
    }
}

/// Punctuation, kana, kanji, Hangul and emoji. Not all characters without case: those that are common here.
fn has_no_case(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{20ff}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7a3}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what the tables say")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character_gets_its_small_letter_and_its_capital() {
        for c in '\0'..=char::MAX {
            let mut small = String::new();
            push_lower(&mut small, c);
            assert!(small.chars().eq(c.to_lowercase()), "{c:?}");
            assert!(capitalised(&c.to_string()).chars().eq(c.to_uppercase()), "{c:?}");
        }
    }

    #[test]
    fn only_the_first_letter_changes() {
        assert_eq!(capitalised("élan vital"), "Élan vital");
        assert_eq!(capitalised("ßa"), "SSa");
        assert_eq!(lower_first("ÉLAN"), "éLAN");
        assert_eq!(capitalised("東京"), "東京");
        assert_eq!(capitalised("") + &lower_first(""), "");
    }

    proptest! {
        #[test]
        fn a_text_in_small_letters_is_what_the_tables_say(text in "(\\PC|[ΣΑa-zÀ-ÿ’ぁ-ヺ]){0,30}") {
            prop_assert_eq!(lower(&text), text.to_lowercase());
        }
    }
}
