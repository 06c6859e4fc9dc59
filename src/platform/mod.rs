//! The world: the only module that knows it runs on Workers.
