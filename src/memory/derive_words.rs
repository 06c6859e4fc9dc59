//! English words as an alignment compares them: contractions opened, closed classes without inflection; and the lists of
//! what may be left out. See [`super::derive_en`].

use crate::calendar::Date;

use super::derive::{Dated, dates};
use super::verbs_en::is_past;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::starts_any;
use crate::words;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The word, or `U` and `U's` for the user, `W` and `W's` for a "we" that holds the user.
    pub word: String,
    /// What stands between it and the word before.
    pub mark: Option<char>,
    pub is_capital: bool,
    /// The date of the text that it is part of.
    pub date: Option<usize>,
}

/// A text with its words and dates.
pub(super) struct Line {
    pub tokens: Vec<Token>,
    pub dates: Vec<Dated>,
}

impl Line {
    pub fn of(text: &str, today: Date) -> Self {
        let folded = fold(&text.replace('’', "'"));
        let dates = dates(&folded, today);
        let letters: Vec<char> = folded.chars().collect();
        let capital: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.starts_with(char::is_uppercase))
            .map(fold)
            .collect();
        let mut tokens: Vec<Token> = Vec::new();
        let (mut at, mut mark) = (0, None);
        while let Some(&c) = letters.get(at) {
            let length = word_length(&letters, at);
            if length == 0 {
                if c != ' ' {
                    mark = Some(c);
                }
                at += 1;
                continue;
            }
            let word: String = letters.iter().skip(at).take(length).collect();
            let date = dates.iter().position(|date| date.from <= at && at < date.to);
            let is_capital = capital.iter().any(|name| word.split('\'').next() == Some(name));
            for (number, part) in expanded(&word).into_iter().enumerate() {
                let mark = if number == 0 { mark.take() } else { None };
                tokens.push(Token { word: part, mark, is_capital, date });
            }
            at += length;
        }
        Self { tokens: joined(tokens), dates }
    }
}

/// How many characters the word at a place takes. Signs that count or pay are words.
fn word_length(letters: &[char], at: usize) -> usize {
    let Some(&first) = letters.get(at) else { return 0 };
    if matches!(first, '$' | '€' | '£' | '¥' | '%' | '&' | '°' | '=' | '<' | '>') {
        return 1;
    }
    if !first.is_alphanumeric() {
        return 0;
    }
    let inside = |(place, c): (usize, &char)| {
        let next = letters.get(place + 1).is_some_and(|next| next.is_alphanumeric());
        let before = place > 0 && letters.get(place - 1).is_some_and(char::is_ascii_digit);
        c.is_alphanumeric()
            || matches!(c, '+' | '#' | '\'')
            || *c == '-' && next
            || matches!(c, '.' | ',' | ':')
                && before
                && letters.get(place + 1).is_some_and(char::is_ascii_digit)
            || matches!(c, '.' | '@') && next
    };
    letters.iter().enumerate().skip(at).take_while(|one| inside(*one)).count()
}

/// The words that a word stands for: "I'm" is the user and "be".
fn expanded(word: &str) -> Vec<String> {
    let word = word.trim_matches('\'').replace(',', "");
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let whole = match word.as_str() {
        "im" => own(&["U", "be"]),
        "ive" => own(&["U", "have"]),
        "can't" | "cant" | "cannot" => own(&["can", "not"]),
        "won't" | "wont" => own(&["will", "not"]),
        "dont" => own(&["do", "not"]),
        "doesnt" | "doesn't" => own(&["do", "not"]),
        "didnt" => own(&["did", "not"]),
        "isnt" | "ain't" => own(&["be", "not"]),
        "gonna" => own(&["going", "to"]),
        "wanna" => own(&["want", "to"]),
        _ => Vec::new(),
    };
    if !whole.is_empty() {
        return whole;
    }
    let Some((base, end)) = word.split_once('\'') else {
        // "in-laws'" lost its apostrophe at the edge, as "the boys'" does; nothing hangs on it.
        return vec![plain(&word)];
    };
    if let Some(verb) = word.strip_suffix("n't") {
        return vec![plain(verb), "not".to_owned()];
    }
    let end = match end {
        "m" | "re" => "be",
        "ve" => "have",
        "ll" => "will",
        "d" => "'d",
        "s" if matches!(base, "he" | "she" | "it" | "that" | "there" | "who" | "what" | "where") => "be",
        _ => "'s",
    };
    vec![plain(base), end.to_owned()]
}

/// A word without the inflections of the closed classes, and with one spelling.
fn plain(word: &str) -> String {
    let plain = match word {
        "i" | "me" | "myself" => "U",
        "my" | "mine" => "U's",
        "we" | "us" | "ourselves" => "W",
        "our" | "ours" => "W's",
        "am" | "are" | "is" => "be",
        "were" => "was",
        "has" => "have",
        "does" => "do",
        "an" => "a",
        "mom" | "mum" | "mother" | "mama" => "mother",
        "dad" | "father" | "papa" => "father",
        "kid" | "child" => "child",
        "kids" | "children" => "children",
        "called" => "named",
        "gotten" => "got",
        _ => "",
    };
    if plain.is_empty() { word.replace("our", "or").replace("ise", "ize") } else { plain.to_owned() }
}

/// Phrases that are one word: "the user", "would like to", "have got".
fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for token in tokens {
        let last = found.last().map_or("", |last| last.word.as_str());
        match (last, token.word.as_str()) {
            (_, "user") => {
                if last == "the" {
                    found.pop();
                }
                found.push(Token { word: "U".into(), ..token });
            }
            ("U" | "W", "'s") => {
                let owner = found.pop().map(|last| format!("{}'s", last.word)).unwrap_or_default();
                found.push(Token { word: owner, ..token });
            }
            ("like", "to") if found.len() > 1 => {
                let at = found.len() - 2;
                if found.get(at).is_some_and(|would| matches!(would.word.as_str(), "'d" | "would")) {
                    found.truncate(at);
                    found.push(Token { word: "want".into(), ..token.clone() });
                }
                found.push(token);
            }
            ("have", "got") => {}
            _ => found.push(token),
        }
    }
    found
}

pub(super) fn is_verb(word: &str) -> bool {
    is_past(word)
        || matches!(word, "be" | "have" | "do" | "was" | "had" | "got" | "can" | "will")
        || super::units_en::is_base(word)
        || word.len() > 4 && word.ends_with("ing")
}

pub(super) fn is_preposition(word: &str) -> bool {
    #[rustfmt::skip]
    const PREPOSITIONS: Words = words![
        "in", "on", "at", "to", "for", "from", "with", "by", "of", "about", "near", "into", "as", "between", "without",
        "than", "like", "over", "under", "after", "before", "since", "until", "through", "against", "towards",
    ];
    PREPOSITIONS.contains(word)
}

/// Words that open a statement and say nothing of it.
pub(super) fn is_opening(word: &str) -> bool {
    #[rustfmt::skip]
    const OPENING: Words = words![
        "and", "but", "so", "also", "well", "because", "hey", "hi", "hello", "btw", "fyi", "yes", "yeah", "ok", "okay",
        "actually", "honestly", "tbh", "anyway", "although", "though", "while", "plus", "then", "thanks",
    ];
    OPENING.contains(word)
}

/// States that are told without naming whose they are: "allergic to nuts".
#[rustfmt::skip]
pub(super) const STATES: Words = words![
    "not", "allergic", "from", "married", "single", "born", "vegan", "vegetarian", "engaged", "based",
];
/// What no item of a list begins with or holds.
pub(super) const NO_ITEMS: Words = words!["U", "W", "be", "have", "who", "which", "both", "or", "but", "to"];
/// Words that add nothing wherever they stand.
#[rustfmt::skip]
pub(super) const EMPTY: Words = words![
    "really",
    "very",
    "actually",
    "honestly",
    "absolutely",
    "also",
    "finally",
    "recently",
    "now",
    "currently",
    "already",
    "too"
];
/// Adjectives without which the noun is the same thing.
#[rustfmt::skip]
pub(super) const PRAISE: Words = words![
    "new",
    "lovely",
    "beautiful",
    "cute",
    "wonderful",
    "amazing",
    "gorgeous",
    "awesome",
    "adorable",
    "small",
    "little"
];
/// Words behind all else.
#[rustfmt::skip]
pub(super) const CLOSING: Words = words![
    "too",
    "btw",
    "anyway",
    "actually",
    "thanks",
    "thank",
    "you",
    "also",
    "as",
    "well",
    "please",
    "now",
    "currently"
];
/// Words whose scope reaches over what follows: under them less said is something else.
#[rustfmt::skip]
pub(super) const SCOPES: Words = words![
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "few", "hardly", "barely", "rarely", "seldom",
    "only", "all", "every", "each", "any", "most", "mostly", "always", "usually", "without", "too", "enough", "want", "wants",
    "wanted", "would", "'d", "could", "might", "may", "should", "must", "will", "hope", "hopes", "wish", "plan", "plans",
    "planning", "going", "trying", "stop", "stopped", "quit", "used", "avoid", "hate", "dislike", "almost", "nearly",
    "think", "believe", "suppose", "guess", "seem", "seems", "pretend", "best", "favorite", "favourite", "favorit", "least", "less",
];
/// Words that bear on what stands before them.
#[rustfmt::skip]
pub(super) const BEARS: Words = words![
    "only", "except", "unless", "if", "until", "till", "provided", "anymore", "kidding", "joking", "supposedly",
    "allegedly", "lol", "haha", "jk", "lie", "lied", "wish", "dream", "dreamt", "game", "novel", "movie", "character",
    "fictional", "role", "said", "says", "say", "claims", "claim", "thinks", "or", "rather", "least", "apart", "besides",
    "almost", "nearly", "not", "never", "hardly", "stopped", "quit", "longer", "once", "would", "sarcasm", "whether",
    "unlike", "than", "but", "supposed", "apparently", "maybe", "perhaps", "though", "although", "yet", "sold",
];

/// See [`super::derive::bears_on`].
pub(super) fn bears_on(before: &str, after: &str) -> bool {
    #[rustfmt::skip]
    const FRAMES: Words = words![
        "if",
        "unless",
        "provided",
        "dream",
        "game",
        "novel",
        "movie",
        "character",
        "role",
        "fictional",
        "only",
        "whether"
    ];
    // Behind a statement these only go on with another one.
    const GOES_ON: Words = words!["not", "or", "though", "but", "although", "yet", "never"];
    let is_past_time = || words(before).any(|word| matches!(word, "was" | "were" | "did") || is_past(word));
    words(before).any(|word| FRAMES.contains(word))
        || starts_any(before, words!["when", "whenever", "once"]) && !is_past_time()
        || words(after).any(|word| BEARS.contains(word) && !GOES_ON.contains(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
}
