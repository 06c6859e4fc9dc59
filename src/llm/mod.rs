//! Language models: what is asked, what is heard, what can go wrong. Providers are codecs; they do no I/O.

pub mod embedded;
pub mod embeddings;
pub mod ending;
pub mod failure;
pub mod json;
pub mod manner;
pub mod openai;
pub mod sse;
pub mod stream;
pub mod table;
pub mod thoughts;
pub mod tools;
pub mod workers_ai;

use serde_json::Value;

use crate::time::Millis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    /// Whether the user said it.
    pub fn is_user(self) -> bool {
        self == Self::User
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    pub role: Role,
    pub content: String,
}

/// The JSON that a memory call must answer with.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// `memory_operations`, `rolling_summary`, `search_query` or `same_fact`.
    pub name: &'static str,
    /// JSON as text: models write properties in the order in which the schema names them, and a map would sort them.
    pub schema: String,
    /// Whether the answer is composed and not copied: without chance, small models that compose repeat themselves.
    pub composes: bool,
}

impl Schema {
    /// Stands in a body for the schema's text. No message is this.
    pub const PLACE: &'static str = "\u{1}schema";

    /// The body with the schema in its place.
    pub fn placed_in(&self, body: &Value) -> String {
        body.to_string().replacen(&Value::from(Self::PLACE).to_string(), &self.schema, 1)
    }
}

/// One model call. A call with a schema isn't streamed.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub messages: Vec<ChatMessage>,
    pub max_tokens: u32,
    pub schema: Option<Schema>,
}

/// An HTTP request that the platform sends as it is. `Debug` would show the key, so there is none.
#[derive(Clone, PartialEq)]
pub struct HttpRequest {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// How strictly the JSON of a prompt's schema is asked for. Providers differ in what they accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonMode {
    /// By schema.
    Schema,
    /// Any JSON object.
    Object,
    /// Only by the prompt's words.
    Prose,
}

impl JsonMode {
    /// What to try after a provider refused this one.
    pub fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Object),
            Self::Object => Some(Self::Prose),
            Self::Prose => None,
        }
    }
}

/// An answer that came whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    pub finish: FinishReason,
    pub usage: Option<Usage>,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    Stop,
    /// `max_tokens` cut it.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// The model asks for tools.
    ToolCalls,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
    /// The provider didn't tell; these are ours.
    pub estimated: bool,
}

/// A piece of a streamed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// The model asks for these instead of, or before, answering.
    ToolCalls(Vec<tools::ToolCall>),
    Finished(FinishReason),
    Usage(Usage),
}

/// Why a model call failed, by what the caller can do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFailure {
    /// 429: wait, as long as the provider says.
    Busy { retry_after_ms: Option<i64> },
    /// 5xx or a broken connection: once more, later.
    Unavailable { status: Option<u16>, retry_after_ms: Option<i64> },
    /// Other 4xx: asking again gets the same answer.
    Refused { status: u16 },
    /// Nothing came for `MODEL_STALL_MS`, or the deadline passed.
    Stalled,
    /// The stream ended without a finish reason, or with an empty answer.
    CutShort,
    /// The answer isn't what the protocol or the schema says.
    Garbled(&'static str),
}

impl ModelFailure {
    /// The code of `failed` frames and of traces.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "model_busy",
            Self::Unavailable { .. } => "model_unavailable",
            Self::Refused { .. } => "model_refused",
            Self::Stalled => "model_stalled",
            Self::CutShort => "model_cut_short",
            Self::Garbled(_) => "model_garbled",
        }
    }

    /// Whether the user's retry has a chance.
    pub fn retryable(&self) -> bool {
        !matches!(self, Self::Refused { .. })
    }

    /// How long to wait before the one automatic retry; `None` if there is none. `dice` is any random number.
    pub fn backoff(&self, dice: u32) -> Option<Millis> {
        let jitter = i64::from(dice % 500);
        match self {
            // A provider that asks for more than ten seconds would keep the queue waiting: the user decides.
            Self::Busy { retry_after_ms } | Self::Unavailable { retry_after_ms, .. } => {
                match retry_after_ms {
                    Some(wait) if *wait > 10_000 => None,
                    Some(wait) => Some(Millis((*wait).max(0) + jitter)),
                    None => Some(Millis(500 + jitter)),
                }
            }
            _ => None,
        }
    }
}
