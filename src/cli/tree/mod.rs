//! `lastnim tree`: every line of play of a position.

mod command;
mod report;

pub use command::{TreeArgs, run};
