//! `lastnim oracle solve`: one position, of Last Nim or of another game.

mod command;
mod general;
mod grundy_steps;
mod question;
mod robustness;

pub use command::{SolveArgs, run};
pub use general::RulesetArgs;
