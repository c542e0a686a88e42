//! `lastnim oracle tree`: draws every line of play from a position.

mod command;

pub use command::{TreeArgs, run};
