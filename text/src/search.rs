//! Terms to search by: stemmed words and Japanese pairs for meaning, character trigrams for spelling.
//!
//! What is indexed and what is asked go through the same folding, so equivalent spellings find each other. A
//! question keeps only terms that can tell one text from another: no stop words, no particles, no endings.
//! Terms hold no ASCII but letters and digits, so they can be quoted in a full-text query as they are.

use std::collections::HashSet;

use super::fold::fold;
use super::language::{is_cjk, is_han};
use super::particles::strip_particles;
use super::stem::stem;
use super::stop::{is_attribute, is_stop_kanji, is_stop_word};

/// In front of a trigram, so that trigrams and words share one index without meeting.
pub const GRAM_MARK: char = '¦';
/// The border of a word inside a trigram.
const BORDER: char = '·';

/// The terms that a text is found by, in order, with repetitions.
pub fn indexed_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(&fold(text)) {
        match piece {
            Piece::Word(word) => found.extend(word_term(&word)),
            Piece::Cjk(run) => {
                let run: Vec<char> = run.into_iter().map(hiragana).collect();
                found.extend(run.iter().map(char::to_string));
                found.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
        }
    }
    found
}

/// Which terms a text is found by and how often it has each, in a form that is small to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    marks: Vec<u64>,
    /// Once for every repetition.
    again: Vec<u64>,
}

impl Terms {
    pub fn of(text: &str) -> Self {
        Self::these(&indexed_words(text))
    }

    /// Of a text's [`indexed_words`].
    pub fn these(words: &[String]) -> Self {
        Self::cut(words.iter().map(String::as_str))
    }

    /// The same from where the words are kept.
    pub fn cut<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut all: Vec<u64> = words.map(mark).collect();
        all.sort_unstable();
        let (mut marks, mut again) = (Vec::with_capacity(all.len()), Vec::new());
        for mark in all {
            let list = if marks.last() == Some(&mark) { &mut again } else { &mut marks };
            list.push(mark);
        }
        Self { marks, again }
    }

    pub fn has(&self, term: &str) -> bool {
        self.marks.binary_search(&mark(term)).is_ok()
    }

    /// How often the text has a term.
    pub fn times(&self, term: &str) -> usize {
        let mark = mark(term);
        usize::from(self.has(term)) + self.again.iter().filter(|again| **again == mark).count()
    }

    /// The text's length in terms.
    pub fn count(&self) -> usize {
        self.marks.len() + self.again.len()
    }
}

/// FNV-1a: two of the terms that a memory holds meet by chance once in some billion memories.
pub fn mark(term: &str) -> u64 {
    term.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The terms of a question that can tell one text from another, each once, in order.
pub fn asked_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(&fold(text)) {
        match piece {
            Piece::Word(word) => found.extend(word_term(&word)),
            Piece::Cjk(run) => found.extend(asked_pairs(&run)),
        }
    }
    unique(found)
}

/// What a question is about, word by word: each word's terms, which are some of [`asked_words`]. Runs of kanji or of
/// katakana count as one word each; pairs that reach into a particle belong to none, and words that only say what is
/// asked of the subject count only where there is no other, or where they are a part of its name ("blood type").
pub fn telling_words(text: &str) -> Vec<Vec<String>> {
    // With whether each only says what is asked.
    let mut found: Vec<(bool, Vec<String>)> = Vec::new();
    let mut names_kind = false;
    for piece in pieces(&fold(text)) {
        match piece {
            Piece::Word(word) => {
                let term = word_term(&word);
                let is_attribute = is_attribute(&word) && !(names_kind && matches!(&*word, "name" | "type"));
                names_kind = term.is_some() && !is_attribute && !word.ends_with("'s");
                found.extend(term.map(|term| (is_attribute, vec![term])));
            }
            Piece::Cjk(run) => {
                names_kind = false;
                let words = content_words(&run).into_iter();
                found.extend(words.map(|(word, terms)| (is_attribute(&word), terms)));
            }
        }
    }
    if found.iter().any(|(is_attribute, _)| !is_attribute) {
        found.retain(|(is_attribute, _)| !is_attribute);
    }
    let mut seen = HashSet::new();
    found.into_iter().map(|(_, terms)| terms).filter(|terms| seen.insert(terms.clone())).collect()
}

/// The words of a run of an unspaced script, with their terms: stretches of content in one script.
fn content_words(run: &[char]) -> Vec<(String, Vec<String>)> {
    let content = content_of(run);
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut joins = false;
    for (at, &c) in run.iter().enumerate() {
        if !content[at] {
            joins = false;
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| run.get(before)).copied();
        match (before, found.last_mut()) {
            (Some(before), Some((word, terms))) if joins && script(before) == script(c) => {
                word.push(c);
                terms.push([hiragana(before), hiragana(c)].iter().collect());
            }
            _ => found.push((c.to_string(), Vec::new())),
        }
        if is_lone(run, at)
            && let Some((_, terms)) = found.last_mut()
        {
            terms.push(hiragana(c).to_string());
        }
        joins = true;
    }
    found.retain(|(_, terms)| !terms.is_empty());
    found
}

/// The character trigrams of a text, with word borders, marked; in order, with repetitions.
pub fn indexed_grams(text: &str) -> Vec<String> {
    grams(text, |_| true)
}

/// The trigrams of a question, without those of its stop words and particles, each once.
pub fn asked_grams(text: &str) -> Vec<String> {
    unique(grams(text, |word| !is_stop_word(word)))
}

enum Piece {
    /// A folded word of a spaced script, or a number.
    Word(String),
    /// A run of characters of an unspaced script; katakana is still katakana.
    Cjk(Vec<char>),
}

fn pieces(folded: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut joined = false;
    for c in folded.chars() {
        if is_cjk(c) {
            match found.last_mut() {
                Some(Piece::Cjk(run)) if joined => run.push(c),
                _ => found.push(Piece::Cjk(vec![c])),
            }
            joined = true;
        } else if c.is_alphanumeric() || matches!(c, '\'' | '’') {
            let c = if c == '’' { '\'' } else { c };
            match found.last_mut() {
                Some(Piece::Word(word)) if joined => word.push(c),
                _ if c == '\'' => {
                    joined = false;
                    continue;
                }
                _ => found.push(Piece::Word(c.to_string())),
            }
            joined = true;
        } else {
            joined = false;
        }
    }
    found
}

fn word_term(word: &str) -> Option<String> {
    if is_stop_word(word) {
        return None;
    }
    let stemmed = stem(word);
    let term: String = stemmed.chars().filter(|c| *c != '\'').collect();
    (!term.is_empty()).then_some(term)
}

/// A kanji without another kanji or katakana beside it.
fn is_lone(run: &[char], at: usize) -> bool {
    let other = |neighbour: Option<usize>| neighbour.and_then(|n| run.get(n)).is_none_or(|&c| is_hiragana(c));
    run.get(at).is_some_and(|&c| is_han(c)) && other(at.checked_sub(1)) && other(at.checked_add(1))
}

/// Which characters carry meaning: all but particles, endings and single kanji that say nothing.
fn content_of(run: &[char]) -> Vec<bool> {
    let mut content: Vec<bool> = run
        .iter()
        .enumerate()
        .map(|(at, &c)| !is_hiragana(c) && !is_asking(c) && !(is_lone(run, at) && is_stop_kanji(c)))
        .collect();
    let mut start = 0;
    while start < run.len() {
        if !is_hiragana(run[start]) {
            start += 1;
            continue;
        }
        let end = run[start..].iter().position(|&c| !is_hiragana(c)).map_or(run.len(), |n| start + n);
        for (from, to) in strip_particles(&run[start..end], start > 0) {
            for flag in &mut content[start + from..start + to] {
                *flag = true;
            }
        }
        start = end;
    }
    content
}

/// 「別名何という」 asks for a 別名, and nothing is called 名何.
fn is_asking(c: char) -> bool {
    matches!(c, '何' | '誰')
}

fn script(c: char) -> u8 {
    match c {
        _ if is_hiragana(c) => 0,
        _ if is_han(c) => 1,
        _ => 2,
    }
}

/// Pairs that hold a kanji, katakana or a content word in hiragana; a kanji that stands alone counts by itself.
fn asked_pairs(run: &[char]) -> Vec<String> {
    let content = content_of(run);
    let mut found = Vec::new();
    for at in 0..run.len() {
        if content[at] && is_lone(run, at) {
            found.push(hiragana(run[at]).to_string());
        }
        if at + 1 < run.len() {
            let both_hiragana = is_hiragana(run[at]) && is_hiragana(run[at + 1]);
            let keep =
                if both_hiragana { content[at] && content[at + 1] } else { content[at] || content[at + 1] };
            if keep {
                found.push([hiragana(run[at]), hiragana(run[at + 1])].iter().collect());
            }
        }
    }
    if found.is_empty() && run.len() == 1 && content[0] {
        found.push(hiragana(run[0]).to_string());
    }
    found
}

fn grams(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(&fold(text)) {
        let (characters, asked): (Vec<char>, bool) = match piece {
            Piece::Word(word) if !wanted(&word) => continue,
            Piece::Word(word) => {
                let inner = word.chars().filter(|c| *c != '\'');
                (std::iter::once(BORDER).chain(inner).chain([BORDER]).collect(), false)
            }
            Piece::Cjk(run) => (run, true),
        };
        for window in characters.windows(3) {
            // Endings alone (「ました」) are in every text.
            if asked && window.iter().all(|&c| is_hiragana(c)) {
                continue;
            }
            let gram: String =
                std::iter::once(GRAM_MARK).chain(window.iter().map(|&c| hiragana(c))).collect();
            found.push(gram);
        }
    }
    found
}

fn unique(terms: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    terms.into_iter().filter(|term| seen.insert(term.clone())).collect()
}

fn is_hiragana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ゝ' | 'ゞ')
}

fn hiragana(c: char) -> char {
    match c {
        'ァ'..='ヶ' => char::from_u32(c as u32 - 0x60).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_keeps_what_can_tell_texts_apart() {
        assert_eq!(asked_words("What did I say about my dogs?"), ["dog"]);
        assert_eq!(asked_words("私は何が好きですか"), ["が好", "好", "好き"]);
        assert_eq!(asked_words("犬の名前は何？"), ["犬", "犬の", "の名", "名前", "前は"]);
        assert!(asked_words("それはどうですか").is_empty());
        assert_eq!(asked_words("ねこはすきですか"), ["ねこ"]);
        assert_eq!(asked_words("コーヒー"), ["こー", "ーひ", "ひー"]);
        assert_eq!(asked_words("Ｒｅａｃｔの犬"), ["react", "の犬", "犬"]);
    }

    #[test]
    fn what_is_asked_is_a_part_of_what_is_indexed() {
        for text in
            ["大阪に住んでいる", "犬", "I've been running in Kyoto's hills", "ＡＢＣネコ123", "👍", "'", "の"]
        {
            let words = indexed_words(text);
            assert!(asked_words(text).iter().all(|term| words.contains(term)), "{text}");
            let grams = indexed_grams(text);
            assert!(asked_grams(text).iter().all(|term| grams.contains(term)), "{text}");
        }
    }

    #[test]
    fn what_a_question_is_about_are_words_without_particles() {
        for (question, words) in [
            ("What did I say about my dogs in Kyoto?", &[&["dog"][..], &["kyoto"]][..]),
            ("What is my blood type?", &[&["blood"], &["typ"]]),
            ("Which type of dog is it, and what is my dog's name?", &[&["dog"]]),
            ("犬の名前は何ですか？", &[&["犬"]]),
            ("What is the name?", &[&["nam"]]),
            ("名前は？", &[&["名前"]]),
            (
                "来年の夏にアイスランドへ行く",
                &[&["来年"], &["夏"], &["あい", "いす", "すら", "らん", "んど"], &["行"]],
            ),
            ("それはどうですか", &[]),
            ("👍", &[]),
        ] {
            let found = telling_words(question);
            let asked = asked_words(question);
            assert!(found.iter().flatten().all(|term| asked.contains(term)), "{question}: {asked:?}");
            assert_eq!(found, words, "{question}");
        }
    }

    #[test]
    fn equivalent_spellings_give_the_same_terms() {
        for (one, other) in
            [("ネコ", "ﾈｺ"), ("ネコ", "ねこ"), ("ＴＯＫＹＯ", "tokyo"), ("が", "か\u{3099}"), ("dogs", "dog")]
        {
            assert_eq!(indexed_words(one), indexed_words(other));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_terms_that_can_be_quoted(text in "\\PC*") {
            for term in indexed_words(&text).iter().chain(&indexed_grams(&text)).chain(&asked_words(&text)) {
                proptest::prop_assert!(!term.is_empty());
                proptest::prop_assert!(term.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric()), "{term:?}");
            }
        }
    }
}
