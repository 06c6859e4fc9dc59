//! The chat: what people and clients send, what they get, and how a running turn proceeds.

pub mod overflow;
pub mod prompt;
pub mod protocol;
pub mod turn;
