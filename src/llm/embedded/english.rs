//! Reads what English sentences assert about their speaker.
//!
//! Sentences are split into clauses, a clause into subject and predicate. Questions, conditions, wishes, reports and
//! sentences about others give nothing: to miss a statement costs a repeat, to invent one poisons every answer.

use jiff::civil::Date;

use super::english_words::{ADVERBS, OPENERS, UNASSERTED, verb};
use super::statement::{Reading, Slot, Statement};
use super::{english_possessive, english_predicate};
use crate::text::sentences::sentences;

/// A longer sentence is a list, code or a paste.
const MAX_SENTENCE_BYTES: usize = 400;
const MAX_READINGS: usize = 32;

/// A word with its place in the source; contractions are two words of one place.
#[derive(Clone, Debug)]
pub struct Word<'a> {
    pub raw: &'a str,
    pub low: String,
    pub start: usize,
    pub end: usize,
    /// Punctuation follows.
    pub pause: bool,
}

pub fn read(text: &str, today: Option<Date>) -> Vec<Reading> {
    let mut found = Vec::new();
    let mut greeted = false;
    for sentence in sentences(text) {
        let offset = sentence.as_ptr() as usize - text.as_ptr() as usize;
        if sentence.len() <= MAX_SENTENCE_BYTES && !is_reported(sentence) {
            let words = words(sentence, offset);
            greeted |=
                words.first().is_some_and(|w| matches!(w.low.as_str(), "hi" | "hello" | "hey" | "greetings"));
            if !is_question(sentence, &words) {
                read_words(text, &words, today, greeted, &mut found);
            }
        }
        if found.len() >= MAX_READINGS {
            found.truncate(MAX_READINGS);
            break;
        }
    }
    found
}

/// Reads a fact's sentence, which has no subject or "The user".
pub fn read_fact(text: &str) -> Vec<Reading> {
    let all = words(text, 0);
    let mut rest = all.as_slice();
    while let [first, tail @ ..] = rest {
        if !matches!(first.low.as_str(), "the" | "user" | "they" | "he" | "she") {
            break;
        }
        rest = tail;
    }
    let scope = Scope { source: text, today: None, greeted: false };
    let as_mine = english_possessive::read(&scope, rest);
    let statements = if as_mine.is_empty() { english_predicate::read(&scope, rest) } else { as_mine };
    if statements.is_empty() && rest.first().is_some_and(|w| matches!(w.low.as_str(), "i" | "my" | "i'm")) {
        return read(text, None);
    }
    statements.into_iter().map(|statement| Reading { span: 0..text.len(), statement }).collect()
}

/// What a predicate is read with.
pub struct Scope<'a> {
    pub source: &'a str,
    pub today: Option<Date>,
    /// The message opened with a greeting, so that "I'm Emily" gives a name.
    pub greeted: bool,
}

fn read_words(text: &str, words: &[Word], today: Option<Date>, greeted: bool, found: &mut Vec<Reading>) {
    let scope = Scope { source: text, today, greeted };
    if let Some(statement) = english_possessive::manner(&scope, words) {
        push(words, statement, found);
        return;
    }
    let mut at = 0;
    // Where the clause with the subject starts that a clause without one continues.
    let mut subject_from: Option<usize> = None;
    while at < words.len() {
        let end = clause_end(words, at);
        let clause = &words[at..end];
        let body = without_openers(clause);
        let is_unasserted = clause.iter().any(|w| UNASSERTED.contains(&w.low.as_str()));
        let explicit = asks_to_remember(body);
        let body = explicit.unwrap_or(body);
        let mut statements = Vec::new();
        match body.first().map(|w| w.low.as_str()) {
            Some("i" | "we") => {
                subject_from = (!is_unasserted).then_some(at);
                if !is_unasserted && is_about_me(body) {
                    statements = english_predicate::read(&scope, &body[1..]);
                }
            }
            Some("my" | "our") => {
                subject_from = None;
                if !is_unasserted {
                    statements = english_possessive::read(&scope, &body[1..]);
                }
            }
            Some("call") if !is_unasserted => statements = english_possessive::call_me(&scope, body),
            _ => {
                if is_unasserted {
                    subject_from = None;
                }
                let continues = body.first().is_some_and(|w| continues_subject(&w.low));
                match subject_from {
                    Some(_) if continues && !is_unasserted => {
                        statements = english_predicate::read(&scope, body)
                    }
                    _ if !is_unasserted => {
                        statements = english_possessive::reversed(&scope, body);
                        subject_from = None;
                    }
                    _ => subject_from = None,
                }
                if let (Some(first), false) = (subject_from, statements.is_empty()) {
                    for statement in statements.drain(..) {
                        push(&words[first..end], statement, found);
                    }
                }
            }
        }
        if statements.is_empty() && explicit.is_some() && !is_unasserted {
            statements.extend(note(text, &words[at..], body));
            if !statements.is_empty() {
                push(&words[at..], statements.remove(0), found);
                return;
            }
        }
        for statement in statements {
            push(clause, statement, found);
        }
        // A condition or a report reaches over the clauses that follow it.
        if is_unasserted && clause.iter().take(2).any(|w| UNASSERTED.contains(&w.low.as_str())) {
            return;
        }
        at = end;
    }
}

fn push(words: &[Word], statement: Statement, found: &mut Vec<Reading>) {
    if let (Some(first), Some(last)) = (words.first(), words.last())
        && !found.iter().any(|reading| reading.statement.text == statement.text)
    {
        found.push(Reading { span: first.start..last.end, statement });
    }
}

/// Where the clause that starts at `at` ends: before a conjunction or pause that a new predicate follows.
fn clause_end(words: &[Word], at: usize) -> usize {
    for next in at + 1..words.len() {
        let (previous, word) = (&words[next - 1], &words[next]);
        let after = words.get(next + 1).map_or("", |w| w.low.as_str());
        let joins = matches!(
            word.low.as_str(),
            "and" | "but" | "so" | "because" | "although" | "though" | "while" | "or" | "yet"
        );
        if joins && (opens_clause(after) || (word.low != "or" && continues_subject(after))) {
            return next;
        }
        if previous.pause
            && opens_clause(&word.low)
            && !(next == at + 1 && OPENERS.contains(&previous.low.as_str()))
        {
            return next;
        }
    }
    words.len()
}

fn opens_clause(word: &str) -> bool {
    matches!(
        word,
        "i" | "i'd"
            | "my"
            | "we"
            | "our"
            | "he"
            | "she"
            | "it"
            | "it's"
            | "they"
            | "you"
            | "your"
            | "there"
            | "this"
            | "that"
            | "that's"
            | "his"
            | "her"
            | "their"
            | "please"
            | "can"
            | "could"
            | "what"
            | "how"
            | "do"
            | "if"
            | "when"
            | "but"
    )
}

/// A word that can only be the predicate of the subject before.
fn continues_subject(word: &str) -> bool {
    matches!(word, "am" | "was" | "not" | "never" | "will" | "can" | "really" | "also" | "currently")
        || verb(word).is_some_and(|(_, form)| {
            matches!(form, super::english_words::Form::Base | super::english_words::Form::Past)
        }) && !matches!(
            word,
            "like"
                | "run"
                | "walk"
                | "play"
                | "work"
                | "plan"
                | "drink"
                | "drive"
                | "study"
                | "cook"
                | "visit"
                | "travel"
                | "use"
                | "exercise"
                | "practice"
                | "volunteer"
                | "swim"
                | "read"
                | "write"
                | "learn"
        )
}

fn is_about_me(body: &[Word]) -> bool {
    // "We" is a couple or a family only for living, moving and having.
    body.first().is_some_and(|w| w.low == "i")
        || body.iter().skip(1).take(4).any(|w| {
            verb(&w.low).is_some_and(|(base, _)| matches!(base, "live" | "move" | "have" | "adopt" | "own"))
        })
}

fn without_openers<'w, 'a>(mut words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    while let [first, rest @ ..] = words {
        let greeting_name = first.low == "there" && !rest.is_empty();
        if !(OPENERS.contains(&first.low.as_str()) || greeting_name) {
            break;
        }
        words = rest;
    }
    // "As for me, …", "By the way, …", "In fact I …": a short opening that a pause ends.
    if words
        .first()
        .is_some_and(|w| matches!(w.low.as_str(), "by" | "for" | "in" | "to" | "nice" | "after" | "these"))
        && let Some(at) = words.iter().take(6).position(|w| w.pause)
    {
        return without_openers(&words[at + 1..]);
    }
    words
}

/// The words after "(please) remember (that)", "note that", "don't forget that".
fn asks_to_remember<'w, 'a>(words: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let low: Vec<&str> = words.iter().take(6).map(|w| w.low.as_str()).collect();
    let skip = usize::from(low.first() == Some(&"please"));
    let verb_length = match low.get(skip..)? {
        ["remember", ..] => 1,
        ["note" | "know", "that", ..] => 1,
        ["do", "not", "forget", "that", ..] => 3,
        ["keep", "in", "mind", "that", ..] => 3,
        _ => return None,
    };
    let that = usize::from(low.get(skip + verb_length) == Some(&"that"));
    let rest = words.get(skip + verb_length + that..)?;
    // "Remember when…", "remember to…", "remember me?" ask for something else.
    let is_statement = rest.first().is_some_and(|w| !matches!(w.low.as_str(), "when" | "to" | "me" | "how" | "what" | "it" | "this" | "the" if that == 0));
    (is_statement && rest.len() >= 3).then_some(rest)
}

fn note(text: &str, clause: &[Word], body: &[Word]) -> Option<Statement> {
    let from = body.first()?.start;
    let all: Vec<&Word> = clause.iter().filter(|w| w.start >= from).collect();
    if all.len() > 40 {
        return None;
    }
    let said = sentence_text(text, &all.iter().map(|w| (*w).clone()).collect::<Vec<_>>());
    Some(Statement::new(Slot::Note, &said, "", capitalised(&format!("{said}."))))
}

/// The words of `text` with the first person turned into the user's.
pub fn sentence_text(text: &str, words: &[Word]) -> String {
    let mut said = String::new();
    let mut last_end: Option<usize> = None;
    for word in words {
        if last_end == Some(word.end) {
            continue;
        }
        if let Some(end) = last_end {
            said.push_str(text.get(end..word.start).unwrap_or(" "));
        }
        match word.low.as_str() {
            "my" | "our" => said.push_str("their"),
            "me" | "us" => said.push_str("them"),
            "i" | "we" => said.push_str("they"),
            "myself" => said.push_str("themselves"),
            _ => said.push_str(word.raw),
        }
        last_end = Some(word.end);
    }
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// With a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Adverbs and negation before a verb: what is left, whether it is negated, and whether by "never".
pub fn after_adverbs<'w, 'a>(mut words: &'w [Word<'a>]) -> (&'w [Word<'a>], bool, bool) {
    let (mut negated, mut never) = (false, false);
    loop {
        match words {
            [first, second, rest @ ..] if first.low == "no" && second.low == "longer" => {
                (negated, words) = (true, rest)
            }
            [first, rest @ ..] if first.low == "not" => (negated, words) = (true, rest),
            [first, rest @ ..] if first.low == "never" => (negated, never, words) = (true, true, rest),
            [first, rest @ ..] if ADVERBS.contains(&first.low.as_str()) || first.low == "did" => words = rest,
            _ => return (words, negated, never),
        }
    }
}

fn is_question(sentence: &str, words: &[Word]) -> bool {
    let mut low = words
        .iter()
        .map(|w| w.low.as_str())
        .skip_while(|w| matches!(*w, "so" | "and" | "but" | "hi" | "hey" | "ok" | "please"));
    let first = low.next().unwrap_or("");
    let second = low.next().unwrap_or("");
    sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?' && c != '？').ends_with(['?', '？'])
        || sentence.contains("?\"")
        || (matches!(
            first,
            "do" | "does"
                | "did"
                | "am"
                | "is"
                | "are"
                | "can"
                | "could"
                | "will"
                | "would"
                | "should"
                | "have"
                | "has"
        ) && matches!(second, "i" | "you" | "we" | "my" | "they" | "he" | "she" | "it" | "there" | "the"))
        || matches!(
            first,
            "what" | "where" | "who" | "why" | "how" | "which" | "what's" | "where's" | "whose"
        )
        || matches!(
            (first, second),
            ("tell" | "remind" | "translate" | "write" | "summarize" | "summarise" | "repeat", _)
        )
        || (first == "when" && matches!(second, "did" | "do" | "is" | "was" | "will"))
}

/// Quoted speech and code are not the user's own statements.
fn is_reported(sentence: &str) -> bool {
    let first = sentence.trim_start().chars().next().unwrap_or(' ');
    matches!(first, '>' | '`' | '"' | '“' | '{' | '<' | '|' | '#')
        || sentence.contains(['`', '{', '}'])
        || sentence.contains("\"I ")
        || sentence.contains("“I ")
        || sentence.contains("\"My ")
        || sentence.contains("“My ")
}

/// Splits on white space; contractions are expanded.
pub fn words(sentence: &str, offset: usize) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    for piece in sentence.split_whitespace() {
        let at = piece.as_ptr() as usize - sentence.as_ptr() as usize + offset;
        let left = piece.trim_start_matches(|c: char| !c.is_alphanumeric());
        let raw = left.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#'));
        if raw.is_empty() {
            if let Some(last) = found.last_mut() {
                let last: &mut Word = last;
                last.pause = true;
            }
            continue;
        }
        let start = at + piece.len() - left.len();
        let end = start + raw.len();
        let pause = left.len() > raw.len() && !matches!(left.get(raw.len()..), Some("\"" | "'" | "”" | "’"));
        let low = crate::text::fold::fold(raw).replace(['’', '‘'], "'");
        let (first, second) = expand(&low);
        let one = Word { raw, low: first, start, end, pause: pause && second.is_none() };
        found.push(one);
        if let Some(second) = second {
            found.push(Word { raw, low: second.to_owned(), start, end, pause });
        }
    }
    found
}

fn expand(low: &str) -> (String, Option<&'static str>) {
    match low {
        "cannot" | "can't" | "cant" => return ("can".to_owned(), Some("not")),
        "won't" => return ("will".to_owned(), Some("not")),
        "dont" => return ("do".to_owned(), Some("not")),
        "im" | "ım" => return ("i".to_owned(), Some("am")),
        "ive" => return ("i".to_owned(), Some("have")),
        "name's" => return ("name".to_owned(), Some("is")),
        _ => {}
    }
    let split =
        |suffix: &str| low.strip_suffix(suffix).filter(|stem| matches!(*stem, "i" | "we")).map(str::to_owned);
    if let Some(stem) = split("'m").or_else(|| split("'re")) {
        return (stem, Some("am"));
    }
    if let Some(stem) = split("'ve") {
        return (stem, Some("have"));
    }
    if let Some(stem) = split("'ll") {
        return (stem, Some("will"));
    }
    match low.strip_suffix("n't") {
        Some(stem @ ("do" | "does" | "did" | "is" | "was" | "are" | "have" | "has" | "ca")) => {
            (stem.to_owned(), Some("not"))
        }
        _ => (low.to_owned(), None),
    }
}
