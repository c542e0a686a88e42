//! `lastnim oracle sequence`: the Grundy values of a game by the size of its piles.

mod command;

pub use command::{SequenceArgs, run};
