//! The store: everything the object knows, in its SQLite. Synchronous, so nothing interleaves.
//!
//! Each module owns its tables. A function here writes one unit of truth; a storage error is never a default.

pub mod archive;
pub mod blocks;
pub mod codes;
pub mod embeddings;
pub mod facts;
pub mod forget;
pub mod held;
pub mod index;
pub mod jobs;
pub mod known;
pub mod learn;
pub mod leaving;
pub mod ledger;
mod lookup;
pub mod messages;
pub mod mirrors;
pub mod outbox;
pub mod receipts;
pub mod renewal;
pub mod restore;
pub mod retention;
pub mod rewrites;
pub mod schema;
pub mod scrub;
pub mod settings;
mod sketch;
pub mod sql;
pub mod threads;
pub mod tokens;
pub mod tombstones;
pub mod traces;
pub mod turns;
pub mod usage;
pub mod vectors;
pub mod weeks;

mod snapshot;
