//! What the memory model proposes to do to memory, read leniently and believed nowhere.
//!
//! Deliberate absence: nothing here judges a proposal; `extract` does, against the user's own words.

use serde_json::Value;

use super::json;
use crate::llm::ModelFailure;

/// What a proposal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposedOp {
    Add,
    Supersede,
    Confirm,
    Forget,
}

impl ProposedOp {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Supersede => "supersede",
            Self::Confirm => "confirm",
            Self::Forget => "forget",
        }
    }

    fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "add" | "added" | "new" | "create" | "insert" => Some(Self::Add),
            "supersede" | "superseded" | "update" | "updated" | "replace" => Some(Self::Supersede),
            "confirm" | "confirmed" | "same" | "none" | "noop" => Some(Self::Confirm),
            "forget" | "forgotten" | "delete" | "remove" => Some(Self::Forget),
            _ => None,
        }
    }
}

/// One operation as the model wrote it. Nothing in it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub op: ProposedOp,
    pub text: String,
    pub kind: String,
    /// The `ref` of an existing fact.
    pub target: Option<String>,
    /// The `ref` of the message that is quoted.
    pub message: String,
    pub quote: String,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
}

/// More operations than this in one answer come from a model that repeats itself.
const MAX_PROPOSALS: usize = 64;

/// Reads `memory_operations`: the object of the contract, a bare list, or a single operation.
///
/// Operations without `op`, `message` or `quote` are left out; [`ModelFailure::Garbled`] if the answer is no
/// JSON, or if it holds operations and none can be read.
pub fn read(answer: &str) -> Result<Vec<Proposal>, ModelFailure> {
    let value = json::read(answer).ok_or(ModelFailure::Garbled("memory_operations: no JSON"))?;
    let items: Vec<Value> = match value {
        Value::Array(items) => items,
        Value::Object(mut object) => match object.remove("operations") {
            Some(Value::Array(items)) => items,
            Some(item @ Value::Object(_)) => vec![item],
            Some(Value::Null) => Vec::new(),
            Some(_) => return Err(ModelFailure::Garbled("memory_operations: operations is no list")),
            None if object.contains_key("op") => vec![Value::Object(object)],
            None if object.is_empty() => Vec::new(),
            None => return Err(ModelFailure::Garbled("memory_operations: no operations")),
        },
        _ => return Err(ModelFailure::Garbled("memory_operations: no object")),
    };
    let proposals: Vec<Proposal> = items.iter().filter_map(proposal).take(MAX_PROPOSALS).collect();
    if proposals.is_empty() && !items.is_empty() {
        return Err(ModelFailure::Garbled("memory_operations: no readable operation"));
    }
    Ok(proposals)
}

fn proposal(item: &Value) -> Option<Proposal> {
    let word = |name: &str| match item.get(name) {
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let given = |name: &str| {
        word(name).filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("null") && text != "unknown")
    };
    Some(Proposal {
        op: ProposedOp::read(&word("op")?)?,
        text: word("text").or_else(|| word("fact"))?,
        kind: word("kind").unwrap_or_default(),
        target: given("target"),
        message: given("message")?,
        quote: given("quote")?,
        valid_from: given("valid_from"),
        valid_until: given("valid_until"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"op":"add","text":"Likes tea","kind":"preference","target":null,"message":"u1",
        "quote":"I like tea","valid_from":"","valid_until":"null"}"#;

    #[test]
    fn the_contract_a_bare_list_and_a_single_operation_read_alike() {
        let wrapped = read(&format!("{{\"operations\":[{ONE}]}}")).unwrap();
        assert_eq!(wrapped.len(), 1);
        assert_eq!(wrapped[0].op, ProposedOp::Add);
        assert_eq!(
            (&wrapped[0].target, &wrapped[0].valid_from, &wrapped[0].valid_until),
            (&None, &None, &None)
        );
        assert_eq!(read(&format!("[{ONE}]")).unwrap(), wrapped);
        assert_eq!(read(&format!("```json\n{ONE}\n```")).unwrap(), wrapped);
        assert_eq!(read("{\"operations\":[]}").unwrap(), []);
        assert_eq!(read("{}").unwrap(), []);
    }

    #[test]
    fn an_answer_without_a_readable_operation_is_a_failure_and_not_an_empty_memory() {
        for answer in
            ["", "Nothing to store.", "{\"facts\":[]}", "[{\"op\":\"dance\"}]", "{\"operations\":3}"]
        {
            assert!(matches!(read(answer), Err(ModelFailure::Garbled(_))), "{answer}");
        }
    }

    #[test]
    fn an_operation_that_was_cut_off_is_left_out_and_the_ones_before_it_stay() {
        let cut = format!("{{\"operations\":[{ONE},{{\"op\":\"add\",\"text\":\"Likes cof");
        assert_eq!(read(&cut).unwrap().len(), 1);
    }
}
