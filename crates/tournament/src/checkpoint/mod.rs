//! The folds of a tournament's results, and checkpoints of these folds, so that a server does not have to count all
//! results again.
//!
//! A checkpoint is derived data: if it cannot be used, counting all results gives the same state. It contains the state
//! of every fold bit for bit.

mod checkpoint;
mod reported_results;
mod result_fold;
mod state_bytes;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use reported_results::ReportedResults;
pub use result_fold::{ResultFold, SnapshotUnavailable, snapshot_state};

pub(super) use state_bytes::{decode_state, encode_state, ensure_results_fit, ensure_valid};
