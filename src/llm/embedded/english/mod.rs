//! Reads what English sentences assert about their speaker.
//!
//! Sentences are split into clauses, a clause into subject and predicate. Questions, conditions, wishes, reports and
//! sentences about others give nothing: to miss a statement costs a repeat, to invent one poisons every answer.

mod clause;
mod elliptic;
mod having;
mod manner;
mod mood;
mod name;
mod objects;
mod own;
mod place;
mod plan;
mod possessive;
mod predicate;
mod taste;
mod token;
pub(super) mod words;
mod work;

use crate::calendar::Date;
use crate::text::case::capitalised;

use crate::llm::embedded::statement::{Reading, Slot, Statement};
use clause::{clause_end, continues_subject, without_openers};
use token::{Word, sentence_text, words};
use words::{UNASSERTED, verb};

use crate::text::sentences::sentences;
use crate::words;

/// A longer sentence is a list, code or a paste.
const MAX_SENTENCE_BYTES: usize = 400;

const MAX_READINGS: usize = 32;

pub fn read(text: &str, today: Option<Date>) -> Vec<Reading> {
    let mut found = Vec::new();
    let mut greeted = false;
    for sentence in sentences(text) {
        let offset = sentence.as_ptr() as usize - text.as_ptr() as usize;
        if sentence.len() <= MAX_SENTENCE_BYTES && !is_reported(sentence) {
            let words = words(sentence, offset);
            greeted |= words
                .first()
                .is_some_and(|w| words!["hi", "hello", "hey", "greetings"].contains(w.low.as_str()));
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
        if !words!["the", "user", "they", "he", "she"].contains(first.low.as_str()) {
            break;
        }
        rest = tail;
    }
    let scope = Scope { source: text, today: None, greeted: false };
    let as_mine = possessive::read(&scope, rest);
    let statements = if as_mine.is_empty() { predicate::read(&scope, rest) } else { as_mine };
    if statements.is_empty()
        && rest.first().is_some_and(|w| words!["i", "my", "i'm"].contains(w.low.as_str()))
    {
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
    if let Some(statement) = manner::manner(&scope, words) {
        push(words, statement, found);
        return;
    }
    let mut at = 0;
    // Where the clause with the subject starts that a clause without one continues, and whose it is if not the user's.
    let mut subject_from: Option<usize> = None;
    let mut owner: Vec<Word> = Vec::new();
    while at < words.len() {
        let end = clause_end(words, at);
        let clause = &words[at..end];
        let body = without_openers(clause);
        let is_unasserted = (0..clause.len()).any(|at| doubts(clause, at));
        let explicit = asks_to_remember(body);
        let body = explicit.unwrap_or(body);
        let mut statements = Vec::new();
        match body.first().map(|w| w.low.as_str()) {
            Some("i" | "we") => {
                owner.clear();
                subject_from = (!is_unasserted).then_some(at);
                if !is_unasserted && is_about_me(body) {
                    statements = predicate::read(&scope, &body[1..]);
                }
            }
            Some("my" | "our") => {
                owner = possessive::owner(&body[1..]).to_vec();
                subject_from = (!is_unasserted && !owner.is_empty()).then_some(at);
                if !is_unasserted {
                    statements = possessive::read(&scope, &body[1..]);
                }
            }
            Some("i'd") => statements = manner::asked(&scope, body),
            Some("name") if at == 0 && !is_unasserted => statements = possessive::read(&scope, body),
            Some("please") if !is_unasserted && body.get(1).is_some_and(|w| w.low == "call") => {
                statements = name::call_me(&scope, &body[1..]);
            }
            Some("call") if !is_unasserted => statements = name::call_me(&scope, body),
            _ => {
                if is_unasserted {
                    subject_from = None;
                }
                let continues = body.first().is_some_and(|w| continues_subject(&w.low, !owner.is_empty()));
                // "My brother met Tom and he is a doctor": who?
                let is_clear = !is_pronoun(body) || at <= MOST_BEFORE_PRONOUN;
                match subject_from {
                    // "I love how you tell stories and teach people": who teaches?
                    Some(from) if continues && has_other_subject(&words[from..at]) => subject_from = None,
                    Some(_) if continues && !is_unasserted && is_clear => {
                        statements = if owner.is_empty() {
                            predicate::read(&scope, body)
                        } else {
                            let pronoun = usize::from(is_pronoun(body));
                            possessive::read(&scope, &[owner.as_slice(), &body[pronoun..]].concat())
                        };
                    }
                    _ if !is_unasserted => {
                        statements = possessive::reversed(&scope, body);
                        subject_from = None;
                        if statements.is_empty()
                            && found.iter().all(|reading| reading.span.start < words[0].start)
                        {
                            statements = elliptic::read(&scope, body);
                        }
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
        if is_unasserted && clause.iter().take(2).any(|w| UNASSERTED.contains(w.low.as_str())) {
            return;
        }
        at = end;
    }
}

/// A pronoun behind more words than these may mean somebody else.
const MOST_BEFORE_PRONOUN: usize = 7;

fn has_other_subject(words: &[Word]) -> bool {
    words.iter().any(|w| words!["you", "they", "who", "how"].contains(w.low.as_str()))
}

fn is_pronoun(body: &[Word]) -> bool {
    body.first().is_some_and(|w| matches!(w.low.as_str(), "he" | "she"))
}

/// Whether the word at `at` is a mark of what isn't asserted. "May" is a month beside a number or a preposition.
fn doubts(clause: &[Word], at: usize) -> bool {
    let low = |at: Option<usize>| at.and_then(|at| clause.get(at)).map_or("", |w| w.low.as_str());
    let is_month = clause.get(at).is_some_and(|w| w.raw.starts_with("May"))
        && (low(at.checked_add(1)).starts_with(|c: char| c.is_ascii_digit())
            || matches!(
                low(at.checked_sub(1)),
                "in" | "of" | "since" | "until" | "on" | "last" | "next" | "this" | "is"
            )
            || low(at.checked_sub(1)).starts_with(|c: char| c.is_ascii_digit()));
    !is_month && UNASSERTED.contains(low(Some(at)))
}

fn push(words: &[Word], statement: Statement, found: &mut Vec<Reading>) {
    if let (Some(first), Some(last)) = (words.first(), words.last())
        && !found.iter().any(|reading| reading.statement.text == statement.text)
    {
        found.push(Reading { span: first.start..last.end, statement });
    }
}

fn is_about_me(body: &[Word]) -> bool {
    // "We" is a couple or a family only for living, moving and having.
    body.first().is_some_and(|w| w.low == "i")
        || body.iter().skip(1).take(4).any(|w| {
            verb(&w.low).is_some_and(|(base, _)| {
                words![
                    "live", "move", "have", "adopt", "own", "expect", "get", "buy", "rent", "share", "run",
                    "marry", "meet"
                ]
                .contains(base)
            })
        })
}

/// The words after "(please) remember (that)", "note that", "don't forget that".
fn asks_to_remember<'w, 'a>(words: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let low: Vec<&str> = words.iter().take(6).map(|w| w.low.as_str()).collect();
    let skip = usize::from(low.first() == Some(&"please"));
    let verb_length = match low.get(skip..)? {
        ["remember", ..] | ["note" | "know", "that", ..] => 1,
        ["do", "not", "forget", "that", ..] | ["keep", "in", "mind", "that", ..] => 3,
        _ => return None,
    };
    let that = usize::from(low.get(skip + verb_length) == Some(&"that"));
    let rest = words.get(skip + verb_length + that..)?;
    // "Remember, small steps count" is advice, "remember to…" and "remember when…" ask for something else.
    let is_own = rest.first().is_some_and(|w| words!["i", "my", "we", "our"].contains(w.low.as_str()));
    let is_statement = that == 1 || is_own && words.get(skip).is_some_and(|w| !w.pause);
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

fn is_question(sentence: &str, words: &[Word]) -> bool {
    let mut low = words
        .iter()
        .map(|w| w.low.as_str())
        .skip_while(|w| words!["so", "and", "but", "hi", "hey", "ok", "please"].contains(w));
    let first = low.next().unwrap_or("");
    let second = low.next().unwrap_or("");
    sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?' && c != '？').ends_with(['?', '？'])
        || sentence.contains("?\"")
        || (words![
            "do", "does", "did", "am", "is", "are", "can", "could", "will", "would", "should", "have", "has"
        ]
        .contains(first)
            && words!["i", "you", "we", "my", "they", "he", "she", "it", "there", "the"].contains(second))
        || words!["what", "where", "who", "why", "how", "which", "what's", "where's", "whose"].contains(first)
        || matches!(
            (first, second),
            ("tell" | "remind" | "translate" | "write" | "summarize" | "summarise" | "repeat", _)
        )
        || (first == "when" && words!["did", "do", "is", "was", "will"].contains(second))
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
