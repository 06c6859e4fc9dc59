//! What the scenario tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod d1;
pub mod schedule;
pub mod sqlite;
pub mod vectorize;
pub mod witness;
pub mod world;
