//! Reads the prompts that this model is given.

use crate::calendar::Date;
use serde_json::Value;

use crate::llm::{Prompt, Role};
use crate::time::Millis;

/// The JSON of the last user message that has some; `Null` if none has.
pub fn last_json(prompt: &Prompt) -> Value {
    let users = prompt.messages.iter().rev().filter(|message| message.role == Role::User);
    users.map(|message| leading_json(&message.content).0).find(Value::is_object).unwrap_or(Value::Null)
}

/// The JSON object that a text starts with, and the text after it.
pub fn leading_json(text: &str) -> (Value, &str) {
    let start = text.trim_start();
    // A data block may be introduced by a fence or a short line.
    let opened = start.find('{').filter(|at| {
        *at <= 200
            && (*at == 0
                || start.starts_with("```")
                || start.get(..*at).is_some_and(|before| before.ends_with('\n')))
    });
    let Some(body) = opened.and_then(|at| start.get(at..)) else { return (Value::Null, text) };
    let mut values = serde_json::Deserializer::from_slice(body.as_bytes()).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            let rest = body.get(values.byte_offset()..).unwrap_or("");
            (value, rest.trim_start().trim_start_matches("```").trim())
        }
        _ => (Value::Null, text),
    }
}

/// A string field, or nothing.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

/// A list field, or nothing.
pub fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The speaker's date at an instant, where its own offset or the zone's fixed one tells; a zone with summer time
/// would need a zone database, so its relative dates stay words.
pub fn local_date(said_at: &str, zone: &str) -> Option<Date> {
    let instant = Millis::parse_rfc3339(said_at)?;
    let written = said_at.get(said_at.len().saturating_sub(6)..).and_then(offset);
    let fixed = match zone {
        "Asia/Tokyo" | "Asia/Seoul" | "Japan" => Some(9 * 3600),
        "Asia/Shanghai" | "Asia/Taipei" | "Asia/Singapore" | "Asia/Hong_Kong" | "Asia/Manila" => {
            Some(8 * 3600)
        }
        "Asia/Bangkok" | "Asia/Jakarta" | "Asia/Ho_Chi_Minh" => Some(7 * 3600),
        "Asia/Kolkata" => Some(5 * 3600 + 1800),
        "" | "UTC" | "Etc/UTC" => Some(0),
        _ => None,
    };
    Some(instant.date_at(written.or(fixed)?))
}

/// `+09:00` in seconds.
fn offset(raw: &str) -> Option<i32> {
    let sign = match raw.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = raw.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60))
}
