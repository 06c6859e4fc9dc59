//! Tools that an answering model may call, as OpenAI-compatible servers take them and name them in a stream.
//!
//! A codec like the rest: it writes requests and reads calls, and does nothing. A call comes in fragments, by index;
//! servers differ in whether the id and the name come once or with every fragment, and in whether they count at all.

use crate::sorted::SortedMap;
use serde_json::{Value, json};

use super::HttpRequest;

/// A call of a tool as the model wrote it. Nothing in it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON, if the model writes JSON.
    pub arguments: String,
}

/// Calls of one answer with what each gave, for the next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What the model said beside its calls.
    pub said: String,
    pub calls: Vec<(ToolCall, String)>,
}

/// What offering the tools costs, in tokens: the length of [`definitions`] by most tokenizers.
pub const OFFER_TOKENS: u32 = 320;
/// Calls of one answer that are read; a model that asks for more repeats itself.
const MAX_CALLS: usize = 8;
/// Arguments of one call, in bytes.
const MAX_ARGUMENTS: usize = 16 * 1024;

const NAMES: &[&str] = &["memory_search", "memory_save", "memory_forget"];
/// An answer that is a call names its tool within so many bytes.
const OPENING_BYTES: usize = 200;

/// What the beginning of an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Words for the user.
    Plain,
    /// Too little to tell.
    Open,
    /// A call written as text: models that were not made for tools, or whose server doesn't read their calls, do that.
    WrittenCall,
}

/// Reads the beginning of an answer to a request that offered tools.
pub fn opening(said: &str) -> Opening {
    let said = said.trim_start();
    if NAMES.iter().any(|name| said.starts_with(name)) {
        return Opening::WrittenCall;
    }
    let may_open = said.is_empty()
        || said.starts_with(['{', '[', '<', '`'])
        || NAMES.iter().any(|name| name.starts_with(said));
    let mut shown = said.len().min(OPENING_BYTES);
    while !said.is_char_boundary(shown) {
        shown -= 1;
    }
    match may_open {
        false => Opening::Plain,
        true if NAMES.iter().any(|name| said[..shown].contains(name)) => Opening::WrittenCall,
        true if said.len() >= OPENING_BYTES => Opening::Plain,
        true => Opening::Open,
    }
}

/// The tools, by what the user's settings allow.
pub fn definitions(writes: bool) -> Value {
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| {
        json!({"type": "function", "function": {"name": name, "description": description, "parameters": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }}})
    };
    let text = |description: &str| json!({"type": "string", "description": description});
    let search = tool(
        "memory_search",
        "Searches what the user said in earlier conversations and the facts known about them. Use it only if the \
         answer needs something that reference_memory does not hold.",
        json!({
            "query": text("What to look for, in the user's language."),
            "since": text("Only messages from this instant on, as 2026-11-30T00:00:00Z."),
            "until": text("Only messages before this instant."),
        }),
        &["query"],
    );
    if !writes {
        return json!([search]);
    }
    let save = tool(
        "memory_save",
        "Keeps one lasting fact that the user has just told about themselves.",
        json!({
            "text": text("The fact as one short sentence in the user's language."),
            "quote": text("The user's own words that say it, copied exactly from their last message."),
        }),
        &["text", "quote"],
    );
    let forget = tool(
        "memory_forget",
        "Finds the facts that the user wants forgotten. Nothing is deleted: the user is asked.",
        json!({"query": text("What is to be forgotten.")}),
        &["query"],
    );
    json!([search, save, forget])
}

/// The request with the tools offered, and with what was called and given so far behind its messages.
pub fn with_tools(mut request: HttpRequest, exchanges: &[Exchange], offered: Option<&Value>) -> HttpRequest {
    if exchanges.is_empty() && offered.is_none() {
        return request;
    }
    let Ok(Value::Object(mut body)) = serde_json::from_slice(request.body.as_bytes()) else { return request };
    if let Some(Value::Array(messages)) = body.get_mut("messages") {
        for exchange in exchanges {
            let calls: Vec<Value> = exchange
                .calls
                .iter()
                .map(|(call, _)| {
                    let function = json!({"name": call.name, "arguments": call.arguments});
                    json!({"id": call.id, "type": "function", "function": function})
                })
                .collect();
            messages.push(json!({"role": "assistant", "content": exchange.said, "tool_calls": calls}));
            for (call, result) in &exchange.calls {
                messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": result}));
            }
        }
    }
    if let Some(tools) = offered {
        body.insert("tools".to_owned(), tools.clone());
    }
    request.body = Value::Object(body).to_string();
    request
}

/// Calls that are being read from a stream.
#[derive(Clone, Debug, Default)]
pub struct Fragments(SortedMap<u64, ToolCall>);

impl Fragments {
    /// Takes what a chunk, or a whole answer, says of calls.
    pub fn take(&mut self, chunk: &Value) {
        let choice = chunk.get("choices").and_then(|choices| choices.get(0));
        let message = choice.and_then(|choice| choice.get("delta").or_else(|| choice.get("message")));
        let parts = message.and_then(|message| message.get("tool_calls")).and_then(Value::as_array);
        for (place, part) in parts.into_iter().flatten().enumerate() {
            let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
            let (id, function) = (text(part.get("id")), part.get("function"));
            let name = text(function.and_then(|function| function.get("name")));
            let arguments = match function.and_then(|function| function.get("arguments")) {
                Some(whole @ Value::Object(_)) => whole.to_string(),
                other => text(other),
            };
            let index = part.get("index").and_then(Value::as_u64).unwrap_or_else(|| {
                // A server that doesn't count begins a new call with a new id.
                let known =
                    self.0.iter().find(|(_, call)| !id.is_empty() && call.id == id).map(|(at, _)| *at);
                known.unwrap_or(if id.is_empty() { place as u64 } else { self.0.len() as u64 })
            });
            if self.0.len() >= MAX_CALLS && !self.0.contains_key(&index) {
                continue;
            }
            let call = self.0.or_default(index);
            if call.id.is_empty() {
                call.id = id;
            }
            if call.name.is_empty() {
                call.name = name;
            }
            if call.arguments.len() + arguments.len() <= MAX_ARGUMENTS {
                call.arguments.push_str(&arguments);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The calls, in order, each with an id: servers want one back even if they gave none.
    pub fn finish(&mut self) -> Vec<ToolCall> {
        let named = std::mem::take(&mut self.0).into_values().filter(|call| !call.name.is_empty());
        named
            .enumerate()
            .map(|(at, mut call)| {
                if call.id.is_empty() {
                    call.id = format!("call_{at}");
                }
                call
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[Value]) -> Vec<ToolCall> {
        let mut fragments = Fragments::default();
        for calls in chunks {
            fragments.take(&json!({"choices": [{"delta": {"tool_calls": calls}}]}));
        }
        fragments.finish()
    }

    #[test]
    fn a_call_that_is_written_as_text_is_known_by_its_beginning() {
        for call in [
            r#"{"name": "memory_save", "arguments": {"quote": "I paint"}}"#,
            r#"{{"name": "memory_search", "arguments": {"query": "絵"}}}"#,
            "<tool_call>\n{\"name\": \"memory_forget\"",
            "```json\n[{\"function\": \"memory_save\"",
            "memory_search({\"query\": \"x\"})",
        ] {
            let first = (1..=call.len()).find(|&end| opening(&call[..end.min(call.len())]) != Opening::Open);
            assert_eq!(first.map(|end| opening(&call[..end])), Some(Opening::WrittenCall), "{call}");
        }
        for plain in [
            "Hello",
            "こんにちは",
            "- a list",
            "{\"a\": 1} is JSON, and there is nothing to see in it. ".repeat(5).as_str(),
        ] {
            assert_eq!(opening(plain), Opening::Plain, "{plain}");
        }
        for open in ["", " \n", "{\"a\": 1}", "```rust\nfn main() {}", "mem"] {
            assert_eq!(opening(open), Opening::Open, "{open}");
        }
        assert_eq!(opening(&format!("{{{}", "猫".repeat(100))), Opening::Plain);
    }

    #[test]
    fn a_call_is_read_from_fragments_however_a_server_cuts_it() {
        let call = |id: &str, arguments: &str| ToolCall {
            id: id.to_owned(),
            name: "memory_search".to_owned(),
            arguments: arguments.to_owned(),
        };
        let counted = read(&[
            json!([{"index": 0, "id": "a", "function": {"name": "memory_search", "arguments": ""}}]),
            json!([{"index": 0, "function": {"arguments": "{\"query\":"}}]),
            json!([{"index": 0, "function": {"arguments": "\"犬\"}"}},
                {"index": 1, "id": "b", "function": {"name": "memory_search", "arguments": "{}"}}]),
        ]);
        assert_eq!(counted, [call("a", "{\"query\":\"犬\"}"), call("b", "{}")]);
        let whole = read(&[
            json!([{"id": "a", "function": {"name": "memory_search", "arguments": {"query": "x"}}}]),
            json!([{"id": "b", "function": {"name": "memory_search", "arguments": "{}"}}]),
        ]);
        assert_eq!(whole, [call("a", "{\"query\":\"x\"}"), call("b", "{}")]);
        assert_eq!(read(&[json!([{"function": {"name": "memory_search"}}])]), [call("call_0", "")]);
        for odd in [json!(null), json!([1, "x", {}]), json!({"id": 1}), json!([{"function": 3, "index": -1}])]
        {
            assert!(read(&[odd]).is_empty());
        }
    }

    #[test]
    fn results_go_back_behind_the_messages_they_answer() {
        let body = json!({"messages": [{"role": "user", "content": "?"}]}).to_string();
        let request = || HttpRequest { url: String::new(), headers: vec![], body: body.clone() };
        assert_eq!(with_tools(request(), &[], None).body, body);
        let call = ToolCall { id: "a".into(), name: "memory_search".into(), arguments: "{}".into() };
        let exchange = Exchange { said: String::new(), calls: vec![(call, "{\"facts\":[]}".to_owned())] };
        let sent = with_tools(request(), &[exchange], Some(&definitions(true)));
        let sent: Value = serde_json::from_str(&sent.body).unwrap();
        assert_eq!(sent["messages"][1]["tool_calls"][0]["function"]["name"], "memory_search");
        assert_eq!(
            sent["messages"][2],
            json!({"role": "tool", "tool_call_id": "a", "content": "{\"facts\":[]}"})
        );
        assert_eq!(sent["tools"].as_array().map(Vec::len), Some(3));
        assert_eq!(definitions(false).as_array().map(Vec::len), Some(1));
        assert!(crate::text::estimate::tokens(&definitions(true).to_string()) <= OFFER_TOKENS * 3 / 2);
    }
}
