//! English predicates of which the user is the subject: "live in Osaka", "am allergic to nuts".

use super::dates;
use super::english::{Scope, Word, after_adverbs, capitalised, sentence_text};
use super::english_words::{
    AILMENTS, Form, HEALTH_TRAITS, LANGUAGES, PETS, POINTERS, POSSESSIONS, RELATIVES, STOPS, TRAILERS,
    TRAITS, is_nationality, is_occupation, third_person, verb,
};
use super::statement::{Slot, Statement, When, key};

/// How the verb stands.
#[derive(Clone, Copy)]
struct Mood {
    when: When,
    negated: bool,
    never: bool,
    /// "Am living", "have lived": a past form that holds now.
    perfect: bool,
}

pub fn read(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let (words, negated, never) = after_adverbs(words);
    let mut mood = Mood { when: When::Now, negated, never, perfect: false };
    let low: Vec<&str> = words.iter().take(4).map(|w| w.low.as_str()).collect();
    match low.as_slice() {
        ["am" | "is" | "are", "going", "to", ..] => plan(scope, &words[3..], mood),
        ["am" | "is" | "are", "gonna", ..] => plan(scope, &words[2..], mood),
        ["am" | "is", "planning" | "intending", "to", ..] => plan(scope, &words[3..], mood),
        ["plan" | "plans" | "intend" | "intends", "to", ..] => plan(scope, &words[2..], mood),
        ["will", ..] => promised(scope, &words[1..], mood),
        ["am" | "is" | "are", ..] => be(scope, &words[1..], mood),
        ["was" | "were", ..] => be(scope, &words[1..], Mood { when: When::Past, ..mood }),
        ["have" | "has", "to", ..] => Vec::new(),
        ["have" | "has", "been", ..] => {
            let (rest, more_negation, _) = after_adverbs(&words[2..]);
            mood.negated |= more_negation;
            mood.perfect = true;
            let is_to = rest.first().is_some_and(|w| w.low == "to");
            if is_to { Vec::new() } else { be(scope, rest, mood) }
        }
        ["have" | "has", ..] => {
            let (rest, more_negation, more_never) = after_adverbs(&words[1..]);
            match rest.first().and_then(|w| verb(&w.low)) {
                Some((base, Form::Past)) => {
                    mood.negated |= more_negation;
                    mood.never |= more_never;
                    mood.perfect = true;
                    act(scope, base, &rest[1..], mood)
                }
                _ => act(scope, "have", &words[1..], mood),
            }
        }
        ["used", "to", base, ..] => match verb(base) {
            Some((base, _)) => act(scope, base, &words[3..], Mood { when: When::Past, ..mood }),
            None => Vec::new(),
        },
        ["can", ..] => {
            let (rest, cannot, _) = after_adverbs(&words[1..]);
            mood.negated |= cannot;
            match rest.first().map(|w| w.low.as_str()) {
                Some(base @ ("speak" | "stand" | "eat" | "drink" | "swim" | "drive" | "play")) => {
                    able(scope, base, &rest[1..], mood)
                }
                _ => Vec::new(),
            }
        }
        [word, ..] => match verb(word) {
            Some((base, Form::Base | Form::Third)) => act(scope, base, &words[1..], mood),
            // "Did not like" lost its past with its auxiliary.
            Some((base, Form::Past)) => act(scope, base, &words[1..], Mood { when: When::Past, ..mood }),
            _ => Vec::new(),
        },
        [] => Vec::new(),
    }
}

/// A verb with its objects.
fn act(scope: &Scope, base: &'static str, rest: &[Word], mood: Mood) -> Vec<Statement> {
    // What didn't happen says little that lasts.
    if mood.negated && mood.when == When::Past {
        return Vec::new();
    }
    let (rest, _, _) = after_adverbs_after_verb(rest);
    let first = rest.first().map_or("", |w| w.low.as_str());
    match base {
        "live" | "reside" if matches!(first, "in" | "at") => {
            place(scope, Slot::Home, "Lives in", "Lived in", &rest[1..], mood)
        }
        "move" => moved(scope, rest, mood),
        "come" if first == "from" && mood.when == When::Now => {
            place(scope, Slot::Origin, "Comes from", "Came from", &rest[1..], mood)
        }
        "grow" if first == "up" && rest.get(1).is_some_and(|w| w.low == "in") => {
            place(scope, Slot::Origin, "Grew up in", "Grew up in", &rest[2..], mood)
                .into_iter()
                .map(|s| Statement { about: "grew up".to_owned(), when: When::Now, ..s })
                .collect()
        }
        "work" => work(scope, rest, mood),
        "study" | "learn" | "major" => study(scope, base, rest, mood),
        "attend" => school(scope, "Attends", "Attended", rest, mood),
        "graduate" if first == "from" => {
            school(scope, "Graduated from", "Graduated from", &rest[1..], Mood { when: When::Past, ..mood })
        }
        "like" | "love" | "enjoy" | "adore" | "prefer" => taste(scope, base, true, rest, mood),
        "hate" | "dislike" | "detest" => taste(scope, base, false, rest, mood),
        "have" => have(scope, rest, mood),
        "own" | "drive" if first != "to" => possession(scope, base, rest, mood),
        "speak" => languages(scope, rest, mood),
        "suffer" if first == "from" => health(scope, "Suffers from", &rest[1..], mood),
        "decide" if mood.when == When::Past || mood.perfect => decision(scope, rest, mood),
        "marry" if mood.when == When::Past => Vec::new(),
        "buy" | "adopt" | "get" | "visit" | "go" | "travel" | "start" | "stop" | "quit" | "pass" => {
            event(scope, base, rest, mood)
        }
        _ => habit(scope, base, rest, mood),
    }
}

/// "Love really cats" is no English, but "work also at", "live currently in" is.
fn after_adverbs_after_verb<'w, 'a>(words: &'w [Word<'a>]) -> (&'w [Word<'a>], bool, bool) {
    match words {
        [first, rest @ ..]
            if matches!(
                first.low.as_str(),
                "currently" | "now" | "also" | "mainly" | "mostly" | "still" | "only" | "just"
            ) =>
        {
            (rest, false, false)
        }
        _ => (words, false, false),
    }
}

fn be(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, more_negation, _) = after_adverbs(words);
    let mood = Mood { negated: mood.negated | more_negation, ..mood };
    if mood.negated && mood.when == When::Past {
        return Vec::new();
    }
    let low: Vec<&str> = words.iter().take(4).map(|w| w.low.as_str()).collect();
    match low.as_slice() {
        ["born" | "raised", ..] => born(scope, &words[1..], mood),
        ["allergic", "to", ..] => objects(scope, &words[2..])
            .into_iter()
            .map(|(object, folded)| {
                let text = phrase(mood, "Is allergic to", "Is not allergic to", "Was allergic to", &object);
                Statement::new(Slot::Allergy, &folded, "allergic", text).negated(mood.negated).when(mood.when)
            })
            .collect(),
        ["from", ..] | ["based", "in", ..] => {
            let (slot, verb, past) = if low[0] == "from" {
                (Slot::Origin, "Is from", "Was from")
            } else {
                (Slot::Home, "Lives in", "Lived in")
            };
            place(scope, slot, verb, past, &words[if low[0] == "from" { 1 } else { 2 }..], mood)
        }
        ["fond", "of", ..] | ["into", ..] if mood.when == When::Now => {
            taste(scope, "like", true, &words[usize::from(low[0] == "fond") + 1..], mood)
        }
        ["interested", "in", ..] if mood.when == When::Now => interest(scope, &words[2..], mood),
        ["afraid" | "scared" | "terrified", "of", ..] => {
            object(scope, &words[2..]).map_or_else(Vec::new, |(object, folded)| {
                let text = phrase(mood, "Is afraid of", "Is not afraid of", "Was afraid of", &object);
                vec![
                    Statement::new(Slot::Trait, &format!("afraid {folded}"), "", text)
                        .negated(mood.negated)
                        .when(mood.when),
                ]
            })
        }
        ["called" | "named", ..] => super::english_possessive::name(&words[1..], Slot::Name),
        ["studying" | "learning" | "majoring", ..] => {
            study(scope, "study", &words[1..], Mood { when: When::Now, ..mood })
        }
        ["a" | "an" | "the", "big" | "huge" | "massive" | "great", "fan", "of"] => {
            taste(scope, "like", true, &words[4..], mood)
        }
        ["a" | "not", "fan", "of", ..] => taste(scope, "like", true, &words[3..], mood),
        ["a" | "an", ..] => role(scope, words, mood),
        ["in", "my", decade, ..] if decade.ends_with("0s") => vec![
            Statement::new(Slot::Age, "", decade, format!("Is in their {decade}."))
                .negated(mood.negated)
                .when(mood.when),
        ],
        [word, ..] => {
            if let Some(age) = age(words) {
                return vec![age];
            }
            match verb(word) {
                Some((base @ ("live" | "reside" | "work"), Form::Ing)) => act(scope, base, &words[1..], mood),
                Some(("move", Form::Ing)) if words.get(1).is_some_and(|w| w.low == "to") => {
                    plan(scope, words, mood)
                }
                Some((base @ ("visit" | "go" | "travel" | "fly"), Form::Ing))
                    if mood.when == When::Now && !mood.perfect =>
                {
                    dated_plan(scope, base, words, mood)
                }
                Some((base @ ("play" | "practice"), Form::Ing)) if mood.perfect => {
                    act(scope, base, &words[1..], mood)
                }
                _ => state(scope, words, mood),
            }
        }
        [] => Vec::new(),
    }
}

fn born(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let skip = words.iter().take(3).position(|w| matches!(w.low.as_str(), "in" | "on"));
    let Some(skip) = skip else { return Vec::new() };
    let rest = &words[skip + 1..];
    let first = rest.first().map_or("", |w| w.low.as_str());
    if dates::month(first).is_some() || first.starts_with(|c: char| c.is_ascii_digit()) {
        let (object, folded) = match object(scope, rest) {
            Some(found) => found,
            None => return Vec::new(),
        };
        return vec![
            Statement::new(Slot::Birthday, "", &folded, format!("Was born on {object}."))
                .negated(mood.negated),
        ];
    }
    place(scope, Slot::Origin, "Was born in", "Was born in", rest, Mood { when: When::Now, ..mood })
        .into_iter()
        .map(|s| Statement { about: "born".to_owned(), ..s })
        .collect()
}

fn place(scope: &Scope, slot: Slot, now: &str, past: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let end = words
        .iter()
        .position(|w| {
            matches!(
                w.low.as_str(),
                "with"
                    | "for"
                    | "by"
                    | "near"
                    | "and"
                    | "alone"
                    | "all"
                    | "my"
                    | "right"
                    | "now"
                    | "because"
                    | "during"
            )
        })
        .unwrap_or(words.len());
    let Some((object, folded)) = object(scope, &words[..end]) else { return Vec::new() };
    // "Live in fear", "from the bottom of my heart": a place has a name, or says what kind of place it is.
    let kinds = [
        "city",
        "suburb",
        "suburbs",
        "countryside",
        "town",
        "village",
        "dorm",
        "apartment",
        "house",
        "abroad",
        "island",
        "downtown",
        "farm",
    ];
    let is_named = object.chars().any(char::is_uppercase)
        || crate::text::language::language(&object) == crate::text::language::Language::Ja;
    let is_lower_name = words[..end].len() <= 2
        && !folded.starts_with("a ")
        && folded.chars().all(|c| c.is_alphabetic() || c == ' ')
        && !matches!(
            folded.as_str(),
            "fear"
                | "peace"
                | "harmony"
                | "hope"
                | "danger"
                | "work"
                | "home"
                | "scratch"
                | "there"
                | "town"
                | "pain"
                | "denial"
                | "style"
                | "luxury"
                | "poverty"
                | "person"
        );
    if !(is_named || is_lower_name || kinds.iter().any(|kind| folded.split(' ').any(|w| w == *kind))) {
        return Vec::new();
    }
    let when = if mood.when == When::Past && !mood.perfect || period.until.is_some() {
        When::Past
    } else {
        mood.when
    };
    let text = match (when, mood.negated) {
        (When::Past, false) => format!("{past} {object}."),
        (When::Past, true) => return Vec::new(),
        (_, true) if slot == Slot::Home => format!("No longer lives in {object}."),
        (_, true) => format!("Is not from {object}."),
        _ => format!("{now} {object}."),
    };
    let mut statement = Statement::new(slot, "", &folded, text).negated(mood.negated).when(when);
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

fn moved(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.negated || !(mood.perfect || mood.when == When::Past) {
        return Vec::new();
    }
    let back = usize::from(words.first().is_some_and(|w| matches!(w.low.as_str(), "back" | "here" | "out")));
    let rest = words.get(back..).unwrap_or_default();
    let to = rest.iter().take(8).position(|w| w.low == "to");
    let mut found = Vec::new();
    if let (Some(first), Some(to)) = (rest.first(), to)
        && first.low == "from"
        && to > 1
    {
        found.extend(place(
            scope,
            Slot::Home,
            "Lives in",
            "Lived in",
            &rest[1..to],
            Mood { when: When::Past, perfect: false, ..mood },
        ));
    }
    if let Some(to) = to.filter(|to| *to == 0 || !found.is_empty()) {
        let mut now = place(
            scope,
            Slot::Home,
            "Lives in",
            "Lives in",
            &rest[to + 1..],
            Mood { when: When::Now, ..mood },
        );
        now.append(&mut found);
        return now;
    }
    found
}

fn work(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let first = words.first().map_or("", |w| w.low.as_str());
    let when = if mood.when == When::Past && !mood.perfect || period.until.is_some() {
        When::Past
    } else {
        When::Now
    };
    let mood = Mood { when, ..mood };
    let mut found = Vec::new();
    let split = words.iter().position(|w| w.low == "as");
    if matches!(first, "at" | "for" | "in") {
        let end = split.unwrap_or(words.len());
        if let Some((object, folded)) = object(scope, words.get(1..end).unwrap_or_default()) {
            let is_home = matches!(
                folded.as_str(),
                "home" | "night" | "hours" | "years" | "free" | "least" | "progress" | "group" | "team"
            ) || folded.starts_with(|c: char| c.is_ascii_digit());
            let word = if first == "in" {
                "Works in"
            } else if first == "at" {
                "Works at"
            } else {
                "Works for"
            };
            let text = phrase(
                mood,
                word,
                &word.replace("Works", "Does not work"),
                &word.replace("Works", "Worked"),
                &object,
            );
            let slot = if first == "in" { Slot::Occupation } else { Slot::Workplace };
            if !is_home && first != "in" || is_field(&folded) {
                found.push(Statement::new(slot, "", &folded, text).negated(mood.negated));
            }
        }
    }
    if let Some(at) = split
        && let Some((object, folded)) = object(scope, &words[at + 1..])
        && !folded.starts_with("well")
    {
        let text = phrase(mood, "Works as", "Does not work as", "Worked as", &object);
        found.push(Statement::new(Slot::Occupation, "", &folded, text).negated(mood.negated));
    }
    if words.len() >= 2 && first == "from" && words[1].low == "home" {
        let text = phrase(mood, "Works from", "Does not work from", "Worked from", "home");
        found.push(Statement::new(Slot::Habit, "works from home", "", text).negated(mood.negated));
    }
    for statement in &mut found {
        statement.when = when;
        (statement.from, statement.until) = (period.from.clone(), period.until.clone());
    }
    found
}

fn is_field(folded: &str) -> bool {
    const FIELDS: &[&str] = &[
        "marketing",
        "sales",
        "finance",
        "it",
        "tech",
        "healthcare",
        "education",
        "hospitality",
        "construction",
        "retail",
        "insurance",
        "banking",
        "advertising",
        "publishing",
        "design",
        "logistics",
        "hr",
        "human resources",
        "real estate",
        "manufacturing",
        "consulting",
        "law",
        "medicine",
        "journalism",
        "software",
        "accounting",
        "tourism",
        "agriculture",
        "research",
        "nursing",
        "fashion",
        "film",
        "music",
        "the food industry",
        "film industry",
        "food industry",
    ];
    FIELDS.contains(&folded) || folded.ends_with(" industry")
}

fn study(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let skip = usize::from(words.first().is_some_and(|w| w.low == "in"));
    let at = words.iter().position(|w| w.low == "at").unwrap_or(words.len());
    let mut found = Vec::new();
    if let Some((object, folded)) = object(scope, words.get(skip..at).unwrap_or_default())
        && !folded.starts_with("about ")
        && !folded.starts_with("for ")
        && (base != "learn" || LANGUAGES.iter().any(|l| folded.split(' ').any(|w| w == *l)))
    {
        let (now, not, past) = match base {
            "learn" => ("Learns", "Does not learn", "Learned"),
            _ => ("Studies", "Does not study", "Studied"),
        };
        let is_language = LANGUAGES.contains(&folded.as_str());
        let slot = if is_language { Slot::Language } else { Slot::School };
        let about = format!("studies {folded}");
        found.push(
            Statement::new(slot, &about, "", phrase(mood, now, not, past, &object)).negated(mood.negated),
        );
    }
    if at < words.len()
        && let Some((object, folded)) = object(scope, &words[at + 1..])
        && !matches!(folded.as_str(), "home" | "night" | "school")
    {
        let text = phrase(mood, "Studies at", "Does not study at", "Studied at", &object);
        found.push(Statement::new(Slot::School, "school", &folded, text).negated(mood.negated).single());
    }
    for statement in &mut found {
        statement.when = if period.until.is_some() { When::Past } else { mood.when };
        (statement.from, statement.until) = (period.from.clone(), period.until.clone());
    }
    found
}

fn school(scope: &Scope, now: &str, past: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    let is_school =
        ["university", "college", "school", "institute", "academy"].iter().any(|s| folded.contains(s));
    if !is_school && !object.chars().next().is_some_and(char::is_uppercase) || now == "Attends" && !is_school
    {
        return Vec::new();
    }
    let mut statement =
        Statement::new(Slot::School, "school", &folded, phrase(mood, now, "Does not attend", past, &object))
            .negated(mood.negated)
            .when(mood.when)
            .single();
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

/// Likes and dislikes; "don't hate" is neither.
fn taste(scope: &Scope, base: &str, likes: bool, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.negated && !likes || mood.never {
        return Vec::new();
    }
    let is_like = likes && !mood.negated;
    // "I loved that movie" tells of one day; only what is loved in general is a taste.
    if mood.when == When::Past && !mood.perfect {
        return Vec::new();
    }
    objects(scope, words)
        .into_iter()
        .map(|(object, folded)| {
            let text = match (is_like, likes) {
                (true, _) | (false, false) => format!("{} {object}.", capitalised(&third_person(base))),
                (false, true) => format!("Does not {base} {object}."),
            };
            let about = folded.strip_prefix("to ").unwrap_or(&folded).to_owned();
            Statement::new(Slot::Taste, &about, if is_like { "like" } else { "dislike" }, text)
        })
        .collect()
}

fn interest(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    object(scope, words).map_or_else(Vec::new, |(object, folded)| {
        let text = phrase(mood, "Is interested in", "Is not interested in", "", &object);
        vec![Statement::new(Slot::Trait, &format!("interested {folded}"), "", text).negated(mood.negated)]
    })
}

fn able(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    match base {
        "speak" => languages(scope, words, mood),
        "stand" if mood.negated => objects(scope, words)
            .into_iter()
            .map(|(object, folded)| {
                Statement::new(Slot::Taste, &folded, "dislike", format!("Can't stand {object}."))
            })
            .collect(),
        "eat" | "drink" if mood.negated => object(scope, words).map_or_else(Vec::new, |(object, folded)| {
            vec![
                Statement::new(
                    Slot::Health,
                    &format!("can {base} {folded}"),
                    "",
                    format!("Can't {base} {object}."),
                )
                .negated(true),
            ]
        }),
        "swim" | "drive" if words.is_empty() => {
            let text = if mood.negated { format!("Can't {base}.") } else { format!("Can {base}.") };
            vec![Statement::new(Slot::Trait, &format!("can {base}"), "", text).negated(mood.negated)]
        }
        "play" => object(scope, words).map_or_else(Vec::new, |(object, folded)| {
            let text =
                if mood.negated { format!("Can't play {object}.") } else { format!("Can play {object}.") };
            vec![Statement::new(Slot::Trait, &format!("can play {folded}"), "", text).negated(mood.negated)]
        }),
        _ => Vec::new(),
    }
}

fn languages(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.when != When::Now {
        return Vec::new();
    }
    let end = words.iter().position(|w| STOPS.contains(&w.low.as_str())).unwrap_or(words.len());
    let said = sentence_text(scope.source, &words[..end]);
    words[..end]
        .iter()
        .filter(|w| LANGUAGES.contains(&w.low.as_str()))
        .map(|w| {
            let text = match (mood.negated, said.contains("little")) {
                (true, _) => format!("Does not speak {}.", w.raw),
                (false, true) => format!("Speaks a little {}.", w.raw),
                _ => format!("Speaks {}.", w.raw),
            };
            Statement::new(Slot::Language, &w.low, "speaks", text).negated(mood.negated)
        })
        .collect()
}

fn have(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.perfect {
        return Vec::new();
    }
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    let end = folded
        .split(' ')
        .position(|w| {
            matches!(
                w,
                "named" | "called" | "with" | "in" | "on" | "and" | "from" | "for" | "at" | "of" | "to"
            )
        })
        .unwrap_or(usize::MAX);
    let head: Vec<&str> = folded.split(' ').take(end).collect();
    let (first, noun) = (head.first().copied().unwrap_or(""), head.last().copied().unwrap_or(""));
    let is_counted = words.first().is_some_and(|w| {
        matches!(
            w.low.as_str(),
            "a" | "an" | "two" | "three" | "four" | "five" | "six" | "one" | "no" | "some" | "several"
        ) || w.low.parse::<u8>().is_ok()
    });
    let named = folded
        .split_once(" named ")
        .or_else(|| folded.split_once(" called "))
        .map(|(_, name)| name.to_owned());
    let text = phrase(mood, "Has", "Does not have", "Had", &object);
    let build = |slot, about: &str, value: &str| {
        vec![Statement::new(slot, about, value, text.clone()).negated(mood.negated).when(mood.when)]
    };
    if head.iter().any(|w| AILMENTS.contains(w)) && head.len() <= 5 && mood.when == When::Now {
        let slot = if noun == "allergy" || noun == "allergies" { Slot::Allergy } else { Slot::Health };
        let about = if slot == Slot::Allergy { head[..head.len() - 1].join(" ") } else { head.join(" ") };
        return build(slot, &about, if slot == Slot::Allergy { "allergic" } else { "" });
    }
    if !is_counted && !mood.negated && named.is_none() {
        return dated_appointment(scope, words, mood);
    }
    let noun_of = |list: &[&str]| head.iter().rev().take(2).any(|w| list.contains(w)) && head.len() <= 5;
    if noun_of(PETS) {
        return build(Slot::Pet, singular(noun), &named.unwrap_or_default());
    }
    if noun_of(RELATIVES) {
        return build(Slot::Relation, singular(noun), &named.unwrap_or_else(|| first.to_owned()));
    }
    if noun_of(POSSESSIONS) && mood.when == When::Now {
        return build(Slot::Possession, &folded, "");
    }
    dated_appointment(scope, words, mood)
}

/// "Have an interview on December 5th": kept only with its date, which makes it a plan.
fn dated_appointment(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, period) = without_period(scope, words);
    let nouns = [
        "interview",
        "exam",
        "appointment",
        "flight",
        "meeting",
        "wedding",
        "surgery",
        "trip",
        "concert",
        "presentation",
        "race",
        "marathon",
        "deadline",
        "test",
        "recital",
        "performance",
        "competition",
    ];
    let is_appointment = rest.iter().any(|w| nouns.contains(&w.low.as_str()));
    match (object(scope, rest), period.from) {
        (Some((object, folded)), Some(date)) if is_appointment && !mood.negated && mood.when == When::Now => {
            let mut statement = Statement::new(Slot::Plan, &folded, &date, format!("Has {object}."))
                .when(When::Ahead)
                .single();
            statement.from = Some(date);
            vec![statement]
        }
        _ => Vec::new(),
    }
}

fn possession(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let has_article =
        words.first().is_some_and(|w| matches!(w.low.as_str(), "a" | "an" | "two" | "three" | "my"));
    match object(scope, words) {
        Some((object, folded)) if has_article && mood.when == When::Now && !mood.perfect => {
            let text =
                phrase(mood, &capitalised(&third_person(base)), &format!("Does not {base}"), "", &object);
            vec![Statement::new(Slot::Possession, &folded, "", text).negated(mood.negated)]
        }
        _ => Vec::new(),
    }
}

fn health(scope: &Scope, verb: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    object(scope, words).map_or_else(Vec::new, |(object, folded)| {
        let text = phrase(mood, verb, "Does not suffer from", "Suffered from", &object);
        vec![Statement::new(Slot::Health, &folded, "", text).negated(mood.negated).when(mood.when)]
    })
}

fn decision(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let is_to = words.first().is_some_and(|w| w.low == "to") || words.first().is_some_and(|w| w.low == "not");
    let (rest, period) = without_period(scope, words);
    match clause_object(scope, rest) {
        Some((object, folded)) if is_to && !mood.negated && rest.len() >= 3 => {
            let mut statement = Statement::new(Slot::Decision, &folded, "", format!("Decided {object}."));
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

fn plan(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, period) = without_period(scope, words);
    let first = rest.first().map_or("", |w| w.low.as_str());
    let idle = [
        "try", "be", "need", "have", "tell", "ask", "say", "keep", "do", "go", "check", "give", "look",
        "miss", "love", "use", "take", "make", "let", "see", "get", "start",
    ];
    let is_bare_motion = idle.contains(&first) && rest.len() < 3;
    if rest.len() < 2 && period.from.is_none()
        || is_bare_motion
        || first == "be"
        || mood.when != When::Now
        || matches!(first, "tell" | "ask" | "say" | "need" | "let" | "miss" | "check")
    {
        return Vec::new();
    }
    let Some((object, folded)) = clause_object(scope, rest) else { return Vec::new() };
    let (verb, object) = match first {
        "moving" => ("Is", object),
        _ if mood.negated => ("Does not plan to", object),
        _ => ("Plans to", object),
    };
    let mut statement = Statement::new(Slot::Plan, &folded, "", format!("{verb} {object}."))
        .negated(mood.negated)
        .when(When::Ahead);
    statement.from = period.from;
    vec![statement]
}

/// "Will …" is a plan with a date; without one it is a reaction.
fn promised(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (_, period) = without_period(scope, words);
    let starts = words.first().is_some_and(|w| verb(&w.low).is_some());
    if period.from.is_some() && starts { plan(scope, words, mood) } else { Vec::new() }
}

/// "Am flying to Kyoto next month".
fn dated_plan(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (rest, period) = without_period(scope, words);
    match clause_object(scope, rest.get(1..).unwrap_or_default()) {
        Some((object, folded)) if period.from.is_some() && !mood.negated => {
            let mut statement = Statement::new(
                Slot::Plan,
                &format!("{base} {folded}"),
                "",
                format!("Plans to {base} {object}."),
            )
            .when(When::Ahead);
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

fn event(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    let first = words.first().map_or("", |w| w.low.as_str());
    if base == "go" && mood.when == When::Now && !mood.perfect {
        let is_school = first == "to"
            && words.iter().any(|w| matches!(w.low.as_str(), "university" | "college" | "school"));
        return if is_school && words.len() > 2 {
            school(scope, "Attends", "Attended", &words[1..], mood)
        } else {
            habit(scope, base, words, mood)
        };
    }
    let (rest, period) = without_period(scope, words);
    let is_done = (mood.when == When::Past || mood.perfect) && !mood.negated;
    let past = match base {
        "buy" if matches!(first, "a" | "an" | "two" | "my") => "Bought",
        "adopt" if matches!(first, "a" | "an" | "two" | "three") => "Adopted",
        "get" if matches!(first, "married" | "engaged" | "divorced" | "promoted") => "Got",
        "get"
            if matches!(first, "a" | "an")
                && rest
                    .iter()
                    .take(4)
                    .any(|w| PETS.contains(&w.low.as_str()) || w.low == "job" || w.low == "promotion") =>
        {
            "Got"
        }
        "visit" if is_named(rest, 0) => "Visited",
        "go" if first == "to" && is_named(rest, 1) => "Went",
        "travel" if first == "to" && is_named(rest, 1) => "Traveled",
        "start"
            if verb(first).is_some_and(|(base, form)| {
                form == Form::Ing
                    && matches!(base, "learn" | "study" | "work" | "play" | "run" | "practice" | "teach")
            }) =>
        {
            "Started"
        }
        "start"
            if matches!(first, "a")
                && rest.iter().take(4).any(|w| {
                    matches!(w.low.as_str(), "job" | "company" | "business" | "blog" | "podcast")
                }) =>
        {
            "Started"
        }
        "stop" | "quit"
            if first.ends_with("ing") || first == "my" && rest.get(1).is_some_and(|w| w.low == "job") =>
        {
            if base == "quit" {
                "Quit"
            } else {
                "Stopped"
            }
        }
        "pass"
            if matches!(first, "the" | "my")
                && rest.iter().take(5).any(|w| matches!(w.low.as_str(), "exam" | "test" | "bar")) =>
        {
            "Passed"
        }
        _ => return Vec::new(),
    };
    match clause_object(scope, rest) {
        Some((object, folded)) if is_done => {
            let mut statement = Statement::new(
                Slot::Event,
                &format!("{base} {folded}"),
                period.from.as_deref().unwrap_or(""),
                format!("{past} {object}."),
            );
            statement.from = period.from;
            vec![statement]
        }
        _ => Vec::new(),
    }
}

/// A repeated action: with a frequency, or an abstention ("don't eat meat").
fn habit(scope: &Scope, base: &str, words: &[Word], mood: Mood) -> Vec<Statement> {
    if mood.when != When::Now {
        return Vec::new();
    }
    let end = words
        .iter()
        .position(|w| matches!(w.low.as_str(), "because" | "but" | "so" | "since" | "when" | "if" | "while"))
        .unwrap_or(words.len());
    let words = &words[..end];
    let is_frequent = words.windows(2).any(|pair| {
        let (a, b) = (pair[0].low.as_str(), pair[1].low.as_str());
        a == "every" && b != "time" && b != "one" && b != "bit"
            || matches!(
                (a, b),
                ("once" | "twice" | "times", "a")
                    | ("on", "weekends" | "sundays" | "saturdays" | "mondays" | "fridays")
            )
            || matches!(a, "daily" | "weekly")
    }) || words.last().is_some_and(|w| matches!(w.low.as_str(), "daily" | "weekly"));
    let abstains = mood.negated && matches!(base, "eat" | "drink" | "smoke");
    let plays = base == "play"
        && !mood.negated
        && words.first().is_some_and(|w| !matches!(w.low.as_str(), "with" | "a" | "it" | "some" | "around"));
    let drives = base == "drive" && mood.negated && words.is_empty();
    if !(is_frequent || abstains || plays || drives) || words.len() > 14 {
        return Vec::new();
    }
    let Some((object, folded)) = clause_object(scope, words)
        .or_else(|| (abstains && words.is_empty() || drives).then(Default::default))
    else {
        return Vec::new();
    };
    let verb = match (mood.negated, mood.never) {
        (true, true) => format!("Never {}", third_person(base)),
        (true, false) => format!("Does not {base}"),
        _ => capitalised(&third_person(base)),
    };
    let text = format!("{}.", format!("{verb} {object}").trim_end());
    vec![Statement::new(Slot::Habit, &format!("{base} {folded}"), "", text).negated(mood.negated)]
}

/// "A nurse", "an engineer at Sony".
fn role(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, period) = without_period(scope, words);
    let Some((object, folded)) = object(scope, words) else { return Vec::new() };
    let at = folded
        .split(' ')
        .position(|w| matches!(w, "at" | "in" | "for" | "from" | "with" | "of" | "by" | "and" | "to"));
    let head: Vec<&str> = folded.split(' ').take(at.unwrap_or(usize::MAX)).collect();
    let noun = head.last().copied().unwrap_or("");
    if head.len() > 4 || !is_occupation(noun) {
        return Vec::new();
    }
    let is_identity = matches!(
        noun,
        "vegetarian"
            | "vegan"
            | "pescatarian"
            | "parent"
            | "mother"
            | "father"
            | "mom"
            | "dad"
            | "twin"
            | "introvert"
            | "extrovert"
            | "buddhist"
            | "christian"
            | "catholic"
            | "muslim"
            | "atheist"
            | "native"
            | "citizen"
            | "gamer"
            | "grandmother"
            | "grandfather"
            | "owner"
    );
    let text = phrase(mood, "Is", "Is not", "Was", &object);
    let statement = if is_identity {
        Statement::new(Slot::Trait, &folded, "", text)
    } else {
        Statement::new(Slot::Occupation, "", &head.join(" "), text)
    };
    let mut statement = statement.negated(mood.negated).when(mood.when);
    (statement.from, statement.until) = (period.from, period.until);
    vec![statement]
}

/// "Am vegetarian", "am 30", "am Emily" after a greeting.
fn state(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let Some(first) = words.first() else { return Vec::new() };
    let low = first.low.as_str();
    let next = words.get(1).map_or("", |w| w.low.as_str());
    let ends = words.len() == 1
        || first.pause
        || STOPS.contains(&next)
        || matches!(next, "and" | "from" | "with" | "in" | "at" | "by" | "to" | "now" | "too");
    let is_pair = matches!(low, "lactose" | "gluten") && next.starts_with("intoleran");
    if TRAITS.contains(&low) && (ends || is_pair) {
        let trait_ = if is_pair { format!("{} {}", first.raw, words[1].raw) } else { first.raw.to_owned() };
        let slot = if HEALTH_TRAITS.contains(&low) { Slot::Health } else { Slot::Trait };
        let text = phrase(mood, "Is", "Is not", "Was", &trait_);
        return vec![Statement::new(slot, &trait_, "", text).negated(mood.negated).when(mood.when)];
    }
    if is_nationality(low) && ends && first.raw.starts_with(char::is_uppercase) && mood.when == When::Now {
        let text = phrase(mood, "Is", "Is not", "", first.raw);
        return vec![Statement::new(Slot::Trait, "nationality", low, text).negated(mood.negated)];
    }
    let is_name = scope.greeted
        && !mood.negated
        && mood.when == When::Now
        && !mood.perfect
        && first.raw.chars().next().is_some_and(char::is_uppercase);
    if is_name && words.iter().take_while(|w| !w.pause).count() <= 2 {
        return super::english_possessive::name(words, Slot::Name);
    }
    Vec::new()
}

pub fn age(words: &[Word]) -> Option<Statement> {
    let number: u16 = words.first()?.low.parse().ok().filter(|n| (1..=120).contains(n))?;
    let next = words.get(1).map_or("", |w| w.low.as_str());
    let is_years = matches!(next, "years" | "year") && words.iter().take(3).any(|w| w.low == "old");
    let is_bare = words.len() == 1 || words.first()?.pause || matches!(next, "and" | "now" | "but");
    (is_years || is_bare)
        .then(|| Statement::new(Slot::Age, "", &number.to_string(), format!("Is {number} years old.")))
}

/// The sentence for the mood; `not` stands for the negation of now.
fn phrase(mood: Mood, now: &str, not: &str, past: &str, object: &str) -> String {
    match (mood.when, mood.negated) {
        (When::Past, _) => format!("{past} {object}."),
        (_, true) => format!("{not} {object}."),
        _ => format!("{now} {object}."),
    }
}

fn is_named(words: &[Word], at: usize) -> bool {
    let skip = usize::from(words.get(at).is_some_and(|w| w.low == "the"));
    words.get(at + skip).is_some_and(|w| w.raw.chars().next().is_some_and(char::is_uppercase) && w.low != "i")
}

fn singular(noun: &str) -> &str {
    match noun {
        "kids" | "children" | "child" => "kid",
        _ => noun.strip_suffix('s').unwrap_or(noun),
    }
}

/// Takes the dates out of the words: "since 2019", "from 2015 to 2018", "next month", "in April 2024".
pub fn without_period<'w, 'a>(scope: &Scope, words: &'w [Word<'a>]) -> (&'w [Word<'a>], dates::Period) {
    let low: Vec<&str> = words.iter().take(40).map(|w| w.low.as_str()).collect();
    for at in 0..low.len() {
        let skip = usize::from(matches!(low[at], "since" | "from" | "until" | "till"));
        let Some((date, taken)) = dates::english(&low[at + skip..], scope.today) else { continue };
        let mut period = dates::Period::default();
        let mut end = at + skip + taken;
        match low[at] {
            "until" | "till" => period.until = Some(date),
            "from" => {
                period.from = Some(date);
                if matches!(low.get(end), Some(&("to" | "until" | "till")))
                    && let Some((until, taken)) = dates::english(&low[end + 1..], scope.today)
                {
                    period.until = Some(until);
                    end += 1 + taken;
                }
            }
            _ => period.from = Some(date),
        }
        // What follows the date is another thought; a date in front leaves what follows.
        return (if at == 0 { &words[end..] } else { &words[..at] }, period);
    }
    (words, dates::Period::default())
}

/// The noun phrase that the words start with, as said and folded.
pub fn object(scope: &Scope, words: &[Word]) -> Option<(String, String)> {
    let end =
        words.iter().position(|w| STOPS.contains(&w.low.as_str()) || w.low == "that").unwrap_or(words.len());
    let end = words.iter().take(end).position(|w| w.pause).map_or(end, |at| {
        // "Osaka, Japan" and "sushi, ramen and soba" go on after their commas.
        let goes_on = words.get(at + 1).is_some_and(|next| next.raw.starts_with(char::is_uppercase))
            || words[..end].iter().skip(at).any(|w| matches!(w.low.as_str(), "and" | "or"));
        if goes_on { end } else { at + 1 }
    });
    bounded(scope, &words[..end], 9)
}

/// The objects of a list, one by one; a phrase that isn't a plain list stays whole.
fn objects(scope: &Scope, words: &[Word]) -> Vec<(String, String)> {
    let end =
        words.iter().position(|w| STOPS.contains(&w.low.as_str()) || w.low == "that").unwrap_or(words.len());
    let words = &words[..end];
    let mut parts: Vec<&[Word]> = Vec::new();
    let mut start = 0;
    for (at, word) in words.iter().enumerate() {
        let joins = matches!(word.low.as_str(), "and" | "or");
        if joins || word.pause {
            parts.push(&words[start..if joins { at } else { at + 1 }]);
            start = at + 1;
        }
    }
    parts.push(&words[start..]);
    parts.retain(|part| !part.is_empty());
    let is_list = (2..=6).contains(&parts.len())
        && parts.iter().all(|part| part.len() <= 3)
        && words.iter().any(|w| matches!(w.low.as_str(), "and" | "or"));
    if !is_list {
        return object(scope, words).into_iter().collect();
    }
    let found: Vec<_> = parts.iter().filter_map(|part| bounded(scope, part, 3)).collect();
    if found.len() == parts.len() { found } else { Vec::new() }
}

/// The words up to the clause's end, for plans and events, whose objects are verb phrases.
pub fn clause_object(scope: &Scope, words: &[Word]) -> Option<(String, String)> {
    let end = words
        .iter()
        .position(|w| {
            matches!(w.low.as_str(), "because" | "but" | "so" | "since" | "which" | "if" | "cause" | "and")
        })
        .unwrap_or(words.len());
    let end = words.iter().take(end).position(|w| w.pause).map_or(end, |at| at + 1);
    bounded(scope, &words[..end], 14)
}

fn bounded(scope: &Scope, mut words: &[Word], most: usize) -> Option<(String, String)> {
    while let [rest @ .., last] = words {
        if !TRAILERS.contains(&last.low.as_str()) {
            break;
        }
        words = rest;
    }
    let first = words.first()?;
    if words.len() > most
        || POINTERS.contains(&first.low.as_str())
            && first.low != "the"
            && first.low != "to"
            && first.low != "at"
            && first.low != "being"
            && first.low != "having"
    {
        return None;
    }
    if first.low == "the" && !is_known_definite(words) {
        return None;
    }
    let pointing = |w: &Word| {
        matches!(
            w.low.as_str(),
            "it" | "this"
                | "that"
                | "them"
                | "you"
                | "your"
                | "these"
                | "those"
                | "he"
                | "she"
                | "him"
                | "her"
                | "his"
                | "yours"
                | "there"
                | "here"
        )
    };
    if words.iter().any(pointing) {
        return None;
    }
    let said = sentence_text(scope.source, words);
    let folded = key(&said);
    (!folded.is_empty() && said.chars().count() <= 120).then_some((said, folded))
}

/// "The beach", "the Beatles"; "the colours" is something both speakers look at.
fn is_known_definite(words: &[Word]) -> bool {
    const KNOWN: &[&str] = &[
        "beach",
        "sea",
        "ocean",
        "mountains",
        "outdoors",
        "piano",
        "guitar",
        "violin",
        "drums",
        "flute",
        "cello",
        "countryside",
        "city",
        "cold",
        "heat",
        "rain",
        "snow",
        "summer",
        "winter",
        "gym",
        "theater",
        "theatre",
        "movies",
        "dark",
        "dentist",
        "suburbs",
        "saxophone",
        "forest",
        "night",
        "bass",
        "trumpet",
        "clarinet",
        "ukulele",
        "harp",
        "news",
        "food",
        "tech",
        "film",
        "medical",
    ];
    words.get(1).is_some_and(|w| KNOWN.contains(&w.low.as_str()) || w.raw.starts_with(char::is_uppercase))
}
