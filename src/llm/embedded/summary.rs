//! `rolling_summary`: keeps the sentences that matter, word for word, within a budget.
//!
//! It extracts and never rephrases, so it can't invent. What the old summary kept competes with the new messages
//! by importance, not by age: twenty folds in a row lose small talk first.

use serde_json::{Value, json};

use super::input::{list, text};
use super::statement::{Relation, Statement, read};
use crate::text::estimate::tokens;
use crate::text::fold::fold;
use crate::text::prefix;
use crate::text::sentences::sentences;
use crate::words;

const DEFAULT_TOKENS: u32 = 400;
const MAX_INPUT_BYTES: usize = 100_000;
const MAX_SENTENCES: usize = 600;
/// A sentence that alone would fill a good part of the summary.
const MAX_SENTENCE_TOKENS: u32 = 90;

struct Line {
    said: String,
    statements: Vec<Statement>,
    weight: u32,
}

pub fn rolling_summary(input: &Value, max_tokens: u32) -> Value {
    let budget = if max_tokens == 0 { DEFAULT_TOKENS } else { max_tokens.min(DEFAULT_TOKENS) };
    let keep: Vec<String> = list(input, "keep")
        .iter()
        .filter_map(Value::as_str)
        .map(fold)
        .filter(|k| !k.is_empty())
        .take(60)
        .collect();
    let mut lines: Vec<Line> = Vec::new();
    for sentence in sentences(prefix(text(input, "summary"), 20_000)) {
        push(sentence, &keep, 2, &mut lines);
    }
    let mut read_bytes = 0;
    for message in list(input, "messages") {
        let said = prefix(text(message, "text"), 8_000);
        read_bytes += said.len();
        if text(message, "role") == "assistant" || read_bytes > MAX_INPUT_BYTES {
            continue;
        }
        for sentence in sentences(said) {
            push(sentence, &keep, 0, &mut lines);
        }
    }
    drop_corrected(&mut lines);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    // Of equally important lines the later are worth more.
    crate::order::by_key(&mut order, |&at| {
        (std::cmp::Reverse(lines.get(at).map_or(0, |line| line.weight)), std::cmp::Reverse(at))
    });
    let mut left = budget;
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        let Some(line) = lines.get(at) else { continue };
        let cost = tokens(&line.said) + 1;
        if line.weight >= 2 && cost <= left {
            left -= cost;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let mut said: Vec<&str> =
        kept.iter().filter_map(|at| lines.get(*at)).map(|line| line.said.as_str()).collect();
    if said.is_empty() {
        // A summary may not be empty: the last thing that was said, cut to the budget.
        said.extend(lines.iter().rev().map(|line| line.said.as_str()).find(|said| tokens(said) <= budget));
    }
    json!({ "summary": said.join("\n") })
}

fn push(sentence: &str, keep: &[String], bonus: u32, lines: &mut Vec<Line>) {
    let said = sentence.trim();
    let cost = tokens(said);
    if lines.len() >= MAX_SENTENCES || said.is_empty() || cost > MAX_SENTENCE_TOKENS {
        return;
    }
    let folded = fold(said);
    if lines.iter().any(|line| fold(&line.said) == folded) {
        return;
    }
    let statements: Vec<Statement> = read(said, None).into_iter().map(|reading| reading.statement).collect();
    let mut weight = bonus;
    weight += 3 * keep.iter().filter(|k| folded.contains(k.as_str())).count().min(4) as u32;
    weight += if statements.is_empty() { 0 } else { 8 };
    weight += 2 * u32::from(said.chars().any(char::is_numeric));
    weight += 3 * u32::from(is_prohibition(&folded));
    weight += u32::from(has_name(said));
    let is_question = said.ends_with(['?', '？']) || said.ends_with('か') || said.ends_with("か。");
    if is_question || is_request(&folded) {
        weight = weight.saturating_sub(4);
    }
    lines.push(Line { said: said.to_owned(), statements, weight });
}

/// Later wins: a line all of whose statements a later line changes or repeats goes.
fn drop_corrected(lines: &mut Vec<Line>) {
    let all: Vec<(usize, Statement)> = lines
        .iter()
        .enumerate()
        .flat_map(|(at, line)| line.statements.iter().map(move |s| (at, s.clone())))
        .take(400)
        .collect();
    let mut at = 0;
    lines.retain(|line| {
        let is_outdated = |older: &Statement| {
            all.iter().any(|(later, newer)| *later > at && newer.against(older) != Relation::Separate)
        };
        let keeps = line.statements.is_empty() || !line.statements.iter().all(is_outdated);
        at += 1;
        keeps
    });
}

fn is_prohibition(folded: &str) -> bool {
    words![
        "never",
        "don't",
        "do not",
        "must not",
        "can't",
        "cannot",
        "allergic",
        "no longer",
        "not allowed",
        "ないで",
        "禁止",
        "だめ",
        "ダメ",
        "アレルギー",
        "避け",
        "しないで",
        "食べられ",
    ]
    .iter()
    .any(|word| folded.contains(word))
}

fn is_request(folded: &str) -> bool {
    words![
        "can you",
        "could you",
        "please",
        "tell me",
        "thanks",
        "thank you",
        "ありがとう",
        "教えて",
        "お願い",
        "こんにちは",
        "hello",
        "hi ",
    ]
    .iter()
    .any(|word| folded.starts_with(word) || folded.ends_with(word))
}

fn has_name(said: &str) -> bool {
    said.split_whitespace()
        .skip(1)
        .any(|w| w.chars().next().is_some_and(char::is_uppercase) && !w.starts_with("I'") && w != "I")
        || said.chars().filter(|c| matches!(c, 'ァ'..='ヺ')).count() >= 3
}
