//! `lastnim oracle solve`: solves a position of Last Nim, of one of its variants, or of another game.

mod command;
mod general;
mod grundy_steps;
mod question;
mod robustness;
mod variant;

pub use command::{SolveArgs, run};
pub use general::RulesetArgs;
