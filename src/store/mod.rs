//! The store: everything the object knows, in its SQLite.

pub mod mirrors;
pub mod outbox;
pub mod receipts;
pub mod sql;
pub mod vectors;
