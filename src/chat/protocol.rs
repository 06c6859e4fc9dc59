//! Frames of protocol 1: what arrives is parsed once, what leaves is built from domain types.
//!
//! Wire types stand here alone; storage and protocol can change apart. `tests/golden/frames` holds one of each.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{ClientId, MessageId, TurnId};
use crate::llm::{Role, Usage};
use crate::memory::model::Fact;
use crate::store::messages::Message;
use crate::store::turns::Turn;
use crate::text::shows_nothing;
use crate::time::Millis;

pub const PROTOCOL: u32 = 1;

/// The bare text that the runtime answers without waking the object, and its answer.
pub const PING: &str = "ping";
pub const PONG: &str = "pong";

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientFrame {
    Send { id: ClientId, text: String },
    Stop { turn: TurnId },
    Retry { turn: TurnId },
    Resume { turn: TurnId, after: u32 },
}

/// Why a frame was refused. The connection stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: &'static str,
    pub message: String,
    /// The client's id of the send it refuses, as it came, if it was one that could be read.
    pub id: Option<String>,
}

#[derive(Deserialize)]
struct RawFrame<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    id: Option<Value>,
    text: Option<Value>,
    turn: Option<Value>,
    after: Option<Value>,
}

/// Reads a client's frame. `max_chars` bounds the text of a send.
pub fn parse(raw: &str, max_chars: usize) -> Result<ClientFrame, Refusal> {
    // JSON escapes a character in at most twelve bytes; the rest of a frame is small. Beyond that it isn't worth parsing.
    if raw.len() > max_chars.saturating_mul(12).saturating_add(4096) {
        return Err(too_long(max_chars, None));
    }
    let frame: RawFrame<'_> = serde_json::from_str(raw)
        .map_err(|_| refuse("bad_frame", "A frame is a JSON object with a type.", None))?;
    let turn = || {
        let id = frame.turn.as_ref().and_then(Value::as_str).and_then(TurnId::parse);
        id.ok_or_else(|| refuse("bad_id", "`turn` must be the id of a turn.", None))
    };
    match frame.kind.as_deref() {
        Some("send") => send(&frame, max_chars),
        Some("stop") => Ok(ClientFrame::Stop { turn: turn()? }),
        Some("retry") => Ok(ClientFrame::Retry { turn: turn()? }),
        Some("resume") => {
            let after = match &frame.after {
                None => Some(0),
                Some(value) => value.as_u64().and_then(|after| u32::try_from(after).ok()),
            };
            let after =
                after.ok_or_else(|| refuse("bad_frame", "`after` must be a whole number from 0.", None))?;
            Ok(ClientFrame::Resume { turn: turn()?, after })
        }
        _ => Err(refuse("unknown_frame", "The type must be send, stop, retry or resume.", None)),
    }
}

fn send(frame: &RawFrame<'_>, max_chars: usize) -> Result<ClientFrame, Refusal> {
    let raw_id = frame.id.as_ref().and_then(Value::as_str);
    let id = raw_id
        .and_then(ClientId::parse)
        .ok_or_else(|| refuse("bad_id", "`id` must be 1 to 64 characters of A–Z a–z 0–9 _ -.", None))?;
    let echo = Some(id.as_str().to_owned());
    let Some(text) = frame.text.as_ref().and_then(Value::as_str) else {
        return Err(refuse("bad_frame", "`text` must be a string.", echo));
    };
    // A NUL can't be stored by every engine, and no keyboard types one.
    let text = text.replace('\0', "");
    if shows_nothing(&text) {
        return Err(refuse("empty_message", "The message is empty.", echo));
    }
    if text.chars().count() > max_chars {
        return Err(too_long(max_chars, echo));
    }
    Ok(ClientFrame::Send { id, text })
}

fn too_long(max_chars: usize, id: Option<String>) -> Refusal {
    refuse("message_too_long", &format!("A message may have at most {max_chars} characters."), id)
}

pub fn refuse(code: &'static str, message: &str, id: Option<String>) -> Refusal {
    Refusal { code, message: message.to_owned(), id }
}

/// What the server tells. Each frame is one JSON object with its `type`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerFrame<'a> {
    Ready {
        protocol: u32,
        thread: &'a str,
        recent: Vec<WireMessage>,
        summary: &'a str,
        open_turns: Vec<OpenTurn>,
        memory_mode: &'a str,
    },
    Accepted {
        id: &'a str,
        turn: &'a str,
        thread: &'a str,
        position: usize,
        repeated: bool,
    },
    User {
        turn: &'a str,
        message: WireMessage,
    },
    Recalled {
        turn: &'a str,
        query: WireQuery,
        facts: Vec<WireFact>,
        passages: Vec<WirePassage>,
    },
    Delta {
        turn: &'a str,
        seq: u32,
        text: &'a str,
    },
    Done {
        turn: &'a str,
        message: WireMessage,
        usage: WireUsage,
        timing: Timing,
    },
    Stopped {
        turn: &'a str,
        message: Option<WireMessage>,
    },
    Failed {
        turn: &'a str,
        code: &'a str,
        /// For people.
        message: &'a str,
        retryable: bool,
        /// What was said before it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        reply: Option<WireMessage>,
    },
    Remembered {
        turn: Option<&'a str>,
        changes: Vec<WireChange>,
    },
    Folded {
        thread: &'a str,
        summary: &'a str,
    },
    Error {
        code: &'a str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
    },
}

impl ServerFrame<'_> {
    pub fn to_json(&self) -> String {
        // Serializing these types can't fail: they hold no maps with keys that aren't strings.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A message as clients see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireMessage {
    pub id: String,
    pub role: &'static str,
    pub text: String,
    pub created_at: String,
    pub turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub excluded: bool,
}

impl WireMessage {
    /// A turn's reply as it is about to be told, without reading it back: its id, text and status.
    pub fn of_reply(
        turn: &Turn,
        (id, text, status): (&MessageId, &str, Option<&str>),
        created_at: Millis,
    ) -> Self {
        Self {
            id: id.to_string(),
            role: Role::Assistant.as_str(),
            text: text.to_owned(),
            created_at: created_at.to_rfc3339(),
            turn: Some(turn.id.to_string()),
            status: status.map(str::to_owned),
            excluded: false,
        }
    }
}

impl From<&Message> for WireMessage {
    fn from(message: &Message) -> Self {
        Self {
            id: message.id.to_string(),
            role: message.role.as_str(),
            text: message.text.clone(),
            created_at: message.created_at.to_rfc3339(),
            turn: message.turn.as_ref().map(ToString::to_string),
            status: message.status.clone(),
            excluded: message.excluded,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenTurn {
    pub turn: String,
    /// The client's id of it.
    pub id: String,
    pub state: &'static str,
    /// The last delta sent so far.
    pub seq: u32,
}

/// What was searched for; both are the same unless the question was rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireQuery {
    pub original: String,
    pub searched: String,
}

/// A passage of the archive that an answer was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WirePassage {
    pub message: String,
    pub external_id: Option<String>,
    pub thread: String,
    pub role: &'static str,
    pub text: String,
    pub said_at: String,
    pub score: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WireUsage {
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
    pub estimated: bool,
}

impl From<Usage> for WireUsage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            estimated: usage.estimated,
        }
    }
}

/// Milliseconds of a turn's parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timing {
    pub queued_ms: i64,
    pub recall_ms: i64,
    pub first_token_ms: i64,
    pub total_ms: i64,
}

/// A fact as clients see it (SPEC section 3).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireFact {
    pub id: String,
    pub text: String,
    pub kind: &'static str,
    pub scope: String,
    pub status: &'static str,
    pub pinned: bool,
    pub observed_at: String,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
    pub supersedes: Vec<String>,
    pub superseded_by: Option<String>,
    pub source: WireSource,
    pub created_at: String,
    pub updated_at: String,
    pub version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mirrors: Option<WireMirrors>,
    /// How well it fits a question; only where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireSource {
    pub message: Option<String>,
    pub thread: Option<String>,
    pub quote: String,
    pub said_at: String,
}

/// Whether a mirror holds the fact's newest version: `synced`, `pending` or `off`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireMirrors {
    pub d1: &'static str,
    pub vectorize: &'static str,
}

impl WireFact {
    pub fn of(fact: &Fact) -> Self {
        Self {
            id: fact.id.to_string(),
            text: fact.text.clone(),
            kind: fact.kind.as_str(),
            scope: fact.scope.to_word(),
            status: fact.status.as_str(),
            pinned: fact.pinned,
            observed_at: fact.observed_at.to_rfc3339(),
            valid_from: fact.valid_from.clone(),
            valid_until: fact.valid_until.clone(),
            supersedes: fact.supersedes.iter().map(ToString::to_string).collect(),
            superseded_by: fact.superseded_by.as_ref().map(ToString::to_string),
            source: WireSource {
                message: fact.source.message.as_ref().map(ToString::to_string),
                thread: fact.source.thread.as_ref().map(ToString::to_string),
                quote: fact.source.quote.clone(),
                said_at: fact.source.said_at.to_rfc3339(),
            },
            created_at: fact.created_at.to_rfc3339(),
            updated_at: fact.updated_at.to_rfc3339(),
            version: fact.version,
            mirrors: None,
            score: None,
        }
    }
}

/// One change of memory, as `remembered` tells it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireChange {
    /// The ledger's id, for undo.
    pub change: String,
    pub op: &'static str,
    pub fact: WireFact,
    /// Why it is held or flagged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a person reads when a turn failed, by code.
pub fn failure_text(code: &str) -> &'static str {
    match code {
        "model_busy" => "The model is busy. Try again in a moment.",
        "model_unavailable" => "The model can't be reached. Try again.",
        "model_refused" => "The model refused the request. Check the model's name and key.",
        "model_stalled" => "The model stopped answering.",
        "model_cut_short" => "The answer broke off.",
        "model_garbled" => "The model's answer could not be read.",
        "interrupted" => "The answer was interrupted by a restart.",
        "not_configured" => "The model isn't configured.",
        _ => "Something went wrong.",
    }
}

impl Role {
    /// Whether the user said it.
    pub fn is_user(self) -> bool {
        self == Self::User
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: usize = 20;

    #[test]
    fn each_frame_is_read() {
        let send = parse(r#"{"type":"send","id":"a-1","text":"犬が好き"}"#, MAX);
        assert_eq!(
            send,
            Ok(ClientFrame::Send { id: ClientId::parse("a-1").unwrap(), text: "犬が好き".into() })
        );
        let turn = TurnId::parse("t_1").unwrap();
        assert_eq!(
            parse(r#"{"type":"stop","turn":"t_1"}"#, MAX),
            Ok(ClientFrame::Stop { turn: turn.clone() })
        );
        assert_eq!(
            parse(r#"{"type":"retry","turn":"t_1"}"#, MAX),
            Ok(ClientFrame::Retry { turn: turn.clone() })
        );
        assert_eq!(
            parse(r#"{"type":"resume","turn":"t_1","after":7}"#, MAX),
            Ok(ClientFrame::Resume { turn, after: 7 })
        );
    }

    #[test]
    fn a_bad_frame_gets_one_code_and_the_id_it_can_be_told_by() {
        let cases = [
            ("", "bad_frame", None),
            ("[]", "bad_frame", None),
            ("null", "bad_frame", None),
            (r#"{"type":"dance"}"#, "unknown_frame", None),
            (r#"{"id":"a"}"#, "unknown_frame", None),
            (r#"{"type":"send","text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":"a b","text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":7,"text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":"a"}"#, "bad_frame", Some("a")),
            (r#"{"type":"send","id":"a","text":7}"#, "bad_frame", Some("a")),
            (r#"{"type":"send","id":"a","text":" 　\n"}"#, "empty_message", Some("a")),
            (r#"{"type":"send","id":"a","text":"\u200b\u0000"}"#, "empty_message", Some("a")),
            (r#"{"type":"send","id":"a","text":"123456789012345678901"}"#, "message_too_long", Some("a")),
            (r#"{"type":"stop"}"#, "bad_id", None),
            (r#"{"type":"stop","turn":"../x"}"#, "bad_id", None),
            (r#"{"type":"resume","turn":"t","after":-1}"#, "bad_frame", None),
            (r#"{"type":"resume","turn":"t","after":"1"}"#, "bad_frame", None),
        ];
        for (raw, code, id) in cases {
            let refusal = parse(raw, MAX).unwrap_err();
            assert_eq!((refusal.code, refusal.id.as_deref()), (code, id), "{raw}");
        }
    }

    #[test]
    fn a_message_is_counted_in_characters_not_bytes() {
        let text = "犬".repeat(MAX);
        assert!(parse(&format!(r#"{{"type":"send","id":"a","text":"{text}"}}"#), MAX).is_ok());
        let paste = "x".repeat(3_000_000);
        let refusal = parse(&format!(r#"{{"type":"send","id":"a","text":"{paste}"}}"#), MAX).unwrap_err();
        assert_eq!(refusal.code, "message_too_long");
    }

    proptest! {
        #[test]
        fn no_input_panics(raw in ".{0,200}") {
            let _ = parse(&raw, MAX);
        }

        #[test]
        fn no_json_panics(kind in "send|stop|retry|resume|x", id in ".{0,70}", text in ".{0,40}", after in any::<i64>()) {
            let raw = serde_json::json!({"type": kind, "id": id, "text": text, "turn": id, "after": after});
            let _ = parse(&raw.to_string(), MAX);
        }
    }
}
