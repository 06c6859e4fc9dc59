//! `rolling_summary`: the extract that a fold falls back to, asked for as a real model is.

use serde_json::{Value, json};

use super::input::{list, text};
use crate::memory::calls::Line;
use crate::memory::fold::extractive;
use crate::text::prefix;

const DEFAULT_TOKENS: u32 = 400;
const MAX_INPUT_BYTES: usize = 100_000;

pub fn rolling_summary(input: &Value, max_tokens: u32) -> Value {
    let budget = if max_tokens == 0 { DEFAULT_TOKENS } else { max_tokens.min(DEFAULT_TOKENS) };
    let mut read_bytes = 0;
    let mut lines: Vec<Line> = Vec::new();
    for message in list(input, "messages") {
        let said = prefix(text(message, "text"), 8_000);
        read_bytes += said.len();
        if read_bytes > MAX_INPUT_BYTES {
            break;
        }
        lines.push(Line {
            reference: String::new(),
            role: text(message, "role").to_owned(),
            text: said.to_owned(),
            said_at: String::new(),
        });
    }
    let nothing = |_: &str| false;
    let summary = prefix(text(input, "summary"), 20_000);
    json!({ "summary": extractive(summary, &lines, budget, &nothing, &nothing) })
}
