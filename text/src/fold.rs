//! Folding: the form in which two spellings of the same text are equal.

use super::case::push_lower;
use super::normalize::nfkc;

/// NFKC, lower case, and runs of white space as one space, trimmed: full-width `ＡＢＣ　１` equals `abc 1`.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in nfkc(text).chars() {
        if c.is_whitespace() {
            if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else if !is_invisible(c) {
            push_lower(&mut folded, c);
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// [`fold`], and katakana as hiragana: for searching, where ネコ and ねこ are the same word.
pub fn fold_kana(text: &str) -> String {
    fold(text).chars().map(hiragana).collect()
}

fn hiragana(c: char) -> char {
    match c {
        'ァ'..='ヶ' => char::from_u32(c as u32 - 0x60).unwrap_or(c),
        _ => c,
    }
}

/// Zero-width and direction marks carry no meaning but defeat comparison.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_spellings_fold_to_one_form() {
        assert_eq!(fold("ＡＢＣ　１２"), "abc 12");
        assert_eq!(fold("  ｶﾞｷﾞ\n\n x "), "ガギ x");
        assert_eq!(fold("ig\u{200b}nore"), "ignore");
        assert_eq!(fold_kana("ネコとﾈｺとねこ"), "ねことねことねこ");
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["ＡＢＣ　１２", "がぎ　ｶﾞ", "İstanbul", "ﬁne ㍿ ①", "👩‍👩‍👧 日本"]
        {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }
}
