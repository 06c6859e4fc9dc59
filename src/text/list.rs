//! Lists of words, each list one string.
//!
//! A slice of strings costs eight bytes a word for where it is and how long, which gzip can't shorten; there are
//! twelve thousand words. One string is searched as fast.

/// Words or phrases without line breaks; made by [`words!`](crate::words).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words(&'static str);

/// A constant list of words: `words!["tea", "coffee"]`.
#[macro_export]
macro_rules! words {
    ($first:literal $(, $rest:literal)* $(,)?) => {
        $crate::text::list::Words::of_lines(concat!($first $(, "\n", $rest)*))
    };
}

impl Words {
    /// One word a line. The list is never empty: no line is the empty word.
    pub const fn of_lines(lines: &'static str) -> Self {
        Self(lines)
    }

    pub fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }

    pub fn iter(self) -> std::str::Split<'static, char> {
        self.0.split('\n')
    }

    /// The first word that the text starts with, and the rest of the text.
    pub fn strip_from(self, text: &str) -> Option<(&'static str, &str)> {
        self.iter().find_map(|word| Some((word, text.strip_prefix(word)?)))
    }
}

impl IntoIterator for Words {
    type Item = &'static str;
    type IntoIter = std::str::Split<'static, char>;

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
}
