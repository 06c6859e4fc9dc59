//! Memory: what becomes a fact, what a new fact does to the old ones, what is recalled, what a summary must keep.

pub mod assertion;
pub mod calls;
pub mod category;
pub mod cover;
pub mod dates;
pub mod directive;
mod disguise;
pub mod extract;
pub mod intent;
pub mod json;
mod kinds;
mod mentions;
mod mentions_en;
pub mod model;
mod mood_en;
mod mood_ja;
pub mod numbers;
pub mod operations;
pub mod policy;
pub mod prompts;
mod relevance;
mod secrets;
pub mod stance;
mod subject;
pub mod verdict;
mod vocabulary;
