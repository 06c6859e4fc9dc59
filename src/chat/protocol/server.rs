//! Frames that leave.

use serde::Serialize;

use super::wire::{OpenTurn, Timing, WireChange, WireFact, WireMessage, WirePassage, WireQuery, WireUsage};

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
