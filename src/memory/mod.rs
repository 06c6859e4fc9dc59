//! Memory: what becomes a fact, what a new fact does to the old ones, what is recalled, what a summary must keep.

pub mod model;
