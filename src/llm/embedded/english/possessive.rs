//! English statements whose subject belongs to the user ("my wife works at …"), names, and how to be answered.

use super::Scope;
use super::having::age;
use super::name::{call_me, is_pointer, name};
use super::objects::{bounded, object, without_period};
use super::plan::without_date_ahead;
use super::predicate::read as predicate;
use super::token::{Word, sentence_text};
use super::words::{ADVERBS, Form, PETS, RELATIVES, STABLE_NOUNS, base_of_third, verb};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::case::{capitalised, lower_first};
use crate::text::list::Words;
use crate::words;

/// The longest owner phrase: "my best friend's older sister" is somebody else's.
const MAX_SUBJECT_WORDS: usize = 5;

/// Reads what follows "my", or a fact's "Wife is named Yuki."
pub fn read(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let Some(verb_at) = verb_at(words) else {
        return with_is(words).map_or_else(Vec::new, |words| read(scope, &words));
    };
    let mut subject: Vec<&str> = words[..verb_at].iter().map(|w| w.low.as_str()).collect();
    // "My daughter just started school".
    while subject.len() > 1 && subject.last().is_some_and(|word| ADVERBS.contains(word)) {
        subject.pop();
    }
    let (verb, rest) = (words[verb_at].low.as_str(), &words[verb_at + 1..]);
    let is = verb == "is" || verb == "are";
    if rest.first().is_some_and(|w| w.low == "not")
        && !matches!(subject.as_slice(), [noun, ..] if RELATIVES.contains(noun))
    {
        return Vec::new();
    }
    match subject.as_slice() {
        ["name"] | ["full" | "first" | "real", "name"] if is => name(rest, Slot::Name),
        ["nickname"] if is => name(rest, Slot::Nickname),
        ["age"] if is => age(rest).into_iter().collect(),
        ["birthday"] | ["date", "of", "birth"] | ["birth", "date"] if is => birthday(scope, rest),
        ["job" | "occupation" | "profession"] if is => job(scope, rest),
        ["hometown"] | ["home", "town"] if is => value(scope, rest, Slot::Origin, "hometown", "Hometown is"),
        ["favorite" | "favourite", class @ ..] | ["all", "time", "favorite" | "favourite", class @ ..]
            if is && !class.is_empty() =>
        {
            let class = class.join(" ");
            let class = match class.strip_suffix("ies").filter(|_| verb == "are") {
                Some(stem) => format!("{stem}y"),
                None => class.strip_suffix('s').filter(|_| verb == "are").unwrap_or(&class).to_owned(),
            };
            if class
                .split(' ')
                .any(|w| words!["to", "way", "thing", "one", "part", "about", "of"].contains(w))
            {
                return Vec::new();
            }
            value(scope, rest, Slot::Favourite, &class, &format!("Favourite {class} is"))
        }
        // Many leave the apostrophe out: "my wifes name".
        [noun, "name"] if is && noun.strip_suffix('s').is_some_and(is_being) => {
            named(noun.trim_end_matches('s'), rest)
        }
        [.., owner, "name"]
            if is && owner.contains("'s")
                || subject.ends_with(&["name"])
                    && subject.len() > 1
                    && !STABLE_NOUNS.contains(subject.join(" ").as_str()) =>
        {
            let owner = subject[..subject.len() - 1].join(" ");
            let owner = owner.trim_end_matches("'s").trim_end_matches('\'').to_owned();
            if is { named(&owner, rest) } else { Vec::new() }
        }
        [owners @ .., _] if owners.iter().any(|owner| owner.contains("'s")) => {
            of_relative(scope, words, &subject)
        }
        [.., noun] if PETS.contains(noun) || RELATIVES.contains(noun) => {
            relative(scope, &subject, &words[verb_at..])
        }
        [.., noun, given]
            if (RELATIVES.contains(noun) || PETS.contains(noun))
                && words[subject.len() - 1].raw.starts_with(char::is_uppercase) =>
        {
            let mut found =
                vec![named_statement(&subject[..subject.len() - 1].join(" "), words[subject.len() - 1].raw)];
            let _ = given;
            found.extend(relative(scope, &subject[..subject.len() - 1], &words[verb_at..]));
            found
        }
        [
            ..,
            "wedding" | "flight" | "surgery" | "exam" | "interview" | "appointment" | "graduation"
            | "operation",
        ] if verb == "is"
            && rest
                .first()
                .is_some_and(|w| words!["on", "in", "next", "tomorrow"].contains(w.low.as_str())) =>
        {
            let said = sentence_text(scope.source, &words[verb_at..]);
            let noun = capitalised(&subject.join(" "));
            vec![Statement::new(Slot::Plan, &noun, "", format!("{noun} {said}.")).when(When::Ahead).single()]
        }
        [noun, ..] if JOURNEYS.contains(noun) && !is => journey(scope, words),
        _ if is && STABLE_NOUNS.contains(subject.join(" ").as_str()) => {
            let about = subject.join(" ");
            value(scope, rest, Slot::Trait, &about, &format!("{} {verb}", capitalised(&about)))
        }
        _ => Vec::new(),
    }
}

const JOURNEYS: Words = words!["flight", "train", "ferry", "bus", "plane"];

/// "Our flight to Rome leaves on the 14th of December at 6:40".
fn journey(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let date = without_date_ahead(scope, words).1;
    bounded(scope, words, 14).filter(|_| date.is_some()).map_or_else(Vec::new, |(said, folded)| {
        let mut statement =
            Statement::new(Slot::Plan, &folded, "", capitalised(&format!("{said}."))).when(When::Ahead);
        statement.from = date;
        vec![statement]
    })
}

/// "Yuki is my wife".
pub fn reversed(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    match words {
        [who, is, my, rest @ ..]
            if is.low == "is" && my.low == "my" && who.raw.starts_with(char::is_uppercase) =>
        {
            let low: Vec<&str> = rest.iter().map(|w| w.low.as_str()).collect();
            match low.as_slice() {
                ["favorite" | "favourite", class @ ..]
                    if !class.is_empty() && class.len() <= 2 && !is_pointer(&who.low) =>
                {
                    let class = class.join(" ");
                    vec![Statement::new(
                        Slot::Favourite,
                        &class,
                        who.raw,
                        format!("Favourite {class} is {}.", who.raw),
                    )]
                }
                [noun] | ["older" | "younger" | "best" | "little" | "big", noun]
                    if (RELATIVES.contains(noun) || PETS.contains(noun)) && !is_pointer(&who.low) =>
                {
                    vec![named_statement(&low.join(" "), who.raw)]
                }
                _ => Vec::new(),
            }
        }
        [people, call, me, rest @ ..]
            if matches!(call.low.as_str(), "call" | "calls")
                && me.low == "me"
                && words!["everyone", "friends", "people"].contains(people.low.as_str()) =>
        {
            call_me(scope, &words[1..]).into_iter().chain(name(rest, Slot::Nickname)).take(1).collect()
        }
        _ => Vec::new(),
    }
}

fn birthday(scope: &Scope, rest: &[Word]) -> Vec<Statement> {
    let rest =
        if rest.first().is_some_and(|w| matches!(w.low.as_str(), "on" | "in")) { &rest[1..] } else { rest };
    let is_date = rest.iter().take(4).any(|w| {
        crate::llm::embedded::dates::month(&w.low).is_some()
            || w.low.starts_with(|c: char| c.is_ascii_digit())
    });
    match object(scope, rest).filter(|_| is_date && rest.len() <= 5) {
        Some((said, folded)) => {
            let folded = folded.replace([','], "").replace("the ", "").replace("of ", "");
            vec![Statement::new(Slot::Birthday, "", &folded, format!("Birthday is {said}."))]
        }
        None => Vec::new(),
    }
}

fn job(scope: &Scope, rest: &[Word]) -> Vec<Statement> {
    let is_role = rest.first().is_some_and(|w| matches!(w.low.as_str(), "a" | "an"));
    if rest.len() == 1 || is_role { value(scope, rest, Slot::Occupation, "", "Job is") } else { Vec::new() }
}

fn value(scope: &Scope, rest: &[Word], slot: Slot, about: &str, opening: &str) -> Vec<Statement> {
    let (rest, _) = without_period(scope, rest);
    object(scope, rest).map_or_else(Vec::new, |(said, folded)| {
        let statement = Statement::new(slot, about, &folded, format!("{opening} {said}."));
        vec![if slot == Slot::Trait { statement.single() } else { statement }]
    })
}

fn named(owner: &str, rest: &[Word]) -> Vec<Statement> {
    let is_known =
        owner.split(' ').next_back().is_some_and(|noun| PETS.contains(noun) || RELATIVES.contains(noun));
    let Some(given) = name(rest, Slot::Name).into_iter().next() else { return Vec::new() };
    if !is_known || owner.contains("'s") {
        return Vec::new();
    }
    let name = given.text.trim_start_matches("Name is ").trim_end_matches('.').to_owned();
    vec![named_statement(owner, &name)]
}

fn named_statement(owner: &str, name: &str) -> Statement {
    let noun = owner.split(' ').next_back().unwrap_or(owner);
    let slot = if PETS.contains(noun) { Slot::Pet } else { Slot::Relation };
    let article = if owner.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    Statement::new(slot, owner, name, format!("Has {article} {owner} named {name}."))
}

/// "My daughter's birthday is June 10": what of the user's own attributes is said of somebody near.
fn of_relative(scope: &Scope, words: &[Word], subject: &[&str]) -> Vec<Statement> {
    let Some(at) = subject.iter().position(|word| word.ends_with("'s")) else { return Vec::new() };
    let owner = subject.get(..=at).unwrap_or_default().join(" ");
    let noun = subject.get(at).map_or("", |word| word.trim_end_matches("'s"));
    if !(PETS.contains(noun) || RELATIVES.contains(noun)) || at > 2 {
        return Vec::new();
    }
    let kept = |of_user: &Statement| {
        matches!(
            of_user.slot,
            Slot::Birthday | Slot::Origin | Slot::Favourite | Slot::Occupation | Slot::Trait | Slot::Relation
        )
    };
    let inner = read(scope, words.get(at + 1..).unwrap_or_default());
    inner
        .into_iter()
        .filter(kept)
        .map(|of_user| {
            let about = format!("{owner} {} {}", of_user.slot as u8, of_user.about);
            let text = format!("{} {}", capitalised(&owner), lower_first(&of_user.text));
            let statement = Statement::new(Slot::Relation, about.trim(), &of_user.value, text)
                .negated(of_user.negated)
                .when(of_user.when);
            if of_user.slot == Slot::Relation { statement } else { statement.single() }
        })
        .collect()
}

/// What is said of a relative or pet: kept as it is said, under their name in the family.
fn relative(scope: &Scope, subject: &[&str], words: &[Word]) -> Vec<Statement> {
    let owner = subject.join(" ");
    if owner.contains("'s") || subject.len() > 3 || words.len() > 20 {
        return Vec::new();
    }
    let is_named = words.get(1).is_some_and(|w| matches!(w.low.as_str(), "called" | "named"));
    if is_named && words[0].low == "is" {
        return named(&owner, &words[2..]);
    }
    if words[0].low == "died" {
        let (_, period) = without_period(scope, &words[1..]);
        let mut statement = Statement::new(
            Slot::Relation,
            &format!("{owner} died"),
            "",
            format!("{} died.", capitalised(&owner)),
        );
        statement.from = period.from;
        return vec![statement];
    }
    // "My son is tired" passes; what the grammar knows of the user's own attributes is worth keeping of others too.
    predicate(scope, words)
        .into_iter()
        .map(|of_user| {
            let said = lower_first(&of_user.text);
            let said = if is_plural(subject) { plural(&said) } else { said };
            let about = format!("{owner} {}", of_user.slot as u8);
            let about = format!("{about} {}", of_user.about);
            let mut statement = Statement::new(
                Slot::Relation,
                about.trim(),
                &of_user.value,
                format!("{} {said}", capitalised(&owner)),
            )
            .negated(of_user.negated)
            .when(of_user.when);
            statement.single = matches!(of_user.slot, Slot::Home | Slot::Age | Slot::Workplace | Slot::Taste);
            (statement.from, statement.until) = (of_user.from, of_user.until);
            statement
        })
        .collect()
}

fn is_being(noun: &str) -> bool {
    RELATIVES.contains(noun) || PETS.contains(noun)
}

fn is_plural(subject: &[&str]) -> bool {
    subject.last().is_some_and(|noun| *noun == "children" || noun.ends_with('s') && *noun != "boss")
}

/// "Lives in Seville" of several: "live in Seville".
fn plural(said: &str) -> String {
    let (verb, rest) = said.split_once(' ').unwrap_or((said, ""));
    let verb = match verb {
        "is" => "are",
        "was" => "were",
        "does" => "do",
        _ => base_of_third(verb).unwrap_or(verb),
    };
    format!("{verb} {rest}")
}

/// Where the verb of a subject that belongs to the user stands.
fn verb_at(words: &[Word]) -> Option<usize> {
    let is_finite = |at: usize, w: &Word| match w.low.as_str() {
        "is" | "are" | "was" | "were" | "has" => true,
        // "My cat hates baths"; "my work", "my likes" and "my run" are nouns.
        low => {
            let owners = words.get(..at).unwrap_or_default();
            let goes = owners.first().is_some_and(|w| JOURNEYS.contains(w.low.as_str()))
                && words!["leaves", "departs", "lands", "arrives"].contains(low);
            goes || owners.iter().any(|w| is_being(&w.low))
                && verb(low).is_some_and(|(_, form)| match form {
                    Form::Third | Form::Past => true,
                    Form::Base => is_plural(&owners.iter().map(|w| w.low.as_str()).collect::<Vec<_>>()),
                    Form::Ing => false,
                })
        }
    };
    let at = words.iter().take(MAX_SUBJECT_WORDS + 1).enumerate().find(|(at, w)| is_finite(*at, w))?.0;
    (1..=MAX_SUBJECT_WORDS).contains(&at).then_some(at)
}

/// The owner phrase at the start of what follows "my", for the clauses that go on about them.
pub fn owner<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let owner = words.get(..verb_at(words).unwrap_or_default()).unwrap_or_default();
    // "My husband's name is Marco": what goes on is about the husband.
    let is_being = |w: &Word| is_being(w.low.trim_end_matches("'s"));
    match owner {
        [.., noun] if is_being(noun) => owner,
        [noun, given] if is_being(noun) && given.raw.starts_with(char::is_uppercase) => owner,
        _ => &[],
    }
}

/// "My car's a Skoda": the contraction that isn't a possessor.
fn with_is<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let at = words.iter().take(3).position(|w| w.low.ends_with("'s"))?;
    let (next, contracted) = (words.get(at + 1)?, words.get(at)?);
    let is_value = words!["a", "an", "the", "called", "named", "from", "on", "not"]
        .contains(next.low.as_str())
        || next.raw.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    if !is_value {
        return None;
    }
    let mut expanded = words.to_vec();
    let stem = contracted.low.trim_end_matches("'s").to_owned();
    let is = Word { low: "is".to_owned(), ..contracted.clone() };
    *expanded.get_mut(at)? = Word { low: stem, pause: false, ..contracted.clone() };
    expanded.insert(at + 1, is);
    Some(expanded)
}
