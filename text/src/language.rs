//! Which of the two languages a text is in.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    En,
    Ja,
}

/// Japanese if it has kana, or CJK characters and no more Latin words than those; English otherwise.
pub fn language(text: &str) -> Language {
    let (mut kana, mut han, mut latin_words, mut in_word) = (0usize, 0usize, 0usize, false);
    for c in text.chars() {
        kana += usize::from(is_kana(c));
        han += usize::from(is_han(c));
        let is_latin = c.is_alphabetic() && !is_cjk(c);
        latin_words += usize::from(is_latin && !in_word);
        in_word = is_latin;
    }
    if kana * 2 + han > latin_words { Language::Ja } else { Language::En }
}

pub fn is_kana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ゝ' | 'ゞ' | 'ァ'..='ヺ' | 'ー' | 'ヽ' | 'ヾ' | 'ｦ'..='ﾝ')
}

/// Full-width, with the long vowel.
pub fn is_katakana(c: char) -> bool {
    matches!(c, 'ァ'..='ヺ' | 'ー')
}

pub fn is_han(c: char) -> bool {
    matches!(c, '々' | '〆' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

/// A character of a script that is written without spaces between words.
pub fn is_cjk(c: char) -> bool {
    is_kana(c) || is_han(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_one_most_of_the_text_is_in() {
        for text in ["猫が好き", "犬", "ＰＣを買った", "React で書いています", "東京"] {
            assert_eq!(language(text), Language::Ja, "{text}");
        }
        for text in ["I like cats", "", "42", "My cat is called タマ and I love her very much", "👍"] {
            assert_eq!(language(text), Language::En, "{text}");
        }
    }
}
