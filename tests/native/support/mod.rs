//! What the scenario tests share.

pub mod d1;
pub mod mirror_world;
pub mod schedule;
pub mod sqlite;
pub mod vectorize;
pub mod witness;
pub mod world;
