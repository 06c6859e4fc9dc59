//! Protocol 1: what arrives is parsed once, what leaves is built from domain types.
//!
//! Wire types stand here alone; storage and protocol can change apart. `tests/golden/frames` holds one of each.

mod client;
mod server;
mod wire;

pub use client::{ClientFrame, Refusal, parse, refuse};
pub use server::{ServerFrame, failure_text};
pub use wire::{
    OpenTurn, Timing, WireChange, WireFact, WireMessage, WireMirrors, WirePassage, WireQuery, WireSource,
    WireUsage,
};

pub const PROTOCOL: u32 = 1;

/// The bare text that the runtime answers without waking the object, and its answer.
pub const PING: &str = "ping";
pub const PONG: &str = "pong";
