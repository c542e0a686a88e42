//! Fuzz targets: each module has a `check` that panics if an input exposes a fault.
//!
//! `tests/fuzz_corpora.rs` includes these modules by path and runs the inputs in `corpus` as ordinary tests.

pub mod config_file;
pub mod listener;
mod memory_network;
pub mod play;
pub mod records;
mod server;
pub mod session_log;
pub mod solve_batch;
pub mod tournament_file;
