//! Memory: what becomes a fact, what a new fact does to the old ones, what is recalled, what a summary must keep.

pub mod assertion;
pub mod calls;
pub mod category;
pub mod claim;
pub mod claim_en;
pub mod claim_ja;
pub mod compare;
pub mod cover;
mod cover_ja;
pub mod dates;
pub mod directive;
pub mod extract;
pub mod intent;
mod intent_ja;
pub mod json;
pub mod model;
pub mod numbers;
pub mod operations;
pub mod policy;
pub mod prompts;
mod relevance;
mod roles;
mod secrets;
pub mod reconcile;
pub mod stance;
pub mod verdict;
