//! `memory_operations`: what the user's messages say about the user, against what is already known.
//!
//! Invariant: a quote is a slice of the message that it names. Nothing is taken from assistants' messages.

use serde_json::{Value, json};

use super::input::{list, local_date, text};
use super::statement::{Relation, Statement, read, read_fact};
use crate::text::prefix;

/// A longer message is a paste, of which the beginning may still be the user's own words.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
const MAX_OPERATIONS: usize = 40;
const MAX_EXISTING: usize = 200;

pub fn memory_operations(input: &Value) -> Value {
    let mut known: Vec<(Value, Statement)> = list(input, "existing")
        .iter()
        .take(MAX_EXISTING)
        .filter_map(|fact| Some((fact.get("ref")?.clone(), read_fact(text(fact, "text"))?)))
        .collect();
    let mut operations = Vec::new();
    for message in list(input, "messages") {
        if text(message, "role") != "user" {
            continue;
        }
        let said = prefix(text(message, "text"), MAX_MESSAGE_BYTES);
        let said_at =
            Some(text(message, "said_at")).filter(|at| !at.is_empty()).unwrap_or(text(input, "now"));
        let today = local_date(said_at, text(input, "timezone"));
        for reading in read(said, today) {
            let Some(quote) = said.get(reading.span) else { continue };
            let statement = reading.statement;
            let (op, target) = place(&statement, &known);
            operations.push(json!({
                "quote": quote,
                "text": statement.text,
                "kind": statement.slot.kind().as_str(),
                "op": op,
                "target": target,
                "message": message.get("ref").cloned().unwrap_or(Value::Null),
                "valid_from": statement.from,
                "valid_until": statement.until,
            }));
            // What this batch already said is known to the messages after it, but has no ref to point at.
            known.retain(|(known_ref, older)| {
                !(known_ref.is_null() && statement.against(older) != Relation::Separate)
            });
            known.push((Value::Null, statement));
            if operations.len() >= MAX_OPERATIONS {
                return json!({ "operations": operations });
            }
        }
    }
    json!({ "operations": operations })
}

/// The operation and its target: the newest known fact of the same attribute decides.
fn place(statement: &Statement, known: &[(Value, Statement)]) -> (&'static str, Value) {
    let mut superseded = None;
    for (known_ref, older) in known.iter().filter(|(known_ref, _)| !known_ref.is_null()) {
        match statement.against(older) {
            Relation::Same => return ("confirm", known_ref.clone()),
            Relation::Changed | Relation::Contradicts if superseded.is_none() => {
                superseded = Some(known_ref.clone())
            }
            _ => {}
        }
    }
    superseded.map_or(("add", Value::Null), |target| ("supersede", target))
}
