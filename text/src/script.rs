//! A text as runs of one script each: without a dictionary, scripts tell Japanese words apart.

use super::language::{is_han, is_katakana};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Han,
    Hiragana,
    Katakana,
    Latin,
    /// Digits, spaces, punctuation and everything else.
    Other,
}

impl Script {
    pub fn of(c: char) -> Self {
        match c {
            _ if is_han(c) => Self::Han,
            'ぁ'..='ゖ' => Self::Hiragana,
            _ if is_katakana(c) => Self::Katakana,
            _ if c.is_alphabetic() => Self::Latin,
            _ => Self::Other,
        }
    }
}

pub fn runs(text: &str) -> Vec<(Script, String)> {
    let mut found: Vec<(Script, String)> = Vec::new();
    for c in text.chars() {
        let script = Script::of(c);
        match found.last_mut() {
            // A long vowel belongs to the kana before it.
            Some((last, run)) if *last == script || (c == 'ー' && *last == Script::Hiragana) => run.push(c),
            _ => found.push((script, c.to_string())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_its_script_changes() {
        let cut: Vec<String> = runs("猫のミケとらーめん3杯 tea").into_iter().map(|(_, run)| run).collect();
        assert_eq!(cut, ["猫", "の", "ミケ", "とらーめん", "3", "杯", " ", "tea"]);
        assert!(runs("").is_empty());
    }
}
