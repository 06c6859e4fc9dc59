//! What frames and HTTP answers are made of, built from domain types.

use serde::Serialize;

use crate::id::MessageId;
use crate::llm::{Role, Usage};
use crate::memory::model::Fact;
use crate::store::messages::Message;
use crate::store::turns::Turn;
use crate::time::Millis;

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
