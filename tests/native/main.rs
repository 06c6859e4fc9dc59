//! The native tests in one program: it links once, and its tests run side by side. `cargo test --test native recall::`
//! runs one file of them.
#![allow(clippy::unwrap_used, reason = "a test that panics says where")]

mod support;

mod admission;
mod batches;
mod builtin;
mod compatible;
mod converge;
mod cost;
mod deletion;
mod erasing;
mod extraction;
mod familiar;
mod figures;
mod folds;
mod forgetting;
mod frames;
mod fuzz;
mod import;
mod ledger;
mod matrix;
mod memory;
mod mirrors;
mod pairs;
mod plans;
mod planted;
mod poison;
mod programs;
mod prompts;
mod providers;
mod recall;
mod reconcile;
mod simulation;
mod talk;
mod tidy;
mod tools;
mod turns;
mod upgrades;
