//! Memory: what becomes a fact, what a new fact does to the old ones, what is recalled, what a summary must keep.

pub mod calls;
pub mod dates;
pub mod json;
mod mentions;
mod mentions_en;
pub mod model;
pub mod numbers;
pub mod operations;
pub mod prompts;
