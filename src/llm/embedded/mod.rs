//! The built-in model: deterministic, in the wasm, English and Japanese; the default where no model is connected.
//!
//! It gets the prompts that a real model gets, so everything around it works for real. It has no language model
//! behind it and says so: it answers from reference memory and the recent messages only, and never invents.

mod about;
mod answer;
mod dates;
mod english;
mod extract;
mod input;
mod japanese;
mod judge;
mod question;
mod rewrite;
mod statement;
mod summary;
mod wording;

pub use answer::answer;

use std::ops::Range;

use serde_json::{Value, json};

use super::Prompt;
use crate::calendar::Date;

/// Answers a call with a schema: JSON of SPEC section 6, and `{}` for a schema that it doesn't know.
pub fn complete(prompt: &Prompt) -> String {
    let input = input::last_json(prompt);
    let reply: Value = match prompt.schema.as_ref().map(|schema| schema.name) {
        Some("memory_operations") => extract::memory_operations(&input),
        Some("rolling_summary") => summary::rolling_summary(&input, prompt.max_tokens),
        Some("search_query") => rewrite::search_query(&input),
        Some("same_fact") => judge::same_fact(&input),
        _ => json!({}),
    };
    reply.to_string()
}

/// The facts that the grammar reads from what a user says, each with the bytes that say it.
pub fn readings(said: &str, today: Date) -> Vec<(Range<usize>, String)> {
    let said = crate::text::prefix(said, 16 * 1024);
    statement::read(said, Some(today)).into_iter().map(|read| (read.span, read.statement.text)).collect()
}

#[cfg(test)]
mod tests;
