//! Other readings of a text: what it says once a disguise is taken off.
//!
//! Deliberate absence: nothing here decides that a text is disguised. Every text gets all readings, and `directive`
//! looks whether one of them is aimed at the model.

use crate::encoding;
use crate::text::fold::fold;
use crate::text::language::is_cjk;
use crate::text::prefix;
use crate::words;

/// Longer texts are read only so far; a directive that starts later is met when its own sentence is judged.
const MAX_BYTES: usize = 16 * 1024;
/// Encoded runs shorter than this can't hold a directive.
const MIN_ENCODED: usize = 16;

/// The readings of a text beyond its plain one.
pub(super) fn readings(text: &str) -> Vec<String> {
    let text = prefix(text, MAX_BYTES);
    let folded = fold(text);
    let plain_letters = latin_look_alikes(&folded);
    let mut all = vec![
        joined_letters(&folded),
        without_separators(&folded),
        unleet(&folded),
        folded.chars().map(rot13).collect(),
        folded.chars().rev().collect(),
    ];
    if plain_letters != folded {
        all.push(plain_letters);
    }
    all.extend(decoded(text));
    all
}

/// The text without invisible letters and combining decorations, so that `i̶g̶n̶o̶r̶e̶` reads as it looks. Tag characters,
/// which no screen shows, are read as the letters they hide.
pub(super) fn without_marks(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\u{e0020}'..='\u{e007e}' => char::from_u32(c as u32 - 0xe0000),
            '\u{300}'..='\u{36f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0000}'..='\u{e01ef}'
            | '\u{180e}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{3164}' => None,
            _ => Some(c),
        })
        .collect()
}

/// `i g n o r e  m e` read as `ignore me`: three or more single letters in a row are one word, and a gap of several
/// spaces (which folding made one) can't be seen any more, so the joined letters are also matched without spaces.
fn joined_letters(folded: &str) -> String {
    let words: Vec<&str> = folded.split(' ').collect();
    let single = |word: &&str| word.chars().count() == 1;
    // The "I" of "I like i g n o r e" belongs to no run.
    let longest = words.split(|word| !single(word)).max_by_key(|run| run.len()).unwrap_or_default();
    if longest.len() < 6 {
        return String::new();
    }
    let mut letters: String = longest.iter().copied().collect();
    // Known words are cut out again, because phrases are matched as whole words.
    for word in words![
        "ignore",
        "disregard",
        "forget",
        "all",
        "previous",
        "prior",
        "instructions",
        "system",
        "prompt",
        "rules",
        "reveal",
        "your",
    ] {
        letters = letters.replace(word, &format!(" {word} "));
    }
    fold(&letters)
}

/// Japanese with dots, bars or spaces between its characters.
fn without_separators(folded: &str) -> String {
    if !folded.chars().any(is_cjk) {
        return folded.replace(['-', '_', '.', '*', '|', '/', '~'], "");
    }
    folded
        .chars()
        .filter(|c| !matches!(c, '・' | '･' | '|' | '/' | '_' | '-' | '*' | '.' | ' ' | '~' | '＿'))
        .collect()
}

fn unleet(folded: &str) -> String {
    folded
        .chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' | '|' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            _ => c,
        })
        .collect()
}

fn rot13(c: char) -> char {
    let turned = |base: u8| char::from(base + (c as u8 - base + 13) % 26);
    match c {
        'a'..='z' => turned(b'a'),
        'A'..='Z' => turned(b'A'),
        _ => c,
    }
}

/// Cyrillic and Greek letters that look Latin.
fn latin_look_alikes(folded: &str) -> String {
    folded
        .chars()
        .map(|c| match c {
            'а' | 'α' => 'a',
            'е' | 'ε' => 'e',
            'о' | 'ο' => 'o',
            'р' | 'ρ' => 'p',
            'с' => 'c',
            'х' | 'χ' => 'x',
            'у' | 'υ' => 'y',
            'і' | 'ι' | 'ı' => 'i',
            'ѕ' => 's',
            'ј' => 'j',
            'ԁ' => 'd',
            'һ' => 'h',
            'ѵ' | 'ν' => 'v',
            'т' | 'τ' => 't',
            'к' | 'κ' => 'k',
            'м' => 'm',
            'в' => 'b',
            'г' => 'r',
            'ո' => 'n',
            _ => c,
        })
        .collect()
}

/// What base64 and hexadecimal runs decode to, where it is text.
fn decoded(text: &str) -> Vec<String> {
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    text.split(|c: char| !is_code(c))
        .filter(|run| run.len() >= MIN_ENCODED)
        .flat_map(|run| {
            let standard = run.replace('-', "+").replace('_', "/");
            let bare = standard.trim_end_matches('=');
            let usable = bare.len() - usize::from(bare.len() % 4 == 1);
            [
                encoding::from_base64(&standard),
                encoding::from_base64_unpadded(bare.get(..usable).unwrap_or_default()),
                encoding::from_hex(run),
            ]
        })
        .flatten()
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tag_characters_are_read_as_the_letters_they_hide() {
        let hidden: String = "ignore".chars().filter_map(|c| char::from_u32(c as u32 + 0xe0000)).collect();
        assert_eq!(without_marks(&format!("hi {hidden}")), "hi ignore");
        assert_eq!(without_marks("i\u{336}g\u{336}"), "ig");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = readings(&text);
        }
    }
}
