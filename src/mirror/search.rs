//! Keyword search as D1 and the object do it alike.
//!
//! A Latin word is found by its beginning, Japanese by any run of characters, one included, and every word of the
//! question must be found. No full-text index: its tokenizers don't know Japanese, one index would be shared by
//! all owners, and each fact would cost dozens of rows; an owner's few thousand facts are scanned instead.

use crate::text::fold::fold_kana;
use crate::text::language::is_cjk;

/// Words beyond this are ignored: a search is not a document, and D1 takes 100 arguments.
const MAX_NEEDLES: usize = 20;

/// The form in which texts are searched: folded, with a space around each Latin word and each run of Japanese,
/// and without punctuation.
pub fn searchable(texts: &[&str]) -> String {
    let mut found = String::from(" ");
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(text) {
            continue;
        }
        seen.push(text);
        for piece in pieces(text) {
            found.push_str(piece.as_str());
            found.push(' ');
        }
    }
    found
}

/// What a text must contain in its searchable form to be found; `None` if the question asks for nothing, and
/// an empty list if it asks for what no text contains, such as punctuation only.
pub fn needles(question: &str) -> Option<Vec<String>> {
    if question.trim().is_empty() {
        return None;
    }
    let mut needles: Vec<String> = Vec::new();
    for piece in pieces(question) {
        let needle = match piece {
            Piece::Word(word) => format!(" {word}"),
            Piece::Run(run) => run,
        };
        if !needles.contains(&needle) && needles.len() < MAX_NEEDLES {
            needles.push(needle);
        }
    }
    Some(needles)
}

/// Whether a searchable text contains every needle.
pub fn matches(searchable: &str, needles: &[String]) -> bool {
    !needles.is_empty() && needles.iter().all(|needle| searchable.contains(needle.as_str()))
}

enum Piece {
    /// Of a script that is written with spaces.
    Word(String),
    /// Japanese, or symbols such as emoji: found anywhere.
    Run(String),
}

impl Piece {
    fn as_str(&self) -> &str {
        match self {
            Self::Word(text) | Self::Run(text) => text,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Run,
    Gap,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut class = Class::Gap;
    for c in fold_kana(text).chars() {
        let next = classify(c, class);
        if next != class {
            flush(class, &mut current, &mut found);
            class = next;
        }
        if class != Class::Gap {
            current.push(c);
        }
    }
    flush(class, &mut current, &mut found);
    found
}

fn classify(c: char, previous: Class) -> Class {
    if is_cjk(c) {
        Class::Run
    } else if c.is_alphanumeric() || (matches!(c, '+' | '#' | '\'') && previous == Class::Word) {
        Class::Word
    } else if is_symbol(c) {
        Class::Run
    } else {
        Class::Gap
    }
}

/// Neither a letter nor punctuation, such as an emoji.
pub fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

fn flush(class: Class, current: &mut String, found: &mut Vec<Piece>) {
    match class {
        Class::Word => found.push(Piece::Word(std::mem::take(current))),
        Class::Run => found.push(Piece::Run(std::mem::take(current))),
        Class::Gap => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(question: &str, text: &str) -> bool {
        matches(&searchable(&[text]), &needles(question).expect("a question"))
    }

    #[test]
    fn japanese_is_found_by_any_part_and_latin_by_the_beginning_of_a_word() {
        for (question, text) in [
            ("犬", "犬とネコが好き"),
            ("ねこ", "犬とネコが好き"),
            ("ﾈｺ", "犬とネコが好き"),
            ("大阪", "去年大阪へ引っ越した"),
            ("react 好き", "Ｒｅａｃｔが好きです"),
            ("Reactが好き", "Reactが好きです"),
            ("cof", "I drink COFFEE, black."),
            ("don't", "I don't eat meat"),
            ("c++", "writes C++ and C#"),
            ("👍", "いいね👍"),
            ("2015年", "２０１５年に卒業"),
        ] {
            assert!(finds(question, text), "{question} in {text}");
        }
        for (question, text) in [
            ("art", "I start at nine"),
            ("猫 犬", "猫が好き"),
            ("京都の", "東京都に住む"),
            ("!!!", "wow!!!"),
            ("は犬", "私は 犬派"),
        ] {
            assert!(!finds(question, text), "{question} in {text}");
        }
    }

    #[test]
    fn an_empty_question_asks_for_nothing() {
        assert_eq!(needles(""), None);
        assert_eq!(needles(" 　\n"), None);
        assert_eq!(needles("。、"), Some(vec![]));
        assert!(
            needles(&"a b c d e f g h i j k l m n o p q r s t u v w x y z".repeat(9)).unwrap().len() <= 20
        );
    }
}
