//! What follows from the results of a tournament, and how that is kept so that not all of them have to be counted again.
//!
//! A checkpoint is derived data: the results are the truth, and whatever is wrong with a checkpoint, counting all results
//! gives the same. What is kept holds the state of every fold bit for bit.

mod checkpoint;
mod reported_results;
mod result_fold;
mod state_bytes;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use reported_results::ReportedResults;
pub use result_fold::{ResultFold, SnapshotUnavailable, snapshot_state};

pub(super) use state_bytes::{decode_state, encode_state, ensure_holds, ensure_results_fit};
