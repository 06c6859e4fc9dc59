//! Whether a fact says of its subject what the statement says: the same verb, in the same voice, of the same person.
//!
//! All words of a fact may stand in a statement that yet says something else: "applying for a position as a curator" is
//! no "is a curator", and 「カウンセラーに日記を勧められた」 recommends nothing. What the statement does is looked for in the
//! fact; where it can't be told what that is, nothing is objected.

use super::cover::{related, stem};
use super::predicate_ja::misread_ja;
use super::subject::is_person_en;
use super::units_en::{Word, is_adverb, is_auxiliary, is_filler, verb_at, words};
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::words;

/// Whether `text` says something else than the statement `said`, although it has only its words.
pub(super) fn misread(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => misread_en(&words(text), &words(said)),
        Language::Ja => misread_ja(&fold(text), &fold(said)),
    }
}

/// "my husband Tomás", 「夫の健」: who somebody is, told in passing.
pub(super) fn names_relation(text: &str, said: &str) -> bool {
    match language(said) {
        Language::En => {
            let told: Vec<Word> = words(text)
                .into_iter()
                .filter(|word| {
                    !words!["the", "user's", "user", "my", "is", "named", "called"]
                        .contains(word.low.as_str())
                })
                .collect();
            let Some((relation, names)) = told.split_first().filter(|(_, names)| !names.is_empty()) else {
                return false;
            };
            let relation = relation.low.trim_end_matches("'s");
            // "my husband Tomás", "my landlord Mr. Petrov": the name follows at once.
            words(said).windows(names.len() + 2).any(|near| {
                let low = |at: usize| near.get(at).map_or("", |word| word.low.as_str());
                matches!(low(0), "my" | "our")
                    && low(1) == relation
                    && is_person_en(relation)
                    && names
                        .iter()
                        .zip(near.iter().skip(2))
                        .all(|(name, said)| name.low == said.low && said.is_capital)
            })
        }
        Language::Ja => {
            let text = fold(text);
            let bare = text
                .trim_end_matches(|c: char| !c.is_alphanumeric())
                .trim_end_matches("です")
                .trim_end_matches('だ');
            bare.split_once('は').is_some_and(|(head, name)| {
                !name.is_empty()
                    && !name.contains(['は', 'が', 'を', 'に'])
                    && fold(said).contains(&format!("{head}の{name}"))
            })
        }
    }
}

fn misread_en(text: &[Word], said: &[Word]) -> bool {
    let stems: Vec<String> = text.iter().map(|word| stem(&word.low)).collect();
    acts_on_user(text, said)
        || misnames_en(text, said)
        || renames_user(text, said)
        || disowned(text, said)
        || lacks_verb(&stems, text, said)
}

/// "Felix owes me 300": who does it and to whom are not exchanged.
fn acts_on_user(text: &[Word], said: &[Word]) -> bool {
    let first_person = |word: &Word| matches!(word.low.split('\'').next(), Some("i" | "we" | "im"));
    let Some(at) = said.iter().position(|word| matches!(word.low.as_str(), "me" | "us")) else {
        return false;
    };
    let Some(verb) = at.checked_sub(1).and_then(|verb| said.get(verb)) else { return false };
    if said.iter().take(at).any(first_person) {
        return false;
    }
    let own: Vec<&Word> = text
        .iter()
        .filter(|word| word.low != "the" && !is_adverb(&word.low) && !is_auxiliary(&word.low))
        .take(2)
        .collect();
    let acts = |at: usize| own.get(at).is_some_and(|word| stem(&word.low) == stem(&verb.low));
    own.first().is_some_and(|word| word.low == "user") && acts(1) || acts(0)
}

/// "We named the baby Otto" tells a name, and not the user's.
fn renames_user(text: &[Word], said: &[Word]) -> bool {
    let told: Vec<&str> = text.iter().map(|word| word.low.as_str()).filter(|word| *word != "the").collect();
    let own_name = matches!(
        told.as_slice(),
        ["user's" | "my", "name", ..] | ["name", "is", ..] | ["user", "is", "called" | "named", ..]
    );
    let introduces = said.windows(2).any(|near| {
        let low = |at: usize| near.get(at).map_or("", |word| word.low.as_str());
        matches!(
            (low(0), low(1)),
            ("my" | "the", "name" | "name's")
                | ("call", "me")
                | ("called" | "i'm" | "im", _)
                | ("i", "am" | "go")
                | ("this", "is")
        ) || low(0).starts_with("name") && low(0) != "named"
    });
    own_name && !introduces
}

/// "The user's chef" of "head chef at Mizuki's": a noun that the user didn't call theirs.
fn disowned(text: &[Word], said: &[Word]) -> bool {
    let Some(at) = text.iter().position(|word| word.low == "user's") else { return false };
    let (Some(noun), Some(link)) = (text.get(at + 1), text.get(at + 2)) else { return false };
    if !words!["is", "was", "has"].contains(link.low.as_str())
        || !is_person_en(&noun.low) && !noun.low.ends_with("er") && !noun.low.ends_with("chef")
    {
        return false;
    }
    let places: Vec<usize> = said
        .iter()
        .enumerate()
        .filter(|(_, word)| word.low.trim_end_matches("'s") == noun.low)
        .map(|(at, _)| at)
        .collect();
    !places.is_empty()
        && places.iter().all(|&place| {
            place > 0
                && !said.iter().take(place).rev().take(4).any(|word| {
                    words!["my", "our", "a", "an", "two", "have", "mine"].contains(word.low.as_str())
                })
        })
}

/// A name that belongs to somebody else who stands between.
fn misnames_en(text: &[Word], said: &[Word]) -> bool {
    let Some(relation) = text.iter().position(|word| is_person_en(word.low.trim_end_matches("'s"))) else {
        return false;
    };
    let who = text.get(relation).map(|word| word.low.trim_end_matches("'s").to_owned()).unwrap_or_default();
    let Some(name) = text.iter().enumerate().skip(1).find(|(at, word)| {
        word.is_capital
            && at.abs_diff(relation) <= 3
            && !is_person_en(&word.low)
            && word.low != "user's"
            && word.low != "user"
    }) else {
        return false;
    };
    let links = text.iter().any(|word| words!["is", "named", "called", "name"].contains(word.low.as_str()));
    let places = |low: &str| -> Vec<usize> {
        said.iter()
            .enumerate()
            .filter(|(_, word)| word.low.trim_end_matches("'s") == low)
            .map(|(at, _)| at)
            .collect()
    };
    let (people, names) = (places(&who), places(&name.1.low));
    if !links || people.is_empty() || names.is_empty() {
        return false;
    }
    !people.iter().any(|&person| {
        names.iter().any(|&named| {
            let between = said.get(person.min(named) + 1..person.max(named)).unwrap_or_default();
            !between.iter().any(|word| {
                is_person_en(&word.low) || word.is_capital && !matches!(word.low.as_str(), "i" | "i'm")
            })
        })
    })
}

/// Whether the statement's own verb is missing from the fact.
fn lacks_verb(stems: &[String], text: &[Word], said: &[Word]) -> bool {
    let verbs = main_verbs(said);
    if verbs.is_empty() {
        return false;
    }
    let has =
        |verb: &String| stems.contains(&stem(verb)) || stems.iter().any(|own| related(&stem(verb), own));
    if verbs.iter().any(has) {
        return false;
    }
    let low = |words: &[Word], any: Words| words.iter().any(|word| any.contains(word.low.as_str()));
    let light = |verb: &String| {
        words![
            "do", "does", "did", "get", "got", "getting", "become", "became", "turn", "turned", "come",
            "came", "go", "going", "feel", "been", "use", "mean"
        ]
        .contains(verb.as_str())
            || words!["work", "working", "worked"].contains(verb.as_str()) && low(said, words!["as"])
    };
    if verbs.iter().all(light) {
        return false;
    }
    let owns = low(text, words!["has", "have", "owns", "own", "had"]);
    let comes_to_have = verbs.iter().any(|verb| {
        words![
            "have", "hav", "ha", "had", "own", "keep", "kept", "bui", "bought", "adopt", "rais", "inherit",
            "receiv", "rescu", "found"
        ]
        .contains(stem(verb).as_str())
    });
    let mine = said.windows(3).any(|near| {
        matches!(near.first().map(|word| word.low.as_str()), Some("my" | "our"))
            && near.iter().skip(1).any(|word| stems.contains(&stem(&word.low)))
    });
    let by_user =
        said.iter().any(|word| matches!(word.low.split('\'').next(), Some("i" | "we" | "im" | "ive")));
    !(owns && (comes_to_have || mine)) && !(by_user && mine_is_told(text, said))
}

/// "we moved into our flat in Ghent" may be told as "the user's flat is in Ghent".
fn mine_is_told(text: &[Word], said: &[Word]) -> bool {
    let Some(owned) = text.iter().position(|word| word.low == "user's").and_then(|at| text.get(at + 1))
    else {
        return false;
    };
    said.windows(2).any(|near| {
        matches!(near.first().map(|word| word.low.as_str()), Some("my" | "our"))
            && near.get(1).is_some_and(|word| stem(&word.low) == stem(owned.low.trim_end_matches("'s")))
    })
}

/// The verbs that the user is the subject of: "want" and "visit" of "I want to visit". A copula is none.
fn main_verbs(said: &[Word]) -> Vec<String> {
    let first = said.iter().position(|word| {
        words!["i", "we", "i'm", "im", "we're", "i've", "we've", "ive", "i'll", "we'll", "i'd", "we'd"]
            .contains(word.low.as_str())
    });
    let mut be = false;
    let rest: Vec<&Word> = match first {
        Some(at) => {
            let start = said.get(at).map(|word| word.low.as_str()).unwrap_or_default();
            be = words!["i'm", "im", "we're"].contains(start);
            said.iter().skip(at + 1).collect()
        }
        None => said.iter().skip_while(|word| is_filler(&word.low)).collect(),
    };
    let mut found = Vec::new();
    let mut rest = rest.into_iter().filter(|word| !is_adverb(&word.low) && !is_filler(&word.low)).peekable();
    while let Some(word) = rest.next() {
        let low = word.low.as_str();
        let participle = rest.peek().is_some_and(|next| {
            next.low == "been"
                || next.low.ends_with("ed")
                || words!["had", "got", "gone", "done", "moved"].contains(next.low.as_str())
        });
        match low {
            "am" | "are" | "is" | "was" | "were" | "been" | "be" => be = true,
            "have" | "has" | "had" if participle => {}
            "do" | "don't" | "did" | "didn't" | "does" | "doesn't" | "can" | "can't" | "cannot" | "will"
            | "won't" | "would" | "wouldn't" | "could" | "should" | "must" | "haven't" | "hasn't"
            | "might" | "may" => {}
            _ if be && !(low.len() > 4 && low.ends_with("ing") || low.ends_with("ed")) => return Vec::new(),
            // Behind another subject the verb is the first word that can be one.
            _ if first.is_none() && !be && !(low.ends_with("ing") || low.ends_with("ed")) => {
                let own: Vec<&Word> = said.iter().collect();
                let verb = verb_at(&own)
                    .and_then(|verb| said.get(verb))
                    .filter(|verb| !is_auxiliary(&verb.low) && !verb.low.contains('\''));
                return verb.map(|verb| verb.low.clone()).into_iter().collect();
            }
            _ => {
                found.push(low.to_owned());
                be = false;
                // "want to visit", "used to smoke", "going to move"
                if rest.peek().is_some_and(|next| next.low == "to") {
                    rest.next();
                    continue;
                }
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_that_says_something_else_with_the_same_words_is_seen() {
        for (text, said) in [
            ("The user is a curator in Ghent", "I'm applying for a position as a curator in Ghent"),
            ("The user owes the brother-in-law Felix 300 bucks", "My brother-in-law Felix owes me 300 bucks"),
            ("The user's husband is Rui", "my husband Tomás, and the kids, Inês (9), Rui (6)"),
            ("The user has a Toyota", "I'm leaning towards the Toyota"),
            ("台所をリフォームする", "台所のリフォームは高すぎる"),
            ("カウンセラーだ", "カウンセラーに日記を勧められて"),
            ("カウンセラーに日記を勧めた", "カウンセラーに日記を勧められて"),
            ("夫は蓮", "夫の健と、長男の蓮がいます"),
            ("電動自転車を売った", "電動自転車買った"),
            ("猫がいる", "猫が好き"),
        ] {
            assert!(misread(text, said), "{text} / {said}");
        }
    }

    #[test]
    fn a_faithful_rewording_is_not_objected_to() {
        for (text, said) in [
            ("The user is a nurse", "I work as a nurse"),
            ("The user has a kitten named Luna", "I just adopted a kitten named Luna"),
            ("The user lives in Osaka", "I moved to Osaka"),
            ("The user wants to visit Paris", "I'd like to visit Paris"),
            ("The user is learning Korean", "I've been learning Korean since 2019"),
            ("The user's husband is Tomás", "my husband Tomás, and the kids"),
            ("夫は健", "夫の健と、長男の蓮がいます"),
            ("猫の名前はタマ", "タマという名前の猫を飼っています"),
            ("大阪に住んでいる", "大阪に引っ越しました"),
            ("看護師", "看護師をしています"),
            ("妻がいる", "妻と娘がいます"),
            ("誕生日は5月3日", "5月3日が誕生日です"),
            ("7歳になった", "7歳になりました"),
        ] {
            assert!(!misread(text, said), "{text} / {said}");
        }
    }
}
