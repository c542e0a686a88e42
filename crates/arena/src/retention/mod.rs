//! Keeps and removes the data of finished matches.

pub(crate) mod clock_check;
pub(crate) mod pruning;
pub(crate) mod retention;
pub(crate) mod transcripts;
