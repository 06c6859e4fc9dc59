//! Kioku (記憶): a chat agent that remembers.
//!
//! Everything that decides is pure and tested natively; only `platform` knows that it runs on Workers, and it
//! exists only in the wasm build. `docs/architecture.md` is the map.

pub mod best;
pub mod calendar;
pub mod chat;
pub mod config;
pub mod encoding;
pub mod http;
pub mod id;
pub mod import;
pub mod json;
pub mod llm;
pub mod memory;
pub mod mirror;
pub mod order;
pub mod session;
pub mod sorted;
pub mod store;
pub mod time;

pub use kioku_text as text;
pub(crate) use kioku_text::words;

#[cfg(target_family = "wasm")]
mod platform;

#[cfg(test)]
extern crate self as kioku;
/// The store's engine in unit tests; the scenario tests use the same file.
#[cfg(test)]
#[path = "../tests/native/support/sqlite.rs"]
pub mod sqlite;
