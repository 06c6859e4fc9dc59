//! English predicates of which the user is the subject: "live in Osaka", "am allergic to nuts".

use super::Scope;
use super::having::{age, have, health, possession};
use super::manner::unspoken;
use super::mood::{Mood, phrase};
use super::objects::{clause_object, is_named, object, objects, without_period};
use super::place::{born, moved, place};
use super::plan::{dated_plan, decision, event, intended, plan, promised};
use super::taste::{able, habit, interest, languages, taste};
use super::token::{Word, after_adverbs};
use super::words::{Form, HEALTH_TRAITS, STOPS, TRAITS, is_given_name, is_nationality, verb};
use super::work::{role, school, study, work};
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::words;

pub fn read(scope: &Scope, said: &[Word]) -> Vec<Statement> {
    let (words, negated, never) = after_adverbs(said);
    // "Did not like" lost its past with its auxiliary.
    if negated && said.iter().take(said.len() - words.len()).any(|w| w.low == "did") {
        return Vec::new();
    }
    let ended = said.iter().take(4).zip(said.iter().skip(1)).any(|(a, b)| a.low == "no" && b.low == "longer");
    let mood = Mood { when: When::Now, negated, never, ended, perfect: false };
    let found = attribute(scope, words, mood);
    if found.is_empty() { super::own::read(scope, words, mood) } else { found }
}

/// What the predicate says of an attribute that the grammar knows.
fn attribute(scope: &Scope, words: &[Word], mut mood: Mood) -> Vec<Statement> {
    let low: Vec<&str> = words.iter().take(4).map(|w| w.low.as_str()).collect();
    match low.as_slice() {
        ["am" | "is" | "are", "going", "to", ..] => match words.get(3) {
            // "Going to a conference", "going to Kyoto": a destination, not a verb.
            Some(next)
                if words!["a", "an", "the", "my", "our"].contains(next.low.as_str())
                    || is_named(words, 3) =>
            {
                dated_plan(scope, "go", &words[1..], mood)
            }
            _ => intended(scope, &words[3..], mood),
        },
        ["am" | "is" | "are", "gonna", ..] => intended(scope, &words[2..], mood),
        ["am" | "is", "planning" | "intending", "to", ..] => plan(scope, &words[3..], mood),
        ["plan" | "plans" | "intend" | "intends", "to", ..] => plan(scope, &words[2..], mood),
        ["will", ..] => promised(scope, &words[1..], mood),
        ["am" | "is" | "are", ..] => be(scope, &words[1..], mood),
        ["was" | "were", ..] => be(scope, &words[1..], Mood { when: When::Past, ..mood }),
        ["have" | "has", "been", ..] => {
            let (rest, more_negation, _) = after_adverbs(&words[2..]);
            mood.negated |= more_negation;
            mood.perfect = true;
            let is_to = rest.first().is_some_and(|w| w.low == "to");
            if is_to { Vec::new() } else { be(scope, rest, mood) }
        }
        ["have" | "has", "got", next, ..] if *next != "to" => act(scope, "have", &words[2..], mood),
        ["have" | "has", "to", ..] if !mood.negated => must(scope, &words[2..]),
        ["want", "to", ..] if mood.negated => unspoken(scope, "Does not want to", &words[2..], true),
        ["have" | "has", next, ..] if *next != "to" => {
            let (rest, more_negation, more_never) = after_adverbs(&words[1..]);
            match rest.first().and_then(|w| verb(&w.low)) {
                Some((base, Form::Past)) => {
                    mood.negated |= more_negation;
                    mood.never |= more_never;
                    mood.perfect = true;
                    // "Have had asthma since 2010": it goes on.
                    let goes_on =
                        base == "have" && rest.iter().any(|w| matches!(w.low.as_str(), "since" | "for"));
                    mood.perfect &= !goes_on;
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
            let mut found = place(scope, Slot::Home, "Lives in", "Lived in", &rest[1..], mood);
            // "In Kyoto with my cat Momo": whom with is told for itself.
            let with = rest.iter().position(|w| w.low == "with").and_then(|at| rest.get(at..));
            if let Some(with) = with.filter(|_| !found.is_empty() && !mood.negated) {
                found.extend(super::own::now(scope, "live", with, mood));
            }
            found
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
        "go" if first == "by" && mood.when == When::Now => super::name::name(&rest[1..], Slot::Nickname),
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
            if words!["currently", "now", "also", "mainly", "mostly", "still", "only", "just"]
                .contains(first.low.as_str()) =>
        {
            (rest, false, false)
        }
        _ => (words, false, false),
    }
}

pub fn be(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let (words, more_negation, _) = after_adverbs(words);
    let mood = Mood { negated: mood.negated | more_negation, ..mood };
    if mood.negated && mood.when == When::Past {
        return Vec::new();
    }
    let listed = listed(scope, words, mood);
    if !listed.is_empty() {
        return listed;
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
                let object = format!("{} of {object}", low[0]);
                let text = phrase(mood, "Is", "Is not", "Was", &object);
                vec![
                    Statement::new(Slot::Trait, &format!("afraid {folded}"), "", text)
                        .negated(mood.negated)
                        .when(mood.when),
                ]
            })
        }
        ["getting", "married", ..] if mood.when == When::Now && !mood.negated => {
            let (_, period) = without_period(scope, &words[2..]);
            let mut statement =
                Statement::new(Slot::Plan, "get married", "", "Plans to get married.".to_owned())
                    .when(When::Ahead);
            statement.from = period.from;
            vec![statement]
        }
        ["called" | "named", ..] => super::name::name(&words[1..], Slot::Name),
        ["learning", ..] => study(scope, "learn", &words[1..], Mood { when: When::Now, ..mood }),
        ["studying" | "majoring", ..] => study(scope, "study", &words[1..], Mood { when: When::Now, ..mood }),
        ["a" | "an" | "the", "big" | "huge" | "massive" | "great", "fan", "of"] => {
            taste(scope, "like", true, &words[4..], mood)
        }
        ["a" | "not", "fan", "of", ..] => taste(scope, "like", true, &words[3..], mood),
        ["a" | "an", ..] => role(scope, words, mood),
        ["more", "of", "a", ..] => role(scope, &words[2..], mood),
        ["in", ..] if mood.when == When::Now && !mood.perfect && is_whereabouts(words) => {
            place(scope, Slot::Whereabouts, "Is in", "Was in", &words[1..], mood)
        }
        ["on", "a" | "an", _, "diet", ..] | ["on", "a" | "an", _, _, "diet", ..]
            if mood.when == When::Now && !mood.negated =>
        {
            super::own::told(scope, "be", "Is", words, Slot::Trait)
        }
        ["on", "parental" | "maternity" | "paternity" | "sick", "leave", ..]
        | ["on", "medication" | "antidepressants" | "insulin", ..]
        | ["in", "my", "first" | "second" | "third" | "fourth" | "final" | "last", "year"]
            if mood.when == When::Now && !mood.negated =>
        {
            super::own::told(scope, "be", "Is", words, Slot::Trait)
        }
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

/// "Have to take insulin twice a day": what recurs or has its day; the rest is of the moment.
fn must(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let Some((base, Form::Base)) = words.first().and_then(|w| verb(&w.low)) else { return Vec::new() };
    let now = Mood { when: When::Now, negated: false, never: false, ended: false, perfect: false };
    let recurs = !habit(scope, base, &words[1..], now).is_empty();
    if !recurs {
        return Vec::new();
    }
    clause_object(scope, words).map_or_else(Vec::new, |(said, folded)| {
        vec![Statement::new(Slot::Habit, &format!("must {folded}"), "", format!("Has to {said}."))]
    })
}

/// "In Berlin", but not "in Sales", "in May" or "in Year 9".
fn is_whereabouts(words: &[Word]) -> bool {
    let is_place = |w: &Word| {
        w.raw.starts_with(char::is_uppercase)
            && dates::month(&w.low).is_none()
            && !w.raw.chars().all(char::is_uppercase)
            && !words![
                "sales",
                "finance",
                "marketing",
                "engineering",
                "year",
                "grade",
                "love",
                "heaven",
                "hell",
                "chapter",
                "level",
                "english",
                "french",
                "japanese",
                "german",
                "python",
                "rust",
                "java",
                "excel",
                "zoom",
                "i",
                "my"
            ]
            .contains(w.low.as_str())
    };
    words.get(1).is_some_and(is_place) && !super::work::is_field(&words[1].low)
}

/// "Am Priya, 28, from Mumbai, living in Toronto": each part is said of the subject.
fn listed(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let parts: Vec<&[Word]> = words.split_inclusive(|w| w.pause).collect();
    let opens = |part: &&[Word]| {
        part.first().is_some_and(|w| {
            words!["a", "an", "from", "living", "based", "working", "married", "single"]
                .contains(w.low.as_str())
                || age(part).is_some()
        })
    };
    if !(2..=5).contains(&parts.len()) || mood.negated || !parts.iter().skip(1).all(opens) {
        return Vec::new();
    }
    let scope = Scope { greeted: true, ..*scope };
    parts.into_iter().flat_map(|part| be(&scope, part, mood)).collect()
}

/// "Am Emily" where it can only be a name: after a greeting, with an origin, or a common one.
fn introduced(scope: &Scope, words: &[Word]) -> Vec<Statement> {
    let length = words.iter().take(3).take_while(|w| !matches!(w.low.as_str(), "from" | "and")).count();
    let (said, rest) = words.split_at_checked(length).unwrap_or((words, &[]));
    let Some(first) = said.first() else { return Vec::new() };
    let is_from = rest.first().is_some_and(|w| w.low == "from") && is_named(rest, 1);
    let is_alone = said.iter().take_while(|w| !w.pause).count() <= 2;
    let is_common = said.len() == 1 && is_given_name(&first.low);
    let is_written = first.raw.starts_with(char::is_uppercase) && (scope.greeted || is_from);
    if !(is_alone && is_written || is_common) {
        return Vec::new();
    }
    let mut found = super::name::name(said, Slot::Name);
    if is_from && !found.is_empty() {
        let mood = Mood { when: When::Now, negated: false, never: false, ended: false, perfect: false };
        found.extend(place(
            scope,
            Slot::Origin,
            "Is from",
            "Was from",
            rest.get(1..).unwrap_or_default(),
            mood,
        ));
    }
    found
}

/// "Am vegetarian", "am 30", "am Emily" after a greeting.
fn state(scope: &Scope, words: &[Word], mood: Mood) -> Vec<Statement> {
    let Some(first) = words.first() else { return Vec::new() };
    let low = first.low.as_str();
    let next = words.get(1).map_or("", |w| w.low.as_str());
    let ends = words.len() == 1
        || first.pause
        || STOPS.contains(next)
        || words!["and", "from", "with", "in", "at", "by", "to", "now", "too", "for", "anymore"]
            .contains(next);
    // "Type 1 diabetic", "half Korean".
    if low == "half" && is_nationality(next) && words.len() == 2 {
        let said = format!("half {}", words[1].raw);
        let text = phrase(mood, "Is", "Is not", "Was", &said);
        return vec![Statement::new(Slot::Trait, "nationality", &said, text).negated(mood.negated)];
    }
    if low == "type" && words.get(2).is_some_and(|w| w.low == "diabetic") {
        let text = phrase(mood, "Is", "Is not", "Was", &format!("type {next} diabetic"));
        return vec![Statement::new(Slot::Health, "diabetic", next, text).negated(mood.negated)];
    }
    let is_pair = match low {
        "lactose" | "gluten" => next.starts_with("intoleran"),
        "left" | "right" => next == "handed",
        "colour" | "color" => next == "blind",
        _ => false,
    };
    if TRAITS.contains(low) && ends || is_pair {
        let trait_ = if is_pair { format!("{} {}", first.raw, words[1].raw) } else { first.raw.to_owned() };
        let slot = if HEALTH_TRAITS.contains(low) { Slot::Health } else { Slot::Trait };
        let text = phrase(mood, "Is", "Is not", "Was", &trait_);
        return vec![Statement::new(slot, &trait_, "", text).negated(mood.negated).when(mood.when)];
    }
    if is_nationality(low) && ends && first.raw.starts_with(char::is_uppercase) {
        let text = phrase(mood, "Is", "Is not", "Was", first.raw);
        return vec![
            Statement::new(Slot::Trait, "nationality", low, text).negated(mood.negated).when(mood.when),
        ];
    }
    // "My parents are both doctors".
    if words.len() == 1 && low.strip_suffix('s').is_some_and(super::words::is_occupation) {
        let text = phrase(mood, "Is", "Is not", "Was", first.raw);
        return vec![Statement::new(Slot::Occupation, "", low, text).negated(mood.negated).when(mood.when)];
    }
    if mood.negated || mood.when != When::Now || mood.perfect {
        return Vec::new();
    }
    introduced(scope, words)
}
