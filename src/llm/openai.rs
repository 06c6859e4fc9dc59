//! OpenAI-compatible chat completions: OpenAI, AI Gateway, llama.cpp, Ollama, vLLM and what resembles them.
//!
//! A codec: it makes the request and reads the answer, and never sends anything. Reading is tolerant (servers
//! differ in what they leave out), writing is plain: no sampling parameter is set, because models differ in which
//! they accept and the server's own defaults are the model maker's advice.

use serde_json::{Map, Value, json};

use super::json::parse;
use super::manner::Manner;
use super::{Completion, FinishReason, HttpRequest, JsonMode, ModelFailure, Prompt, Schema, Usage, failure};
use crate::config::Secret;

/// Where a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint<'a> {
    /// Up to and with `/v1`, without a final slash.
    pub base_url: &'a str,
    pub api_key: Option<&'a Secret>,
    pub model: &'a str,
    pub manner: Manner,
}

impl Endpoint<'_> {
    /// A JSON request to `path` below the base URL.
    pub(super) fn post(&self, path: &str, body: String) -> HttpRequest {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        if let Some(key) = self.api_key {
            headers.push(("authorization", format!("Bearer {}", key.expose().trim())));
        }
        HttpRequest { url: format!("{}{path}", self.base_url), headers, body }
    }

    /// OpenAI's own newer models refuse `max_tokens`, and other servers know nothing else.
    fn names_the_cap(&self) -> &'static str {
        let newer = self.is_openai() != self.manner.swaps_the_cap();
        if newer { "max_completion_tokens" } else { "max_tokens" }
    }

    fn is_openai(&self) -> bool {
        let address = self.base_url.split_once("://").map_or(self.base_url, |(_, rest)| rest);
        let host = address.split('/').next().unwrap_or("").to_ascii_lowercase();
        host == "api.openai.com"
            || host.ends_with(".openai.azure.com")
            || (host == "gateway.ai.cloudflare.com" && address.ends_with("/openai"))
    }
}

/// `POST /chat/completions`. `json` says how a prompt's schema is asked for and means nothing without one;
/// servers accept [`JsonMode::Object`] only if a message of the prompt mentions JSON.
pub fn chat_request(at: &Endpoint<'_>, prompt: &Prompt, stream: bool, json: JsonMode) -> HttpRequest {
    let mut body = Map::new();
    body.insert("model".to_owned(), at.model.into());
    body.insert("messages".to_owned(), at.manner.messages(&prompt.messages));
    body.insert(at.names_the_cap().to_owned(), prompt.max_tokens.into());
    if stream {
        body.insert("stream".to_owned(), true.into());
        if at.manner.asks_for_usage() {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
    if let Some(schema) = &prompt.schema {
        // Memory is copied and not composed. OpenAI's own newer models refuse to be told.
        if !schema.composes && !at.is_openai() && at.manner.sets_temperature() {
            body.insert("temperature".to_owned(), 0.into());
        }
        let format = match json {
            JsonMode::Schema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": schema.name, "strict": true, "schema": Schema::PLACE},
            })),
            JsonMode::Object => Some(json!({"type": "json_object"})),
            JsonMode::Prose => None,
        };
        if let Some(format) = format {
            body.insert("response_format".to_owned(), format);
        }
    }
    let body = Value::Object(body);
    let body = prompt.schema.as_ref().map_or_else(|| body.to_string(), |schema| schema.placed_in(&body));
    at.post("/chat/completions", body)
}

/// Reads the body of an answer that was not streamed and whose status is 2xx.
pub fn read_completion(body: &[u8]) -> Result<Completion, ModelFailure> {
    let body = parse(&String::from_utf8_lossy(body)).ok_or(ModelFailure::Garbled("the answer isn't JSON"))?;
    completion_in(&body).or_else(|failed| {
        // Servers that take the whole answer of a model that was told not to think for its thoughts.
        let message = first_choice(&body).and_then(|choice| choice.get("message")).ok_or(failed.clone())?;
        let thoughts = ["reasoning_content", "reasoning"].iter().find_map(|name| message.get(name)?.as_str());
        let text = thoughts.map(str::trim).filter(|text| text.starts_with('{') && text.ends_with('}'));
        let text = text.filter(|_| failed == ModelFailure::CutShort).ok_or(failed.clone())?.to_owned();
        Ok(Completion { text, finish: FinishReason::Stop, usage: usage_in(&body) })
    })
}

pub(super) fn completion_in(body: &Value) -> Result<Completion, ModelFailure> {
    if let Some(failure) = failure::from_error_object(body) {
        return Err(failure);
    }
    let choice = first_choice(body).ok_or(ModelFailure::Garbled("the answer has no choices"))?;
    let text = choice.get("message").map(text_of).unwrap_or_default();
    let finish = finish_in(choice)?.unwrap_or(FinishReason::Stop);
    if text.trim().is_empty() {
        return Err(ModelFailure::CutShort);
    }
    Ok(Completion { text, finish, usage: usage_in(body) })
}

/// What one chunk of a streamed answer adds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Chunk {
    pub text: String,
    pub finish: Option<FinishReason>,
    pub usage: Option<Usage>,
}

pub(super) fn read_chunk(chunk: &Value) -> Result<Chunk, ModelFailure> {
    if let Some(failure) = failure::from_error_object(chunk) {
        return Err(failure);
    }
    let choice = first_choice(chunk);
    // Some servers put a whole `message` where the protocol says `delta`.
    let delta = choice.and_then(|c| c.get("delta").filter(|d| d.is_object()).or_else(|| c.get("message")));
    Ok(Chunk {
        text: delta.map(text_of).unwrap_or_default(),
        finish: choice.map(finish_in).transpose()?.flatten(),
        usage: usage_in(chunk),
    })
}

/// The choice with index 0; one without an index is the first.
fn first_choice(body: &Value) -> Option<&Value> {
    let choices = body.get("choices")?.as_array()?;
    choices.iter().find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0)
}

/// The visible text: a string, or the text parts of an array. A refusal is what the model says instead.
/// Reasoning is in fields of its own and isn't part of the answer.
fn text_of(message: &Value) -> String {
    let content = message.get("content").map(content_text).unwrap_or_default();
    if content.is_empty() { message.get("refusal").map(content_text).unwrap_or_default() } else { content }
}

fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| {
                matches!(part.get("type").and_then(Value::as_str), None | Some("text" | "output_text"))
            })
            .filter_map(|part| part.as_str().or_else(|| part.get("text").and_then(Value::as_str)))
            .collect(),
        _ => String::new(),
    }
}

fn finish_in(choice: &Value) -> Result<Option<FinishReason>, ModelFailure> {
    choice.get("finish_reason").and_then(Value::as_str).map_or(Ok(None), finish_reason)
}

/// What a provider's word for the end means; `None` for the empty words that some send with every chunk.
pub(super) fn finish_reason(word: &str) -> Result<Option<FinishReason>, ModelFailure> {
    match word.to_ascii_lowercase().as_str() {
        "" | "null" => Ok(None),
        "length" | "max_tokens" | "model_length" => Ok(Some(FinishReason::Length)),
        "content_filter" | "safety" | "refusal" => Ok(Some(FinishReason::Filtered)),
        "tool_calls" | "tool_use" | "function_call" => Ok(Some(FinishReason::ToolCalls)),
        "error" => Err(ModelFailure::Unavailable { status: None, retry_after_ms: None }),
        "abort" | "aborted" | "cancelled" => Err(ModelFailure::CutShort),
        // `stop`, `eos`, `end_turn` and whatever else servers call a natural end.
        _ => Ok(Some(FinishReason::Stop)),
    }
}

pub(super) fn usage_in(body: &Value) -> Option<Usage> {
    let usage = body.get("usage").filter(|usage| usage.is_object())?;
    let count = |names: [&str; 2]| {
        let number = names.iter().find_map(|name| usage.get(*name).and_then(Value::as_f64))?;
        Some(number.max(0.0) as u32)
    };
    let prompt_tokens = count(["prompt_tokens", "input_tokens"])?;
    let completion_tokens = count(["completion_tokens", "output_tokens"]).unwrap_or(0);
    Some(Usage { prompt_tokens, completion_tokens, estimated: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{ChatMessage, Role, Schema};

    fn prompt(schema: Option<Schema>) -> Prompt {
        let content = "犬の名前は? \"Pochi\"".to_owned();
        Prompt { messages: vec![ChatMessage { role: Role::User, content }], max_tokens: 64, schema }
    }

    fn body(base_url: &str, prompt: &Prompt, stream: bool, json: JsonMode) -> Value {
        let at = Endpoint { base_url, api_key: None, model: "m", manner: Manner::default() };
        serde_json::from_str(&chat_request(&at, prompt, stream, json).body).unwrap()
    }

    #[test]
    fn a_streamed_question_asks_for_usage_and_sets_nothing_but_its_cap() {
        let expected = json!({"model": "m", "messages": [{"role": "user", "content": "犬の名前は? \"Pochi\""}],
            "max_tokens": 64, "stream": true, "stream_options": {"include_usage": true}});
        assert_eq!(body("http://a/v1", &prompt(None), true, JsonMode::Schema), expected);
    }

    #[test]
    fn a_schema_is_asked_for_strictly_then_as_json_then_not_at_all() {
        let schema =
            Schema { name: "search_query", schema: r#"{"type": "object"}"#.to_owned(), composes: false };
        let prompt = prompt(Some(schema));
        let format = |json| body("http://a/v1", &prompt, false, json).get("response_format").cloned();
        let strict = json!({"type": "json_schema",
            "json_schema": {"name": "search_query", "strict": true, "schema": {"type": "object"}}});
        assert_eq!(format(JsonMode::Schema), Some(strict));
        assert_eq!(format(JsonMode::Object), Some(json!({"type": "json_object"})));
        assert_eq!(format(JsonMode::Prose), None);
    }

    #[test]
    fn memory_is_asked_for_without_chance_where_a_server_can_be_told() {
        let schema = Schema { name: "search_query", schema: "{}".to_owned(), composes: false };
        let told =
            |url, schema| body(url, &prompt(schema), false, JsonMode::Schema).get("temperature").cloned();
        assert_eq!(told("http://a/v1", Some(schema.clone())), Some(json!(0)));
        assert_eq!(told("https://api.openai.com/v1", Some(schema)), None);
        assert_eq!(told("http://a/v1", None), None, "answers are as the server has them");
        let summary = Schema { name: "rolling_summary", schema: "{}".to_owned(), composes: true };
        assert_eq!(told("http://a/v1", Some(summary)), None);
    }

    #[test]
    fn openai_itself_gets_the_cap_under_its_newer_name() {
        for url in ["https://api.openai.com/v1", "https://gateway.ai.cloudflare.com/v1/a/g/openai"] {
            assert_eq!(
                body(url, &prompt(None), false, JsonMode::Schema)["max_completion_tokens"],
                64,
                "{url}"
            );
        }
        let url = "https://api.openai.com.example/v1";
        assert_eq!(body(url, &prompt(None), false, JsonMode::Schema)["max_tokens"], 64);
    }

    #[test]
    fn the_key_goes_into_its_header_and_nowhere_else() {
        let key = Secret::new("k-123\n".to_owned());
        let at =
            Endpoint { base_url: "http://a/v1", api_key: Some(&key), model: "m", manner: Manner::default() };
        let request = chat_request(&at, &prompt(None), true, JsonMode::Schema);
        assert_eq!(request.url, "http://a/v1/chat/completions");
        assert!(request.headers.contains(&("authorization", "Bearer k-123".to_owned())));
        assert!(!request.body.contains("k-123"));
    }

    #[test]
    fn an_answer_is_read_whether_it_is_text_or_parts() {
        let read = |message: Value| {
            let body = json!({"choices": [{"index": 1, "message": {"content": "other"}},
                {"index": 0, "message": message, "finish_reason": "length"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
            read_completion(body.to_string().as_bytes())
        };
        let usage = Some(Usage { prompt_tokens: 9, completion_tokens: 3, estimated: false });
        let expected = Completion { text: "ポチです".to_owned(), finish: FinishReason::Length, usage };
        assert_eq!(read(json!({"content": "ポチです", "reasoning_content": "hm"})), Ok(expected.clone()));
        let parts = json!({"content": [{"type": "text", "text": "ポチ"}, {"type": "image_url", "text": "x"}, "です"]});
        assert_eq!(read(parts), Ok(expected));
        assert_eq!(read(json!({"content": null, "refusal": "No."})).unwrap().text, "No.");
        let json = json!({"content": null, "reasoning_content": " {\"query\":\"犬\"}\n"});
        assert_eq!(read(json).unwrap().text, "{\"query\":\"犬\"}");
        assert_eq!(read(json!({"content": "", "reasoning": "hm"})), Err(ModelFailure::CutShort));
        for empty in [json!({"content": null}), json!({"content": " \n"}), json!({}), json!(null)] {
            assert_eq!(read(empty), Err(ModelFailure::CutShort));
        }
    }

    #[test]
    fn what_is_no_completion_is_a_failure_with_a_name() {
        let code = |body: &str| read_completion(body.as_bytes()).unwrap_err().code();
        assert_eq!(code("<html>"), "model_garbled");
        assert_eq!(code(""), "model_garbled");
        assert_eq!(code("[]"), "model_garbled");
        assert_eq!(code(r#"{"choices":[]}"#), "model_garbled");
        assert_eq!(code(r#"{"error":{"code":429}}"#), "model_busy");
    }
}
