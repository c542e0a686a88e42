//! `lastnim oracle tree`: every line of play of a position.

mod command;

pub use command::{TreeArgs, run};
