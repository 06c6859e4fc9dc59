//! What a sentence claims: about whom, which attribute, with what value, and whether it holds.
//!
//! A claim is read from the forms in which facts are written, in English and Japanese. Deliberate absence: nothing
//! here guesses; a sentence in another form has no claim, and whoever compares it must say that they can't tell.

use super::{claim_en, claim_ja, plain_ja};
use crate::sorted::SortedSet;
use crate::text::fold::fold_kana;
use crate::text::language::{Language, is_cjk, language};

/// How many values an attribute has at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A new value ends the old one: home, employer, name, age.
    One,
    /// A new value contradicts the old one, because it can't change: a birthday, where one is from.
    Fixed,
    /// Values stand side by side: likes, languages, pets, friends.
    Many,
    /// It depends on the sentence.
    Unknown,
}

/// Whether a claim holds now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Now,
    /// Denied: doesn't like, 好きではない.
    Not,
    /// It held and ended: no longer, used to, もう…ない, やめた.
    Ended,
    /// It is told in the past, which doesn't say that it ended: lived, 住んでいた.
    Once,
}

impl Holds {
    /// Whether the claim says that something doesn't hold now.
    pub fn is_denied(self) -> bool {
        matches!(self, Self::Not | Self::Ended)
    }
}

/// The attribute of having given something up, without saying what was done with it: 「タバコをやめた」.
pub(super) const QUIT: &str = "do:quit";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Empty for the user.
    pub subject: String,
    /// `home`, `like`, `name`, …, or a verb of the sentence behind `do:`.
    pub attribute: String,
    pub count: Count,
    /// The value's words; Japanese has one, because it has no spaces.
    pub object: Vec<String>,
    /// What the object is called: Tama, of a cat named Tama.
    pub name: Option<String>,
    pub holds: Holds,
}

/// The claim of a sentence, if it has one of the known forms.
pub fn claim(text: &str) -> Option<Claim> {
    match language(text) {
        Language::En => claim_en::read(text),
        Language::Ja => claim_ja::read(text),
    }
}

/// The text without what doesn't change its meaning: spelling, punctuation, politeness, and naming the user.
/// Texts with equal forms say the same; the reverse isn't true.
pub fn normal(text: &str) -> String {
    match language(text) {
        Language::En => claim_en::normal(text),
        Language::Ja => plain_ja::normal(text),
    }
}

/// How two values relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    Equal,
    /// The same but for a number.
    Numbers,
    /// One is part of the other, or they share words: green tea and tea, 大阪 and 大阪市.
    Overlap,
    /// They are written in different scripts.
    Scripts,
    Apart,
}

pub fn likeness(a: &[String], b: &[String]) -> Likeness {
    let (a, b): (SortedSet<&str>, SortedSet<&str>) =
        (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
    if a == b {
        return Likeness::Equal;
    }
    if a.is_empty() || b.is_empty() {
        return Likeness::Overlap;
    }
    let words = |set: &SortedSet<&str>| -> (Vec<String>, Vec<String>) {
        let parts: Vec<(String, String)> = set.iter().map(|word| split_numbers(word)).collect();
        let collect = |part: fn(&(String, String)) -> &String| {
            parts.iter().map(part).filter(|text| !text.is_empty()).cloned().collect()
        };
        (collect(|part| &part.0), collect(|part| &part.1))
    };
    let ((a_words, a_numbers), (b_words, b_numbers)) = (words(&a), words(&b));
    if a_words == b_words && !a_numbers.is_empty() && !b_numbers.is_empty() {
        return Likeness::Numbers;
    }
    let has_cjk = |set: &SortedSet<&str>| set.iter().any(|word| word.chars().any(is_cjk));
    if has_cjk(&a) != has_cjk(&b) {
        return Likeness::Scripts;
    }
    let overlaps = a
        .iter()
        .any(|a| b.iter().any(|b| a == b || (a.chars().any(is_cjk) && (a.contains(b) || b.contains(a)))));
    if overlaps { Likeness::Overlap } else { Likeness::Apart }
}

/// The digits of a word and the rest of it.
fn split_numbers(word: &str) -> (String, String) {
    word.chars().partition(|c| !c.is_ascii_digit())
}

/// Digits, number words and counted kanji numerals of a text, in order: the values that make two sentences differ.
pub fn numbers(text: &str) -> Vec<i64> {
    use super::numbers::{kanji_number, kanji_value, word_value};
    /// What a kanji numeral counts; without one, 三 is part of a name or a word.
    const COUNTED: &str = "人匹歳才年月日回本台個つ名時分円枚軒頭羽冊杯階度番";
    let folded = fold_kana(text);
    let mut found = Vec::new();
    let letters: Vec<char> = folded.chars().collect();
    let mut at = 0;
    while let Some(&c) = letters.get(at) {
        let run = |is: fn(char) -> bool| letters.iter().skip(at).take_while(|c| is(**c)).copied().collect();
        let run: Vec<char> = if c.is_ascii_digit() {
            run(|c| c.is_ascii_digit())
        } else if kanji_value(c).is_some() {
            run(|c| kanji_value(c).is_some())
        } else if c.is_ascii_alphabetic() {
            run(|c| c.is_ascii_alphabetic())
        } else {
            at += 1;
            continue;
        };
        at += run.len();
        let text: String = run.iter().collect();
        let value = if c.is_ascii_digit() {
            text.parse().ok()
        } else if c.is_ascii_alphabetic() {
            word_value(&text)
        } else {
            letters.get(at).filter(|next| COUNTED.contains(**next)).and_then(|_| kanji_number(&run))
        };
        found.extend(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_meaning_in_other_clothes_has_one_normal_form() {
        for (a, b) in [
            ("I like cats.", "The user likes cats"),
            ("I don't like coffee", "User does not like coffee."),
            ("I'm allergic to nuts", "The user is allergic to nuts!"),
            ("私は猫が好きです。", "猫が好き"),
            ("ユーザーは東京に住んでいます", "東京に住んでいる。"),
            ("ネコが好き", "ねこが好きです"),
            ("コーヒーは飲みません", "コーヒーは飲まない"),
        ] {
            assert_eq!(normal(a), normal(b), "{a} / {b}");
        }
        assert_ne!(normal("猫が好き"), normal("猫が好きではない"));
        assert_ne!(normal("I like tea"), normal("I don't like tea"));
    }

    #[test]
    fn kanji_numerals_count_only_before_what_they_count() {
        assert_eq!(numbers("三重県に二匹の犬と3人の子"), [2, 3]);
        assert_eq!(numbers("I have two cats and 12 dogs"), [2, 12]);
        assert_eq!(numbers("someone"), Vec::<i64>::new());
    }

    #[test]
    fn values_are_alike_only_as_far_as_their_words() {
        let like = |a: &[&str], b: &[&str]| {
            let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            likeness(&own(a), &own(b))
        };
        assert_eq!(like(&["tea"], &["tea"]), Likeness::Equal);
        assert_eq!(like(&["2", "cat"], &["3", "cat"]), Likeness::Numbers);
        assert_eq!(like(&["green", "tea"], &["tea"]), Likeness::Overlap);
        assert_eq!(like(&["大阪"], &["大阪市"]), Likeness::Overlap);
        assert_eq!(like(&["大阪"], &["osaka"]), Likeness::Scripts);
        assert_eq!(like(&["tea"], &["steak"]), Likeness::Apart);
    }
}
