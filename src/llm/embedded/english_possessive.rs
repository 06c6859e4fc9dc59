//! English statements whose subject belongs to the user ("my wife works at …"), names, and how to be answered.

use super::english::{Scope, Word, capitalised, sentence_text};
use super::english_predicate::{age, object, read as predicate, without_period};
use super::english_words::{PETS, RELATIVES, STABLE_NOUNS, STOPS};
use super::statement::{Slot, Statement};

/// The longest owner phrase: "my best friend's older sister" is somebody else's.
const MAX_SUBJECT_WORDS: usize = 5;

/// Reads what follows "my", or a fact's "Wife is named Yuki."
pub fn read(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let verb_at = words.iter().take(MAX_SUBJECT_WORDS + 1).position(|w| {
        matches!(
            w.low.as_str(),
            "is" | "are"
                | "was"
                | "lives"
                | "works"
                | "has"
                | "loves"
                | "likes"
                | "hates"
                | "died"
                | "studies"
                | "plays"
                | "speaks"
        )
    });
    let Some(verb_at) = verb_at.filter(|at| (1..=MAX_SUBJECT_WORDS).contains(at)) else { return Vec::new() };
    let subject: Vec<&str> = words[..verb_at].iter().map(|w| w.low.as_str()).collect();
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
        ["job"] | ["occupation"] | ["profession"] if is => job(scope, rest),
        ["hometown"] | ["home", "town"] if is => value(scope, rest, Slot::Origin, "hometown", "Hometown is"),
        ["favorite" | "favourite", class @ ..] | ["all", "time", "favorite" | "favourite", class @ ..]
            if is && !class.is_empty() =>
        {
            let class = class.join(" ");
            let class = class.strip_suffix('s').filter(|_| verb == "are").unwrap_or(&class).to_owned();
            value(scope, rest, Slot::Favourite, &class, &format!("Favourite {class} is"))
        }
        [.., owner, "name"]
            if is && owner.contains("'s") || subject.ends_with(&["name"]) && subject.len() > 1 =>
        {
            let owner = subject[..subject.len() - 1].join(" ");
            let owner = owner.trim_end_matches("'s").trim_end_matches('\'').to_owned();
            if is { named(&owner, rest) } else { Vec::new() }
        }
        [.., noun] if PETS.contains(noun) || RELATIVES.contains(noun) => {
            relative(scope, &subject, &words[verb_at..])
        }
        [.., noun, given]
            if is && RELATIVES.contains(noun) && words[verb_at - 1].raw.starts_with(char::is_uppercase) =>
        {
            let mut found =
                vec![named_statement(&subject[..subject.len() - 1].join(" "), words[verb_at - 1].raw)];
            let _ = given;
            found.extend(relative(scope, &subject[..subject.len() - 1], &words[verb_at..]));
            found
        }
        _ if is && STABLE_NOUNS.contains(&subject.join(" ").as_str()) => {
            let about = subject.join(" ");
            value(scope, rest, Slot::Trait, &about, &format!("{} is", capitalised(&about)))
        }
        _ => Vec::new(),
    }
}

/// "Call me Ken" and "everyone calls me Ken".
pub fn call_me(_scope: &Scope, words: &[Word]) -> Vec<Statement> {
    match words {
        [call, me, rest @ ..] if call.low == "call" && me.low == "me" => {
            let is_time = rest.first().is_some_and(|w| {
                matches!(
                    w.low.as_str(),
                    "back" | "later" | "tomorrow" | "when" | "a" | "an" | "at" | "if" | "on" | "by"
                )
            });
            if is_time { Vec::new() } else { name(rest, Slot::Nickname) }
        }
        _ => Vec::new(),
    }
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
                && matches!(people.low.as_str(), "everyone" | "friends" | "people") =>
        {
            call_me(scope, &words[1..]).into_iter().chain(name(rest, Slot::Nickname)).take(1).collect()
        }
        _ => Vec::new(),
    }
}

/// "Please answer in Japanese", "from now on reply in bullet points": a wish about every answer, not about this one.
pub fn manner(scope: &Scope, words: &[Word]) -> Option<Statement> {
    let low: Vec<&str> = words.iter().take(12).map(|w| w.low.as_str()).collect();
    let skip = low
        .iter()
        .take(5)
        .position(|w| matches!(*w, "answer" | "reply" | "respond" | "speak" | "talk" | "write" | "keep"))?;
    let opening = &low[..skip];
    let is_lasting = opening.contains(&"always")
        || opening.ends_with(&["from", "now", "on"])
        || words.iter().any(|w| w.low == "always");
    let is_wish = opening
        .iter()
        .all(|w| matches!(*w, "please" | "always" | "from" | "now" | "on" | "and" | "ok" | "also"));
    let manner = low.get(skip + 1..)?;
    let style = match (low.get(skip).copied()?, manner) {
        ("keep", ["your" | "the", "answers" | "replies" | "responses", ..]) => 3,
        (
            "answer" | "reply" | "respond" | "speak" | "talk" | "write",
            ["to", "me", "in" | "with" | "casually" | "politely" | "formally", ..],
        ) => 3,
        (
            "answer" | "reply" | "respond",
            ["in" | "with" | "briefly" | "casually" | "politely" | "formally", ..],
        ) => 1,
        ("speak" | "talk", ["in" | "casually" | "politely" | "formally", ..]) => 1,
        _ => return None,
    };
    let length_limit = words.len() <= skip + 12;
    // "Write in Python" and "answer in one word" may be about this answer only.
    if !is_wish || !length_limit || (!is_lasting && style == 1 && manner.first() == Some(&"with")) {
        return None;
    }
    let ends = |w: &Word| STOPS.contains(&w.low.as_str()) && !matches!(w.low.as_str(), "as" | "please");
    let end = words.iter().skip(skip).position(ends).map_or(words.len(), |at| at + skip);
    let rest: Vec<Word> = words
        .get(skip + style..end)?
        .iter()
        .filter(|w| !matches!(w.low.as_str(), "please" | "always"))
        .cloned()
        .collect();
    let said = sentence_text(scope.source, &rest);
    if said.is_empty() {
        return None;
    }
    Some(Statement::new(
        Slot::Manner,
        "",
        &said,
        format!("Prefers answers {}.", said.trim_start_matches("answers ")),
    ))
}

/// A name: one to three capitalised words, or one word of another script.
pub fn name(words: &[Word], slot: Slot) -> Vec<Statement> {
    let end = words.iter().position(|w| w.pause).map_or(words.len(), |at| at + 1);
    let taken: Vec<&Word> = words[..end]
        .iter()
        .take_while(|w| {
            !STOPS.contains(&w.low.as_str())
                && !matches!(
                    w.low.as_str(),
                    "and" | "from" | "by" | "nice" | "too" | "for" | "instead" | "please" | "here"
                )
        })
        .collect();
    let names_well = |w: &&Word| w.raw.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii());
    let one_lower = taken.len() == 1
        && taken.iter().all(|w| {
            w.raw.chars().all(char::is_alphabetic)
                && w.raw.len() > 1
                && !is_pointer(&w.low)
                && !super::english_words::ADVERBS.contains(&w.low.as_str())
        });
    let is_name = (1..=3).contains(&taken.len())
        && (taken.iter().all(names_well) || one_lower)
        && taken
            .iter()
            .all(|w| w.raw.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.' | '’')));
    if !is_name {
        return Vec::new();
    }
    let name = taken.iter().map(|w| w.raw).collect::<Vec<_>>().join(" ");
    let text = if slot == Slot::Nickname {
        format!("Wants to be called {name}.")
    } else {
        format!("Name is {name}.")
    };
    vec![Statement::new(slot, "", &name, text)]
}

fn is_pointer(low: &str) -> bool {
    matches!(
        low,
        "it" | "this"
            | "that"
            | "he"
            | "she"
            | "they"
            | "what"
            | "who"
            | "you"
            | "there"
            | "here"
            | "a"
            | "the"
            | "not"
            | "one"
            | "something"
            | "which"
            | "also"
    )
}

fn birthday(scope: &Scope, rest: &[Word]) -> Vec<Statement> {
    let rest =
        if rest.first().is_some_and(|w| matches!(w.low.as_str(), "on" | "in")) { &rest[1..] } else { rest };
    let is_date = rest
        .iter()
        .take(4)
        .any(|w| super::dates::month(&w.low).is_some() || w.low.starts_with(|c: char| c.is_ascii_digit()));
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
        owner.split(' ').next_back().is_some_and(|noun| PETS.contains(&noun) || RELATIVES.contains(&noun));
    let Some(given) = name(rest, Slot::Name).into_iter().next() else { return Vec::new() };
    if !is_known || owner.contains("'s") {
        return Vec::new();
    }
    let name = given.text.trim_start_matches("Name is ").trim_end_matches('.').to_owned();
    vec![named_statement(owner, &name)]
}

fn named_statement(owner: &str, name: &str) -> Statement {
    let noun = owner.split(' ').next_back().unwrap_or(owner);
    let slot = if PETS.contains(&noun) { Slot::Pet } else { Slot::Relation };
    let article = if owner.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    Statement::new(slot, owner, name, format!("Has {article} {owner} named {name}."))
}

/// What is said of a relative or pet: kept as it is said, under their name in the family.
fn relative(scope: &Scope, subject: &[&str], words: &[Word]) -> Vec<Statement> {
    let owner = subject.join(" ");
    if owner.contains("'s") || subject.len() > 3 || words.len() > 14 {
        return Vec::new();
    }
    let is_named = words.get(1).is_some_and(|w| matches!(w.low.as_str(), "called" | "named"));
    if is_named && words[0].low == "is" {
        return named(&owner, &words[2..]);
    }
    let is_stative = matches!(
        words[0].low.as_str(),
        "lives" | "works" | "has" | "loves" | "likes" | "hates" | "died" | "studies" | "plays" | "speaks"
    );
    // "My son is tired" passes; what the grammar knows of the user's own attributes is worth keeping of others too.
    let known = predicate(scope, words).into_iter().next();
    match known {
        Some(of_user) if is_stative || matches!(words[0].low.as_str(), "is" | "are") => {
            let said = lower_first(&of_user.text);
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
            vec![statement]
        }
        _ => Vec::new(),
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
