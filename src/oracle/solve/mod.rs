//! `lastnim oracle solve`: one position, of Last Nim, of a variant, or of another game.

mod command;
mod general;
mod grundy_steps;
mod question;
mod robustness;
mod variant;

pub use command::{SolveArgs, run};
pub use general::RulesetArgs;
