//! Keeps and removes the data of finished matches.

pub(crate) mod pruning;
pub(crate) mod retention;
pub(crate) mod transcripts;
