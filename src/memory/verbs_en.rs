//! English words by what they do in a claim: verbs and nouns of known attributes, and the forms they take.

use super::claim::Count;
use crate::text::list::Words;
use crate::words;

/// Verbs whose object is a value of a known attribute: stem, the word after it, attribute, count, whether it denies.
pub(super) const VERBS: &[(&str, &str, &str, Count, bool)] = &[
    ("like", "", "like", Count::Many, false),
    ("love", "", "like", Count::Many, false),
    ("enjoy", "", "like", Count::Many, false),
    ("adore", "", "like", Count::Many, false),
    ("prefer", "", "like", Count::Many, false),
    ("dislike", "", "like", Count::Many, true),
    ("hate", "", "like", Count::Many, true),
    ("detest", "", "like", Count::Many, true),
    ("live", "in", "home", Count::One, false),
    ("live", "at", "home", Count::One, false),
    ("reside", "in", "home", Count::One, false),
    ("base", "in", "home", Count::One, false),
    ("move", "out", "home", Count::One, true),
    ("move", "away", "home", Count::One, true),
    ("move", "from", "home", Count::One, true),
    ("move", "to", "home", Count::One, false),
    ("relocate", "to", "home", Count::One, false),
    ("work", "at", "employer", Count::One, false),
    ("work", "for", "employer", Count::One, false),
    ("employ", "by", "employer", Count::One, false),
    ("employ", "at", "employer", Count::One, false),
    ("join", "", "employer", Count::One, false),
    ("resign", "from", "employer", Count::One, true),
    ("retire", "from", "employer", Count::One, true),
    ("work", "as", "job", Count::One, false),
    ("name", "", "name", Count::One, false),
    ("call", "", "name", Count::One, false),
    ("marry", "to", "spouse", Count::One, false),
    ("allergic", "to", "allergy", Count::Many, false),
    ("come", "from", "origin", Count::Fixed, false),
    ("fond", "of", "like", Count::Many, false),
    ("interest", "in", "like", Count::Many, false),
    ("fan", "of", "like", Count::Many, false),
    ("speak", "", "speak", Count::Many, false),
    ("have", "", "have", Count::Many, false),
    ("own", "", "have", Count::Many, false),
    ("keep", "", "have", Count::Many, false),
    ("play", "", "do:play", Count::Many, false),
    ("eat", "", "do:eat", Count::Many, false),
    ("drink", "", "do:drink", Count::Many, false),
    ("read", "", "do:read", Count::Many, false),
    ("know", "", "do:know", Count::Many, false),
    ("study", "", "do:study", Count::Many, false),
    ("learn", "", "do:study", Count::Many, false),
];

/// Nouns that name an attribute of whoever they belong to: "my name is", "the sister's birthday is".
pub(super) const NOUNS: &[(&str, &str, Count)] = &[
    ("name", "name", Count::One),
    ("surname", "surname", Count::One),
    ("nickname", "nickname", Count::One),
    ("birthday", "birthday", Count::Fixed),
    ("birthdate", "birthday", Count::Fixed),
    ("age", "age", Count::One),
    ("job", "job", Count::One),
    ("occupation", "job", Count::One),
    ("profession", "job", Count::One),
    ("employer", "employer", Count::One),
    ("home", "home", Count::One),
    ("address", "address", Count::One),
    ("hometown", "origin", Count::Fixed),
    ("email", "email", Count::One),
    ("phone", "phone", Count::One),
    ("number", "number", Count::One),
    ("height", "height", Count::One),
    ("weight", "weight", Count::One),
    ("size", "size", Count::One),
    ("budget", "budget", Count::One),
    ("salary", "salary", Count::One),
    ("deadline", "deadline", Count::One),
];

/// A noun without its plural ending, near enough that both forms meet.
pub(super) fn singular(word: &str) -> String {
    let kept = words!["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if word.len() <= 3 || kept || word.ends_with("'s") {
        return word.to_owned();
    }
    let irregular = match word {
        "children" => "child",
        "people" => "person",
        "women" => "woman",
        "men" => "man",
        "wives" => "wife",
        _ => "",
    };
    if !irregular.is_empty() {
        return irregular.to_owned();
    }
    match word.strip_suffix("ies") {
        Some(stem) if word.len() > 4 => format!("{stem}y"),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// Whether a verb is in the past tense.
pub(super) fn is_past(verb: &str) -> bool {
    const IRREGULAR: Words = words![
        "had", "ate", "drank", "spoke", "knew", "came", "went", "bought", "met", "saw", "ran", "won", "took",
        "got", "began", "broke", "wrote", "drove", "left", "kept", "did", "gave", "sold", "lost", "made",
    ];
    IRREGULAR.contains(verb) || (verb.ends_with("ed") && verb.len() > 4 && !matches!(verb, "need"))
}

/// The verb without person and tense, near enough that both spellings of one verb meet.
pub(super) fn stem(verb: &str) -> String {
    let irregular = match verb {
        "has" | "had" | "having" => "have",
        "does" | "did" => "do",
        "goes" | "went" => "go",
        "ate" => "eat",
        "drank" => "drink",
        "spoke" => "speak",
        "knew" => "know",
        "came" => "come",
        "kept" => "keep",
        "born" => "bear",
        "married" => "marry",
        "lives" | "living" | "lived" => "live",
        "likes" | "liked" | "liking" => "like",
        "loves" | "loved" | "loving" => "love",
        "hates" | "hated" => "hate",
        "dislikes" | "disliked" => "dislike",
        "adores" | "adored" => "adore",
        "moves" | "moved" | "moving" => "move",
        "resides" | "resided" | "residing" => "reside",
        "relocated" | "relocates" => "relocate",
        "retired" => "retire",
        "named" => "name",
        "based" => "base",
        "interested" => "interest",
        "prefers" | "preferred" => "prefer",
        "studies" | "studied" => "study",
        "uses" | "used" | "using" => "use",
        "drives" | "driving" => "drive",
        "smokes" | "smoked" | "smoking" => "smoke",
        _ => "",
    };
    if !irregular.is_empty() {
        return irregular.to_owned();
    }
    let long = |stem: &&str| stem.len() >= 3;
    if let Some(stem) = verb.strip_suffix("ing").or_else(|| verb.strip_suffix("ed")).filter(long) {
        return stem.to_owned();
    }
    if let Some(stem) = verb.strip_suffix("ies").filter(|stem| stem.len() >= 2) {
        return format!("{stem}y");
    }
    for ending in words!["ches", "shes", "sses", "xes"] {
        if verb.ends_with(ending) {
            return verb.strip_suffix("es").unwrap_or(verb).to_owned();
        }
    }
    match verb.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => verb.to_owned(),
    }
}
