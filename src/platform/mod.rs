//! The world: the only module that knows it runs on Workers.
//!
//! Invariant: nothing here decides, and nothing here may panic. A panic on Workers is silence: the caller waits
//! for ever, and every object of the isolate loses its memory.

mod agent;
mod clock;
mod d1;
mod daily;
mod entry;
mod environment;
mod gate;
mod gathered;
mod metrics;
mod models;
mod normalize;
mod oidc;
mod outgoing;
mod plain;
mod ports;
mod ready;
mod sockets;
mod sql;
mod subtle;
mod vectorize;
