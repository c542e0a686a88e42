//! `lastnim solve`: one position, of Last Nim or of another game.

mod command;
mod general;
mod question;

pub use command::{SolveArgs, run};
