//! Numbers in text: digits of any width, kanji numerals and English number words, as values.

use crate::text::list::Words;
use crate::words;

/// The number at the start of the letters and how many letters it takes: digits, or a kanji numeral up to 9999.
pub fn number_at(rest: &[char]) -> Option<(i64, usize)> {
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    if digits > 0 {
        let text: String = rest.iter().take(digits).collect();
        return text.parse().ok().map(|number| (number, digits));
    }
    let length = rest.iter().take_while(|c| kanji_value(**c).is_some()).count();
    (length > 0).then_some(())?;
    kanji_number(rest.get(..length)?).map(|number| (number, length))
}

/// The value of a kanji numeral: 三十五, 二〇二六, 千九百.
pub fn kanji_number(numeral: &[char]) -> Option<i64> {
    let values: Vec<i64> = numeral.iter().map(|&c| kanji_value(c)).collect::<Option<_>>()?;
    if values.len() > 9 {
        return None;
    }
    if values.iter().all(|&value| value < 10) {
        return Some(values.iter().fold(0, |sum, digit| sum * 10 + digit));
    }
    let (mut total, mut section, mut digit) = (0, 0, None);
    for value in values {
        match value {
            10_000 => {
                total += (section + digit.take().unwrap_or(0)).max(1) * value;
                section = 0;
            }
            10..=1000 => section += digit.take().unwrap_or(1) * value,
            _ if digit.is_some() => return None,
            _ => digit = Some(value),
        }
    }
    Some(total + section + digit.unwrap_or(0))
}

/// The value of one numeral character.
pub fn kanji_value(c: char) -> Option<i64> {
    Some(match c {
        '〇' | '零' => 0,
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        '万' => 10_000,
        _ => return None,
    })
}

/// The value of an English number word up to twenty, and of the tens.
pub fn word_value(word: &str) -> Option<i64> {
    #[rustfmt::skip]
    const SMALL: Words = words![
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ];
    const TENS: Words = words!["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    // Texts are asked word by word, and hardly any word is a number.
    if !(3..=9).contains(&word.len()) || !word.starts_with(['z', 'o', 't', 'f', 's', 'e', 'n']) {
        return None;
    }
    if let Some(at) = SMALL.iter().position(|small| small == word) {
        return i64::try_from(at).ok();
    }
    TENS.iter().position(|tens| tens == word).and_then(|at| i64::try_from((at + 3) * 10).ok())
}

/// Whether the letters contain the word, anywhere.
pub fn contains(letters: &[char], word: &str) -> bool {
    let word: Vec<char> = word.chars().collect();
    !word.is_empty() && letters.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_of_both_scripts_have_one_value() {
        let value = |text: &str| number_at(&text.chars().collect::<Vec<_>>());
        assert_eq!(value("35歳"), Some((35, 2)));
        assert_eq!(value("三十五歳"), Some((35, 3)));
        assert_eq!(value("二〇二六年"), Some((2026, 4)));
        assert_eq!(value("千九百九十"), Some((1990, 5)));
        assert_eq!(value("三万円"), Some((30_000, 2)));
        assert_eq!(value("十二"), Some((12, 2)));
        assert_eq!(value("歳"), None);
        assert_eq!(value("99999999999999999999"), None);
        assert_eq!(word_value("twelve"), Some(12));
        assert_eq!(word_value("forty"), Some(40));
        assert_eq!(word_value("cat"), None);
    }
}
