//! The `AI` binding of Workers: what it is run with and what it gives back, as plain JSON.
//!
//! Older models answer in a form of their own (`response`), newer ones like OpenAI (`choices`); both are read.
//! `max_tokens` is always sent, because the binding's own default cuts answers at 256 tokens.

use serde_json::{Value, json};

use super::manner::Manner;
use super::openai::{self, Chunk};
use super::{Completion, FinishReason, JsonMode, ModelFailure, Prompt, Schema, failure};
use crate::time::Millis;

/// Most texts that one embedding run takes.
pub const MAX_EMBEDDING_TEXTS: usize = 100;

/// One call of `AI.run(model, input)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub model: String,
    /// JSON.
    pub input: String,
}

/// A chat run. The binding can't stream an answer by schema, so a prompt with a schema is never streamed.
pub fn chat_run(model: &str, prompt: &Prompt, stream: bool, json: JsonMode) -> Run {
    let mut input =
        json!({"messages": Manner::default().messages(&prompt.messages), "max_tokens": prompt.max_tokens});
    if prompt.schema.as_ref().is_some_and(|schema| !schema.composes) {
        input["temperature"] = 0.into();
    }
    match (&prompt.schema, json) {
        (Some(_), JsonMode::Schema) => {
            // Unlike OpenAI's, this `json_schema` is the schema itself and has no name.
            input["response_format"] = json!({"type": "json_schema", "json_schema": Schema::PLACE});
        }
        (Some(_), JsonMode::Object) => input["response_format"] = json!({"type": "json_object"}),
        (None, _) if stream => input["stream"] = true.into(),
        (Some(_), JsonMode::Prose) | (None, _) => {}
    }
    let input = prompt.schema.as_ref().map_or_else(|| input.to_string(), |schema| schema.placed_in(&input));
    Run { model: model.to_owned(), input }
}

/// The third argument of a run. A gateway keeps what passes through it unless it is told not to, and would answer
/// the same question from its cache.
pub fn run_options(gateway: Option<&str>) -> Value {
    gateway.map_or_else(
        || json!({}),
        |id| json!({"gateway": {"id": id, "skipCache": true, "collectLog": false}}),
    )
}

/// Reads what a run without streaming gave.
pub fn read_completion(output: &Value) -> Result<Completion, ModelFailure> {
    if let Some(failure) = reported(output) {
        return Err(failure);
    }
    if output.get("choices").is_some() {
        return openai::completion_in(output);
    }
    let text = match output.get("response") {
        Some(Value::String(text)) => text.clone(),
        // JSON mode gives the parsed document.
        Some(document @ (Value::Object(_) | Value::Array(_))) => document.to_string(),
        Some(Value::Null) => String::new(),
        _ => return Err(ModelFailure::Garbled("the run gave no response")),
    };
    if text.trim().is_empty() {
        return Err(ModelFailure::CutShort);
    }
    let finish = finish_in(output)?.unwrap_or(FinishReason::Stop);
    Ok(Completion { text, finish, usage: openai::usage_in(output) })
}

pub(super) fn read_chunk(chunk: &Value) -> Result<Chunk, ModelFailure> {
    if let Some(failure) = reported(chunk) {
        return Err(failure);
    }
    let mut read = openai::read_chunk(chunk)?;
    if chunk.get("choices").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        read.text = match chunk.get("response") {
            Some(Value::String(text)) => text.clone(),
            // A token that looks like a number comes as one.
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        read.finish = finish_in(chunk)?;
    }
    Ok(read)
}

fn finish_in(output: &Value) -> Result<Option<FinishReason>, ModelFailure> {
    output.get("finish_reason").and_then(Value::as_str).map_or(Ok(None), openai::finish_reason)
}

/// The failure behind an error that the binding threw: its message begins with an internal code, or is the answer of
/// a gateway in front of it, word for word.
pub fn failure(message: &str) -> ModelFailure {
    let answer = serde_json::from_slice::<Value>(message.as_bytes()).ok();
    answer.as_ref().and_then(reported).unwrap_or_else(|| of_code(internal_code(message)))
}

/// The failure that an output or a chunk reports instead of an answer, by the same codes.
fn reported(output: &Value) -> Option<ModelFailure> {
    let first = |name: &str| output.get(name).and_then(Value::as_array).and_then(|errors| errors.first());
    let error = first("errors")
        .or_else(|| first("error"))
        .or_else(|| output.get("error").filter(|error| !error.is_null() && !error.is_array()));
    let Some(error) = error else { return failure::from_error_object(output) };
    let code = ["code", "internalCode"].iter().find_map(|name| error.get(*name).and_then(Value::as_u64));
    match (code.and_then(|code| u16::try_from(code).ok()), error.as_str()) {
        (Some(code), _) => Some(of_code(Some(code))),
        (None, Some(message)) => Some(failure(message)),
        (None, None) => failure::from_error_object(output).or_else(|| Some(of_code(None))),
    }
}

fn of_code(code: Option<u16>) -> ModelFailure {
    match code {
        // 2003 is a gateway's own limit.
        Some(2003 | 3036 | 3040) => ModelFailure::Busy { retry_after_ms: None },
        Some(3007 | 3008 | 3046) => ModelFailure::Stalled,
        // The model can't do JSON by schema, or couldn't this time: to be asked in weaker words.
        Some(5023 | 5024) => ModelFailure::Refused { status: 422 },
        Some(3042 | 5007) => ModelFailure::Refused { status: 404 },
        Some(3023 | 3041 | 5016 | 5018) => ModelFailure::Refused { status: 403 },
        Some(5005 | 5019) => ModelFailure::Refused { status: 405 },
        Some(3006 | 5021) => ModelFailure::Refused { status: 413 },
        Some(3003 | 3039 | 5004 | 5006 | 8001) => ModelFailure::Refused { status: 400 },
        Some(status @ 400..600) => failure::from_status(status, None, Millis(0)),
        _ => ModelFailure::Unavailable { status: None, retry_after_ms: None },
    }
}

/// The first number of three or four digits that stands before a colon, as in `AiError: 3040: …`.
fn internal_code(message: &str) -> Option<u16> {
    message.split(':').rev().skip(1).collect::<Vec<_>>().into_iter().rev().find_map(|part| {
        let word = part.split_whitespace().next_back()?;
        let is_code = (3..=4).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
        if is_code { word.parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{ChatMessage, Role, Schema, Usage};

    fn prompt(schema: Option<Schema>) -> Prompt {
        Prompt {
            messages: vec![ChatMessage { role: Role::System, content: "JSON".to_owned() }],
            max_tokens: 64,
            schema,
        }
    }

    #[test]
    fn a_run_always_has_a_cap_and_streams_only_without_a_schema() {
        let run = chat_run("@cf/x", &prompt(None), true, JsonMode::Schema);
        let messages = json!([{"role": "system", "content": "JSON"}]);
        let input = |run: &Run| serde_json::from_str::<Value>(&run.input).unwrap();
        assert_eq!(input(&run), json!({"messages": messages, "max_tokens": 64, "stream": true}));
        let schema =
            Schema { name: "same_fact", schema: r#"{"type": "object"}"#.to_owned(), composes: false };
        let run = chat_run("@cf/x", &prompt(Some(schema)), true, JsonMode::Schema);
        let format = json!({"type": "json_schema", "json_schema": {"type": "object"}});
        assert_eq!(
            input(&run),
            json!({"messages": messages, "max_tokens": 64, "temperature": 0, "response_format": format})
        );
    }

    #[test]
    fn a_gateway_keeps_and_repeats_nothing() {
        assert_eq!(run_options(None), json!({}));
        let gateway = json!({"id": "mine", "skipCache": true, "collectLog": false});
        assert_eq!(run_options(Some("mine")), json!({"gateway": gateway}));
    }

    #[test]
    fn a_response_is_read_as_text_as_a_document_and_as_choices() {
        let text = |output: Value| read_completion(&output).map(|completion| completion.text);
        assert_eq!(text(json!({"response": "{\"query\":\"犬\"}"})), Ok("{\"query\":\"犬\"}".to_owned()));
        assert_eq!(
            text(json!({"response": {"query": "犬"}, "tool_calls": null})),
            Ok("{\"query\":\"犬\"}".to_owned())
        );
        assert_eq!(text(json!({"choices": [{"message": {"content": "犬"}}]})), Ok("犬".to_owned()));
        assert_eq!(text(json!({"response": null})), Err(ModelFailure::CutShort));
        assert_eq!(text(json!({"response": ""})), Err(ModelFailure::CutShort));
        for garbage in [json!(null), json!([]), json!({}), json!({"response": 3})] {
            assert_eq!(text(garbage).unwrap_err().code(), "model_garbled");
        }
    }

    #[test]
    fn chunks_of_both_forms_are_read() {
        let usage = Some(Usage { prompt_tokens: 3, completion_tokens: 1, estimated: false });
        let own = json!({"response": "犬", "tool_calls": null, "p": "abdefg",
            "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}});
        assert_eq!(read_chunk(&own), Ok(Chunk { text: "犬".to_owned(), finish: None, usage }));
        assert_eq!(read_chunk(&json!({"response": 2026})).unwrap().text, "2026");
        let like_openai =
            json!({"choices": [{"delta": {"content": "犬"}, "finish_reason": "length"}], "response": "x"});
        let read = read_chunk(&like_openai).unwrap();
        assert_eq!((read.text.as_str(), read.finish), ("犬", Some(FinishReason::Length)));
    }

    #[test]
    fn thrown_errors_are_told_apart_by_their_code() {
        let code = |message: &str| failure(message).code();
        assert_eq!(code("3040: Capacity temporarily exceeded, please try again."), "model_busy");
        assert_eq!(code("AiError: 3036: you have used up your daily free allocation"), "model_busy");
        assert_eq!(code("5007: No such model @cf/x or task"), "model_refused");
        assert_eq!(
            code("InferenceUpstreamError: AiError: 5006: must have required property"),
            "model_refused"
        );
        assert_eq!(failure("5024: JSON Mode couldn't be met"), ModelFailure::Refused { status: 422 });
        assert_eq!(
            failure("5023: This model doesn't support JSON Schema."),
            ModelFailure::Refused { status: 422 }
        );
        assert_eq!(
            failure("5021: more tokens than the model's window"),
            ModelFailure::Refused { status: 413 }
        );
        let gateway =
            r#"{"success":false,"result":[],"messages":[],"error":[{"code":2003,"message":"Rate limited"}]}"#;
        assert_eq!(code(gateway), "model_busy");
        assert_eq!(code("3046: Request timeout"), "model_stalled");
        for unknown in ["", "error code: 1031", "Network connection lost", "12:30: 犬", ":::", "40000: x"] {
            assert_eq!(code(unknown), "model_unavailable", "{unknown}");
        }
    }

    #[test]
    fn an_error_that_comes_as_an_output_is_no_answer() {
        let code = |output: Value| {
            (read_completion(&output).unwrap_err().code(), read_chunk(&output).unwrap_err().code())
        };
        assert_eq!(code(json!({"errors": [{"code": 3040, "message": "x"}]})), ("model_busy", "model_busy"));
        assert_eq!(code(json!({"error": "5007: No such model"})), ("model_refused", "model_refused"));
        assert_eq!(code(json!({"error": {"code": 429}})), ("model_busy", "model_busy"));
        assert_eq!(code(json!({"error": {"type": "rate_limit_error"}})), ("model_busy", "model_busy"));
        assert_eq!(code(json!({"error": {}, "response": "x"})), ("model_unavailable", "model_unavailable"));
        assert!(read_chunk(&json!({"errors": [], "error": null, "response": "犬"})).is_ok());
    }
}
