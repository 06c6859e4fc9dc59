//! Lists of words, each list one string.
//!
//! A slice of strings costs eight bytes a word for where it is and how long, which gzip can't shorten; there are
//! twelve thousand words. Where a long list is asked for whole words, it is taken apart once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Words or phrases without line breaks; made by [`words!`](crate::words).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words(&'static str);

/// A constant list of words: `words!["tea", "coffee"]`.
#[macro_export]
macro_rules! words {
    ($first:literal $(, $rest:literal)* $(,)?) => {
        $crate::list::Words::of_lines(concat!($first $(, "\n", $rest)*))
    };
}

impl Words {
    /// One word a line. The list is never empty: no line is the empty word.
    pub const fn of_lines(lines: &'static str) -> Self {
        Self(lines)
    }

    pub fn contains(self, word: &str) -> bool {
        if self.0.len() < LONG_BYTES {
            return self.iter().any(|known| known == word);
        }
        TAKEN_APART.with_borrow_mut(|lists| {
            let list = lists
                .entry((self.0.as_ptr() as usize, self.0.len()))
                .or_insert_with(|| self.iter().collect());
            list.contains(word)
        })
    }

    pub fn iter(self) -> Iter {
        Iter(Some(self.0))
    }

    /// The first word that the text starts with, and the rest of the text.
    pub fn strip_from(self, text: &str) -> Option<(&'static str, &str)> {
        self.iter().find_map(|word| Some((word, text.strip_prefix(word)?)))
    }
}

/// From this length on, looking at each word costs more than taking the list apart once.
const LONG_BYTES: usize = 200;

thread_local! {
    /// Lists by where they lie: constants, which stay there.
    static TAKEN_APART: RefCell<HashMap<(usize, usize), HashSet<&'static str>>> = RefCell::default();
}

/// The words of a list. The library's way of splitting is made for long pieces, and takes several times as long.
#[derive(Clone, Debug)]
pub struct Iter(Option<&'static str>);

impl Iterator for Iter {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        let rest = self.0?;
        for (end, byte) in rest.as_bytes().iter().enumerate() {
            if *byte == b'\n' {
                self.0 = rest.get(end + 1..);
                return rest.get(..end);
            }
        }
        self.0.take()
    }
}

impl IntoIterator for Words {
    type Item = &'static str;
    type IntoIter = Iter;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_word_is_found_whole() {
        let drinks = words!["green tea", "coffee", "お茶"];
        assert_eq!(drinks.iter().collect::<Vec<_>>(), ["green tea", "coffee", "お茶"]);
        assert!(drinks.contains("coffee") && drinks.contains("お茶"));
        assert!(!drinks.contains("tea") && !drinks.contains("") && !drinks.contains("green tea\ncoffee"));
        assert_eq!(words!["a"].iter().count(), 1);
    }

    #[test]
    fn a_long_list_finds_the_same_words_as_a_short_one() {
        const LONG: super::Words = words![
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
            "二十一",
            "twenty two",
            "twenty three",
            "twenty four",
            "twenty five",
            "twenty six",
            "twenty seven",
            "twenty eight",
            "twenty nine"
        ];
        assert!(LONG.0.len() > super::LONG_BYTES);
        assert!(LONG.iter().all(|word| LONG.contains(word)) && LONG.iter().count() == 29);
        assert!(!LONG.contains("twenty-two") && !LONG.contains("") && !LONG.contains("one\ntwo"));
    }
}
