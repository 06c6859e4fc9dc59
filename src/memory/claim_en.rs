//! Claims of English sentences: "I no longer live in Osaka", "The user's sister is called Hanako".

use super::claim::{Claim, Count, Holds, QUIT};
use super::numbers::word_value;
use super::verbs_en::{NOUNS, VERBS, is_past, singular, stem};
use crate::text::fold::fold_kana;
use crate::text::list::Words;
use crate::words;

/// The words of a sentence without naming the user.
pub(super) fn without_user_words(text: &str) -> Vec<String> {
    without_user(&words(text)).to_vec()
}

/// Folded words without punctuation, contractions written out.
fn words(text: &str) -> Vec<String> {
    let folded = fold_kana(text).replace(['’', 'ʼ'], "'");
    let mut found = Vec::new();
    for raw in folded.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-' | '+' | '#'))) {
        let word = raw.trim_matches(['\'', '-']);
        if word.is_empty() {
            continue;
        }
        let pair: Option<(&str, &str)> = match word {
            "cannot" | "can't" => Some(("can", "not")),
            "won't" => Some(("will", "not")),
            "i'm" => Some(("i", "am")),
            "i've" => Some(("i", "have")),
            _ => word.strip_suffix("n't").map(|stem| (stem, "not")),
        };
        match pair {
            Some((first, second)) => found.extend([first.to_owned(), second.to_owned()]),
            None => found.push(word.to_owned()),
        }
    }
    found
}

/// See [`super::claim::normal`].
pub fn normal(text: &str) -> String {
    let words = words(text);
    let mut rest = without_user(&words);
    let mut found: Vec<String> = Vec::new();
    if rest.len() < words.len() {
        while let Some((first, tail)) = rest.split_first().filter(|(first, _)| is_aux(first)) {
            found.push(aux_stem(first).to_owned());
            rest = tail;
        }
        if let Some((verb, tail)) = rest.split_first() {
            // Person doesn't matter, tense does: "lived" isn't "lives".
            found.push(if verb.ends_with('s') || *verb == "has" { stem(verb) } else { verb.clone() });
            rest = tail;
        }
    }
    found.extend(rest.iter().map(|word| match word.as_str() {
        "their" | "his" | "her" if words.first().is_some_and(|w| w == "the" || w == "user") => {
            "my".to_owned()
        }
        word => word.to_owned(),
    }));
    found.join(" ")
}

fn is_aux(word: &str) -> bool {
    words!["do", "does", "did", "not", "am", "is", "are", "has", "have", "no", "longer", "never"]
        .contains(word)
}

fn aux_stem(word: &str) -> &str {
    match word {
        "does" => "do",
        "am" | "is" | "are" => "be",
        "has" => "have",
        word => word,
    }
}

fn without_user(words: &[String]) -> &[String] {
    match words {
        [the, user, rest @ ..] if the == "the" && user == "user" => rest,
        [first, rest @ ..] if matches!(first.as_str(), "i" | "user") => rest,
        _ => words,
    }
}

const ADVERBS: Words = words![
    "currently",
    "now",
    "really",
    "also",
    "always",
    "usually",
    "often",
    "still",
    "actually",
    "mostly",
    "especially",
    "absolutely",
    "just",
    "recently",
    "today",
    "very",
    "much",
    "so",
    "quite",
    "will",
    "can",
    "would",
    "been",
    "be",
    "being",
];

const DETERMINERS: Words =
    words!["a", "an", "the", "my", "his", "her", "their", "our", "own", "some", "any", "all"];

/// See [`super::claim::claim`].
pub fn read(text: &str) -> Option<Claim> {
    let words = words(text);
    let (subject, rest) = subject(&words)?;
    let mut holds = Holds::Now;
    let mut copula = false;
    let mut have = false;
    let mut rest = rest;
    // Everything before the verb: auxiliaries, negation, adverbs.
    loop {
        let (first, tail) = rest.split_first()?;
        match first.as_str() {
            "not" | "never" => holds = Holds::Not,
            "no" if tail.first().is_some_and(|word| word == "longer") => {
                holds = Holds::Ended;
                rest = tail.get(1..)?;
                continue;
            }
            "used" if tail.first().is_some_and(|word| word == "to") => {
                holds = Holds::Ended;
                rest = tail.get(1..)?;
                continue;
            }
            "do" | "does" => {}
            "did" => holds = Holds::Once,
            "am" | "is" | "are" => copula = true,
            // "got divorced" tells of now.
            "got" | "get" | "became" if tail.first().is_some_and(|word| is_marital(word)) => copula = true,
            "was" | "were" => {
                copula = true;
                holds = if holds == Holds::Now { Holds::Once } else { holds };
            }
            "has" | "have" | "had" if !copula && is_participle(tail) => have = true,
            "stopped" | "quit" | "quitted" | "gave" | "given" => {
                let tail = tail.strip_prefix(&["up".to_owned()]).unwrap_or(tail);
                let what = tail.first()?;
                if what.ends_with("ing") {
                    holds = Holds::Ended;
                    rest = tail;
                    continue;
                }
                let (object, _) = object_of(without_time(tail, &mut holds));
                return (first != "gave" || rest.get(1).is_some_and(|word| word == "up")).then(|| Claim {
                    subject,
                    attribute: QUIT.to_owned(),
                    count: Count::Unknown,
                    object,
                    name: None,
                    holds: Holds::Ended,
                });
            }
            word if ADVERBS.contains(word) => {}
            _ => break,
        }
        rest = tail;
    }
    if let [born, of, when @ ..] = rest
        && born == "born"
        && matches!(of.as_str(), "in" | "on")
    {
        // The date is the value here, and that it is told in the past says nothing.
        let (object, _) = object_of(when);
        let attribute = birth(&object).to_owned();
        return Some(Claim {
            subject,
            attribute,
            count: Count::Fixed,
            object,
            name: None,
            holds: Holds::Now,
        });
    }
    let rest = without_time(rest, &mut holds);
    if let Some((first, _)) = rest.split_first()
        && !copula
        && !have
        && holds == Holds::Now
        && is_past(first)
        && !words!["move", "relocate", "join", "resign", "retire", "marry"].contains(stem(first).as_str())
    {
        holds = Holds::Once;
    }
    let made = |attribute: &str, count, object: &[String], holds| {
        let (object, name) = object_of(object);
        let empty = object.is_empty() && name.is_none();
        // "I smoke" has no object and says it all.
        (!empty || attribute.starts_with("do:")).then(|| Claim {
            subject: subject.clone(),
            attribute: attribute.to_owned(),
            count,
            object,
            name,
            holds,
        })
    };
    if copula {
        if let Some((owner, attribute, count)) = noun_attribute(&subject) {
            let (object, _) = object_of(rest);
            return Some(Claim { subject: owner, attribute, count, object, name: None, holds });
        }
        if rest.iter().any(|word| word == "years") && rest.iter().any(|word| word == "old" || word == "age") {
            return made("age", Count::One, rest.get(..1)?, holds);
        }
        if let [state] = rest
            && is_marital(state)
        {
            return made("marital", Count::One, rest, holds);
        }
        if let [from, place @ ..] = rest
            && from == "from"
        {
            return made("origin", Count::Fixed, place, holds);
        }
        let bare: Vec<String> =
            rest.iter().skip_while(|word| DETERMINERS.contains(word.as_str())).cloned().collect();
        if let Some((attribute, count, object, denies)) = verb_attribute(&bare) {
            return made(attribute, count, object, denied(holds, denies));
        }
        return made("is", Count::Unknown, rest, holds);
    }
    if let Some((attribute, count, object, denies)) = verb_attribute(rest) {
        // "has no children" denies having them.
        let (object, denies) = match object {
            [no, tail @ ..] if no == "no" => (tail, !denies),
            object => (object, denies),
        };
        // "moved from Osaka to Kyoto" is about Kyoto.
        let (object, denies) = match object.iter().rposition(|word| word == "to") {
            Some(at) if attribute == "home" && denies => (object.get(at + 1..)?, false),
            _ => (object, denies),
        };
        let object = match object {
            [first, tail @ ..] if denies && matches!(first.as_str(), "of" | "from") => tail,
            object => object,
        };
        let ended = attribute == "home" || attribute == "employer";
        let holds = if denies && ended { Holds::Ended } else { denied(holds, denies) };
        return made(attribute, count, object, holds);
    }
    let (verb, object) = rest.split_first()?;
    made(&format!("do:{}", stem(verb)), Count::Unknown, object, holds)
}

fn is_marital(word: &str) -> bool {
    words!["married", "single", "divorced", "widowed", "engaged", "unmarried"].contains(word)
}

/// Whom the sentence is about, and what follows.
fn subject(words: &[String]) -> Option<(String, &[String])> {
    let words = match words {
        // "Now I live …", "Currently the user …"
        [first, rest @ ..] if ADVERBS.contains(first.as_str()) => rest,
        words => words,
    };
    let rest = without_user(words);
    if rest.len() < words.len() {
        return Some((String::new(), rest));
    }
    let owned: &[String] = match words {
        [the, users, rest @ ..] if the == "the" && users == "user's" => rest,
        [first, rest @ ..] if words!["my", "user's", "their", "his", "her"].contains(first.as_str()) => rest,
        [first, rest @ ..] if stem(first) != *first || is_known_verb(first) => {
            // A fact without a subject: "Lives in Osaka".
            let _ = rest;
            return Some((String::new(), words));
        }
        words => words,
    };
    let end = owned.iter().take(6).position(|word| is_verb_like(word))?;
    let subject: Vec<&str> = owned
        .get(..end)?
        .iter()
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| !DETERMINERS.contains(word) && !ADVERBS.contains(word))
        .collect();
    (!subject.is_empty()).then(|| (subject.join(" "), owned.get(end..).unwrap_or_default()))
}

fn is_verb_like(word: &str) -> bool {
    words![
        "is", "are", "am", "was", "were", "has", "have", "had", "do", "does", "did", "no", "not", "never",
        "used", "will", "can"
    ]
    .contains(word)
        || is_known_verb(word)
}

fn is_known_verb(word: &str) -> bool {
    // As a noun's neighbour these are nouns: "my work", "my name", "my fan".
    let stem = stem(word);
    !words!["work", "name", "call", "home", "fan", "own", "play", "like", "base", "interest"].contains(word)
        && VERBS.iter().any(|verb| verb.0 == stem)
}

fn denied(holds: Holds, denies: bool) -> Holds {
    match (holds, denies) {
        (Holds::Now, true) => Holds::Not,
        (Holds::Not, true) => Holds::Now,
        (holds, _) => holds,
    }
}

/// The attribute that a verb stands for, and the words after it.
fn verb_attribute(words: &[String]) -> Option<(&'static str, Count, &[String], bool)> {
    let (verb, rest) = words.split_first()?;
    let stem = stem(verb);
    VERBS.iter().filter(|known| known.0 == stem).find_map(|&(_, after, attribute, count, denies)| {
        if after.is_empty() {
            return Some((attribute, count, rest, denies));
        }
        let (first, tail) = rest.split_first()?;
        (first == after).then_some((attribute, count, tail, denies))
    })
}

/// "sister name" is the name of the sister; "favorite color" is an attribute by itself.
fn noun_attribute(subject: &str) -> Option<(String, String, Count)> {
    let words: Vec<&str> = subject.split(' ').collect();
    if let Some(at) = words.iter().position(|word| matches!(*word, "favorite" | "favourite")) {
        let owner = words.get(..at)?.join(" ");
        return Some((owner, format!("favorite {}", words.get(at + 1..)?.join(" ")), Count::One));
    }
    let (last, owner) = words.split_last()?;
    let (_, attribute, count) = NOUNS.iter().find(|noun| noun.0 == *last)?;
    Some((owner.join(" "), (*attribute).to_owned(), *count))
}

/// Cuts what says when: "since 2019", "for ten years", "in 2015", "anymore".
fn without_time<'a>(words: &'a [String], holds: &mut Holds) -> &'a [String] {
    let mut words = words;
    if let Some(at) = words.iter().position(|word| word == "anymore") {
        *holds = Holds::Ended;
        words = words.get(..at).unwrap_or(words);
    }
    if let [head @ .., any, more] = words
        && any == "any"
        && (more == "more" || more == "longer")
    {
        *holds = Holds::Ended;
        words = head;
    }
    let is_time = |at: usize| {
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        let dated = next.starts_with(|c: char| c.is_ascii_digit()) || MONTHS.contains(next);
        match words.get(at).map(String::as_str) {
            Some("since" | "until" | "till") => true,
            Some("from" | "in" | "on" | "between") => dated && at > 0 && next.len() >= 3,
            Some("for") => dated || word_value(next).is_some(),
            _ => false,
        }
    };
    let end = (1..words.len()).find(|&at| is_time(at)).unwrap_or(words.len());
    let mut words = words.get(..end).unwrap_or(words);
    while let Some((last, head)) = words.split_last() {
        if !words!["now", "currently", "much", "very", "lot", "too", "really", "again"]
            .contains(last.as_str())
        {
            break;
        }
        words = head;
    }
    words
}

const MONTHS: Words = words![
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "last",
    "this",
    "next",
];

/// The object's words in one form, and the name that it is given.
fn object_of(words: &[String]) -> (Vec<String>, Option<String>) {
    let at = words.iter().position(|word| matches!(word.as_str(), "named" | "called"));
    let (object, name) = match at {
        Some(at) => (words.get(..at).unwrap_or_default(), words.get(at + 1..).map(|name| name.join(" "))),
        None => (words, None),
    };
    let object = object
        .iter()
        .filter(|word| !DETERMINERS.contains(word.as_str()))
        .map(|word| word_value(word).map_or_else(|| singular(word), |number| number.to_string()))
        .collect();
    (object, name)
}

/// What "born in …" tells: the year, the day, or the place.
fn birth(object: &[String]) -> &'static str {
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    match object {
        _ if object.iter().any(|word| MONTHS.contains(word.as_str())) => "birthday",
        [year] if is_number(year) => "birth year",
        _ if object.iter().any(is_number) => "birthday",
        _ => "birthplace",
    }
}

fn is_participle(rest: &[String]) -> bool {
    rest.first().is_some_and(|word| {
        words!["been", "not", "never", "moved", "lived", "always", "stopped", "quit", "given"]
            .contains(word.as_str())
            || (word.ends_with("ed") && word.len() > 4 && rest.len() > 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        read(text).map_or_else(
            || "-".to_owned(),
            |claim| {
                let name = claim.name.map(|name| format!(" \"{name}\"")).unwrap_or_default();
                format!(
                    "{}|{}|{}{name}|{:?}",
                    claim.subject,
                    claim.attribute,
                    claim.object.join(" "),
                    claim.holds
                )
            },
        )
    }

    #[test]
    fn a_sentence_tells_subject_attribute_value_and_whether_it_holds() {
        for (text, want) in [
            ("I live in Osaka", "|home|osaka|Now"),
            ("The user lives in Tokyo now.", "|home|tokyo|Now"),
            ("Lives in Osaka", "|home|osaka|Now"),
            ("I moved from Osaka to Kyoto in 2020", "|home|kyoto|Now"),
            ("I moved out of Osaka", "|home|osaka|Ended"),
            ("I no longer live in Osaka", "|home|osaka|Ended"),
            ("I lived in Osaka from 2015 to 2018", "|home|osaka|Once"),
            ("I have lived in Osaka since 2019", "|home|osaka|Now"),
            ("I don't like coffee anymore", "|like|coffee|Ended"),
            ("I don't like coffee", "|like|coffee|Not"),
            ("I hate cilantro", "|like|cilantro|Not"),
            ("The user does not hate cats", "|like|cat|Now"),
            ("I used to smoke cigars", "|do:smoke|cigar|Ended"),
            ("I have a cat named Tama", "|have|cat \"tama\"|Now"),
            ("I have two cats", "|have|2 cat|Now"),
            ("My sister's name is Hanako", "sister|name|hanako|Now"),
            ("My favorite color is blue", "|favorite color|blue|Now"),
            ("I am 35 years old", "|age|35|Now"),
            ("I'm allergic to peanuts", "|allergy|peanut|Now"),
            ("My sister Yuki lives in Paris", "sister yuki|home|paris|Now"),
            ("I work for Acme as a nurse", "|employer|acme as nurse|Now"),
            ("I am married", "|marital|married|Now"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
        assert_eq!(shown(""), "-");
        assert_eq!(shown("👍 !!"), "-");
    }
}
