//! The chat-completions protocol, as far as other programs need it to chat with this memory: what a request asks, and
//! how an answer is written, whole or as a stream of events.
//!
//! Invariant: what can't be done is refused by name and never ignored, except settings that only tune a model.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::problem::{Code, Problem};
use crate::chat::protocol::{WireUsage, failure_text};
use crate::id::{ThreadId, TurnId};
use crate::json;
use crate::llm::Role;
use crate::text::estimate::beginning;
use crate::text::shows_nothing;
use crate::time::{Millis, SECOND};

/// The one model that is offered: the agent with its memory, whatever model answers behind it.
pub const MODEL: &str = "kioku";
/// What ends a stream.
pub const END: &str = "data: [DONE]\n\n";
/// What a program may tell the model, in tokens; the rest is cut.
const INSTRUCTIONS_TOKENS: u32 = 1_000;

/// What a program asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The last message, which the user has said.
    pub question: String,
    /// How the program wants answers to be.
    pub instructions: String,
    /// What was said before in the program, oldest first.
    pub before: Vec<(Role, String)>,
    /// A conversation of Kioku's own that goes on instead; then what was said before is what is stored.
    pub thread: Option<ThreadId>,
    pub is_streamed: bool,
    /// Whether a stream ends with what the answer cost.
    pub with_usage: bool,
}

#[derive(Deserialize)]
struct Raw {
    messages: Vec<RawMessage>,
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    metadata: Option<Metadata>,
    n: Option<u32>,
    tools: Option<Vec<Value>>,
    functions: Option<Vec<Value>>,
    response_format: Option<ResponseFormat>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize)]
struct Metadata {
    thread: Option<String>,
}

#[derive(Deserialize)]
struct ResponseFormat {
    r#type: String,
}

#[derive(Deserialize)]
struct RawMessage {
    role: String,
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    r#type: String,
    text: Option<String>,
}

/// Reads a request. Settings of a model (temperature, a bound of tokens …) are the installation's and are passed over.
pub fn read(body: &[u8], max_chars: usize) -> Result<Asked, Problem> {
    let raw: Raw = json::read(body).map_err(|error| Problem::unreadable(&error))?;
    if raw.n.is_some_and(|count| count != 1) {
        return Err(Problem::bad_field("n", "must be 1"));
    }
    if raw.tools.is_some_and(|list| !list.is_empty()) || raw.functions.is_some_and(|list| !list.is_empty()) {
        return Err(Problem::bad_field("tools", "can't be used here"));
    }
    if raw.response_format.is_some_and(|format| format.r#type != "text") {
        return Err(Problem::bad_field("response_format", "must be text"));
    }
    let thread = match raw.metadata.and_then(|metadata| metadata.thread) {
        Some(id) => Some(ThreadId::parse(&id).ok_or_else(Problem::not_found)?),
        None => None,
    };
    let mut messages = raw.messages.into_iter().map(said).collect::<Result<Vec<_>, _>>()?;
    let Some((Some(Role::User), question)) = messages.pop() else {
        return Err(Problem::bad_field("messages", "must end with a message of the user's"));
    };
    if shows_nothing(&question) {
        return Err(Problem::bad_field("messages", "must end with words"));
    }
    if question.chars().count() > max_chars {
        return Err(Problem::too_large("A message", max_chars, "characters"));
    }
    let mut instructions = Vec::new();
    let mut before = Vec::new();
    for (role, text) in messages {
        match role {
            Some(Role::System) => instructions.push(text),
            Some(role) => before.push((role, text)),
            None => {}
        }
    }
    Ok(Asked {
        question,
        instructions: beginning(&instructions.join("\n\n"), INSTRUCTIONS_TOKENS).to_owned(),
        before,
        thread,
        is_streamed: raw.stream.unwrap_or(false),
        with_usage: raw.stream_options.is_some_and(|options| options.include_usage),
    })
}

/// Who said what; nobody, for what a tool answered.
fn said(message: RawMessage) -> Result<(Option<Role>, String), Problem> {
    let role = match message.role.as_str() {
        "system" | "developer" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        "tool" | "function" => None,
        _ => return Err(Problem::bad_field("role", "must be system, user or assistant")),
    };
    let text = match message.content {
        None => String::new(),
        Some(Content::Text(text)) => text,
        Some(Content::Parts(parts)) => {
            let texts: Option<Vec<String>> =
                parts.into_iter().map(|part| part.text.filter(|_| part.r#type == "text")).collect();
            texts.ok_or_else(|| Problem::bad_field("content", "may have parts of text only"))?.join("\n")
        }
    };
    Ok((role, text))
}

/// What is heard of an answer while it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Text(String),
    /// The last of an answer that is there.
    Done {
        usage: WireUsage,
        is_truncated: bool,
    },
    /// The last of one that isn't, or not wholly.
    Failed {
        code: String,
    },
}

/// How one answer is written.
#[derive(Clone, Debug)]
pub struct Writer {
    turn: TurnId,
    created: Millis,
    with_usage: bool,
}

impl Writer {
    pub fn new(turn: TurnId, created: Millis, with_usage: bool) -> Self {
        Self { turn, created, with_usage }
    }

    /// The event that says who speaks.
    pub fn opening(&self) -> String {
        self.chunk(&json!({"role": "assistant", "content": ""}), None)
    }

    /// The events of what was heard; behind the last comes [`END`].
    pub fn events(&self, heard: &Heard) -> String {
        match heard {
            Heard::Text(text) => self.chunk(&json!({"content": text}), None),
            Heard::Done { usage, is_truncated } => {
                let mut events = self.chunk(&json!({}), Some(finish(*is_truncated)));
                if self.with_usage {
                    let mut chunk = self.object("chat.completion.chunk");
                    chunk["choices"] = json!([]);
                    chunk["usage"] = figures(*usage);
                    events.push_str(&event(&chunk));
                }
                events + END
            }
            Heard::Failed { code } => event(&json!({"error": failure(code)})) + END,
        }
    }

    /// The whole answer: a status and a body.
    pub fn whole(&self, said: &str, end: &Heard) -> Result<Value, Problem> {
        let (usage, is_truncated) = match end {
            Heard::Done { usage, is_truncated } => (*usage, *is_truncated),
            Heard::Failed { code } => return Err(Problem::new(Code::Unavailable, failure_text(code))),
            Heard::Text(_) => return Err(Problem::internal()),
        };
        let mut body = self.object("chat.completion");
        body["choices"] = json!([{
            "index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": finish(is_truncated),
        }]);
        body["usage"] = figures(usage);
        Ok(body)
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> String {
        let mut chunk = self.object("chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        event(&chunk)
    }

    fn object(&self, kind: &str) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.turn), "object": kind,
            "created": self.created.0.div_euclid(SECOND), "model": MODEL,
        })
    }
}

/// A problem document that clients of this protocol understand too: they look for an `error` in it.
pub fn refusal(problem: &str) -> String {
    let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(problem.as_bytes()) else {
        return problem.to_owned();
    };
    let error = json!({
        "message": body.get("detail"), "type": "invalid_request_error", "code": body.get("code"), "param": null,
    });
    body.insert("error".to_owned(), error);
    Value::Object(body).to_string()
}

/// The list of what can be asked.
pub fn models() -> Value {
    json!({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "kioku"}]})
}

fn finish(is_truncated: bool) -> &'static str {
    if is_truncated { "length" } else { "stop" }
}

fn failure(code: &str) -> Value {
    json!({"message": failure_text(code), "type": "server_error", "code": code})
}

fn figures(usage: WireUsage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens.saturating_add(usage.completion_tokens),
    })
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: &Value) -> Result<Asked, Problem> {
        read(body.to_string().as_bytes(), 100)
    }

    #[test]
    fn the_last_message_is_the_question_and_what_a_program_adds_stays_apart() {
        let asked = asked(&json!({
            "model": "anything", "temperature": 0.2, "max_tokens": 5, "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "Answer briefly."},
                {"role": "user", "content": "こんにちは"},
                {"role": "assistant", "content": null},
                {"role": "assistant", "content": "こんにちは！"},
                {"role": "tool", "content": "42"},
                {"role": "user", "content": [{"type": "text", "text": "猫の名前は？"}]},
            ],
        }))
        .unwrap();
        assert_eq!(asked.question, "猫の名前は？");
        assert_eq!(asked.instructions, "Answer briefly.");
        assert_eq!(asked.before[0], (Role::User, "こんにちは".to_owned()));
        assert_eq!(asked.before[2], (Role::Assistant, "こんにちは！".to_owned()));
        assert_eq!(asked.before.len(), 3);
        assert!(asked.is_streamed && asked.with_usage);
    }

    #[test]
    fn what_cant_be_done_is_refused_by_name() {
        let user = json!([{"role": "user", "content": "hello"}]);
        for (body, code, named) in [
            (json!({}), "bad_body", "missing field `messages`"),
            (json!({"messages": []}), "bad_body", "messages"),
            (json!({"messages": [{"role": "assistant", "content": "hi"}]}), "bad_body", "messages"),
            (json!({"messages": [{"role": "user", "content": " "}]}), "bad_body", "messages"),
            (json!({"messages": [{"role": "user", "content": "あ".repeat(101)}]}), "too_large", "100"),
            (json!({"messages": [{"role": "king", "content": "hi"}]}), "bad_body", "role"),
            (
                json!({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}),
                "bad_body",
                "content",
            ),
            (json!({"messages": user, "n": 2}), "bad_body", "n"),
            (json!({"messages": user, "tools": [{}]}), "bad_body", "tools"),
            (json!({"messages": user, "response_format": {"type": "json_object"}}), "bad_body", "format"),
            (json!({"messages": user, "metadata": {"thread": "../x"}}), "not_found", ""),
        ] {
            let problem = asked(&body).expect_err("refused");
            assert_eq!(problem.code.as_str(), code, "{body}");
            assert!(problem.detail.contains(named), "{body}: {}", problem.detail);
        }
    }

    #[test]
    fn long_instructions_are_cut_inside_no_character() {
        let text = "語".repeat(9_000);
        let asked = asked(&json!({"messages": [
            {"role": "developer", "content": text}, {"role": "user", "content": "hello"},
        ]}))
        .unwrap();
        assert!(crate::text::estimate::tokens(&asked.instructions) <= INSTRUCTIONS_TOKENS);
        assert!(text.starts_with(&asked.instructions) && !asked.instructions.is_empty());
    }

    #[test]
    fn an_answer_is_written_as_events_or_whole() {
        let writer = Writer::new(TurnId::parse("t_1").unwrap(), Millis(1_700_000_000_999), true);
        let usage = WireUsage { prompt_tokens: 7, completion_tokens: 3, estimated: false };
        let done = Heard::Done { usage, is_truncated: true };
        let written =
            [writer.opening(), writer.events(&Heard::Text("猫\n\"です\"".into())), writer.events(&done)]
                .concat();
        let events: Vec<&str> =
            written.split("\n\n").filter(|event| !event.is_empty()).map(|event| &event[6..]).collect();
        let parsed = |at: usize| serde_json::from_str::<Value>(events[at]).unwrap();
        assert_eq!(parsed(0)["choices"][0]["delta"]["role"], "assistant");
        assert_eq!(parsed(1)["choices"][0]["delta"]["content"], "猫\n\"です\"");
        assert_eq!(parsed(2)["choices"][0]["finish_reason"], "length");
        assert_eq!((parsed(3)["usage"]["total_tokens"].clone(), events[4]), (json!(10), "[DONE]"));
        assert_eq!(parsed(0)["created"], 1_700_000_000);

        let whole = writer.whole("はい", &done).unwrap();
        assert_eq!(whole["choices"][0]["message"], json!({"role": "assistant", "content": "はい"}));
        let failed = Heard::Failed { code: "model_stalled".into() };
        assert_eq!(writer.whole("", &failed).unwrap_err().status(), 503);
        assert!(writer.events(&failed).contains("model_stalled"));
    }

    #[test]
    fn a_refusal_is_a_problem_document_and_an_error_of_the_protocol() {
        let problem = Problem::bad_field("messages", "must end with words");
        let body: Value = serde_json::from_str(&refusal(&problem.body())).unwrap();
        assert_eq!((&body["code"], &body["error"]["code"]), (&json!("bad_body"), &json!("bad_body")));
        assert_eq!(body["error"]["message"], body["detail"]);
        assert_eq!(refusal("not JSON"), "not JSON");
        assert_eq!(refusal("[]"), "[]");
    }
}
