//! Mirrors: facts as rows of D1 and vectors of Vectorize.
//!
//! Invariant: the object is the truth, and nothing here is needed to chat. A mirror is written only from outbox
//! rows, with the fact as it is at that moment; a write may arrive late, twice or after its answer was given up,
//! and still can't undo a newer one. What is read from a mirror is an id that the object confirms.

pub mod drain;
pub mod former;
mod index;
pub mod page;
pub mod ports;
pub mod reconcile;
mod reconcile_vectors;
pub mod rows;
pub mod search;
mod slots;
pub mod vectors;
