//! Unicode's normal forms, and the seam behind which its tables lie.
//!
//! The tables behind them are a sixth of a megabyte, and the runtime already carries them. So natively they are a
//! crate's; in the wasm the platform gives the runtime's own once, at start, by [`provide`]. Text that can't change
//! (ASCII, kana, kanji) never leaves the core.

use std::borrow::Cow;
use std::sync::OnceLock;

/// What knows the tables.
pub struct Tables {
    /// Compatibility composition.
    pub nfkc: fn(&str) -> String,
    /// Canonical composition.
    pub nfc: fn(&str) -> String,
    /// Whether a character has the general category Mark.
    pub is_mark: fn(char) -> bool,
    /// Small letters; at the end of a Greek word the final sigma.
    pub lower: fn(&str) -> String,
    pub upper: fn(&str) -> String,
}

static PROVIDED: OnceLock<Tables> = OnceLock::new();

/// Sets the tables for the rest of the process; the first call counts.
pub fn provide(tables: Tables) {
    let _ = PROVIDED.set(tables);
}

/// NFKC: `ＡＢＣ` and `ｶﾞ` as `ABC` and `ガ`.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_inert) { Cow::Borrowed(text) } else { Cow::Owned((tables().nfkc)(text)) }
}

/// NFC: a letter and its marks as one character where there is one.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_inert) { Cow::Borrowed(text) } else { Cow::Owned((tables().nfc)(text)) }
}

/// Whether the character belongs to the one before it.
pub fn is_mark(c: char) -> bool {
    !is_inert(c) && (tables().is_mark)(c)
}

/// Characters that no normal form changes, alone or beside each other, and that aren't marks. Not all of them: those
/// that Japanese and English texts are made of.
fn is_inert(c: char) -> bool {
    matches!(c,
        '\0'..='\u{7f}'
        | '、'..='〕'
        | 'ぁ'..='ゖ'
        | 'ァ'..='ヺ'
        | 'ー'
        | '\u{4e00}'..='\u{9fff}'
    )
}

pub(super) fn tables() -> &'static Tables {
    PROVIDED.get_or_init(own::tables)
}

#[cfg(not(target_family = "wasm"))]
mod own {
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    #[expect(clippy::disallowed_methods, reason = "these are the tables")]
    pub(super) fn tables() -> super::Tables {
        super::Tables {
            nfkc: |text| text.nfkc().collect(),
            nfc: |text| text.nfc().collect(),
            is_mark: is_combining_mark,
            lower: str::to_lowercase,
            upper: str::to_uppercase,
        }
    }
}

#[cfg(target_family = "wasm")]
mod own {
    /// Only until the platform has provided the runtime's.
    pub(super) fn tables() -> super::Tables {
        super::Tables {
            nfkc: str::to_owned,
            nfc: str::to_owned,
            is_mark: |_| false,
            lower: str::to_ascii_lowercase,
            upper: str::to_ascii_uppercase,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    #[test]
    fn what_is_called_inert_is_no_mark_and_normalizes_to_itself() {
        for c in ('\0'..=char::MAX).filter(|c| is_inert(*c)) {
            assert!(!is_combining_mark(c), "{c:?}");
            assert!(c.nfkc().eq([c]) && c.nfc().eq([c]), "{c:?}");
        }
    }

    #[test]
    fn widths_and_marks_become_one_form() {
        assert_eq!(nfkc("ＡＢＣ　ｶﾞ ㍿"), "ABC ガ 株式会社");
        assert_eq!(nfc("e\u{301}か\u{3099}"), "éが");
        assert!(is_mark('\u{3099}') && is_mark('\u{301}'));
        assert!(!is_mark('が') && !is_mark('ﾞ') && !is_mark('é'));
    }

    proptest! {
        #[test]
        fn inert_texts_are_in_both_normal_forms(text in "[a-z 、-〕ぁ-ゖァ-ヺー一-鿿]{0,30}") {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
            prop_assert_eq!(nfc(&text), text.nfc().collect::<String>());
        }

        #[test]
        fn every_text_gets_its_normal_form(text in "(\\PC|[ぁ-ヺ\u{3099}\u{309a}ﾞｶ]){0,30}") {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
            prop_assert_eq!(nfc(&text), text.nfc().collect::<String>());
        }
    }
}
