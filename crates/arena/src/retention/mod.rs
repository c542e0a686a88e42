//! What is kept of matches that are over, and how it is removed.

pub(crate) mod pruning;
pub(crate) mod retention;
pub(crate) mod transcripts;
