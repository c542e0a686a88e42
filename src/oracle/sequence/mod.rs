//! `lastnim oracle sequence`: lists the Grundy values of a game by pile size.

mod command;

pub use command::{SequenceArgs, run};
