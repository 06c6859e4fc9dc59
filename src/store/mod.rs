//! The store: everything the object knows, in its SQLite.

pub mod sql;
