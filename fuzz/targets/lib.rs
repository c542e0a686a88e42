//! What fuzzing tries: each module has a `check` that panics where an input shows a fault.
//!
//! `tests/fuzz_corpora.rs` includes these modules by their path, and tries the inputs of `corpus` as plain tests.

pub mod config_file;
pub mod listener;
mod memory_network;
pub mod play;
pub mod records;
mod server;
pub mod session_log;
pub mod solve_batch;
pub mod tournament_file;
