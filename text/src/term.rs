//! Search terms: words of spaced scripts, and character bigrams of Japanese, which needs no dictionary.

use super::fold::fold_kana;
use super::language::is_cjk;

/// The terms of a text, in order, with repetitions: each Latin word or number, each run of CJK characters as
/// overlapping pairs, and each CJK character by itself, so that 犬 and 大阪 are both found.
pub fn terms(text: &str) -> Vec<String> {
    let folded = fold_kana(text);
    let mut found = Vec::new();
    let mut word = String::new();
    let mut previous_cjk: Option<char> = None;
    for c in folded.chars() {
        if is_cjk(c) {
            flush(&mut word, &mut found);
            if let Some(previous) = previous_cjk {
                found.push([previous, c].iter().collect());
            }
            found.push(c.to_string());
            previous_cjk = Some(c);
        } else {
            previous_cjk = None;
            if c.is_alphanumeric() || (c == '\'' && !word.is_empty()) {
                word.push(c);
            } else {
                flush(&mut word, &mut found);
            }
        }
    }
    flush(&mut word, &mut found);
    found
}

fn flush(word: &mut String, found: &mut Vec<String>) {
    let trimmed = word.trim_end_matches('\'');
    if !trimmed.is_empty() {
        found.push(trimmed.to_owned());
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn japanese_gives_characters_and_pairs_and_latin_words_inside_it_stay_whole() {
        assert_eq!(terms("犬とReactが好き"), ["犬", "犬と", "と", "react", "が", "が好", "好", "好き", "き"]);
        assert_eq!(terms("I don't like 3 CATS!"), ["i", "don't", "like", "3", "cats"]);
        assert_eq!(terms("ネコ"), terms("ねこ"));
        assert!(terms("👍 … ！").is_empty());
    }
}
