//! `lastnim record tables`: tables of what a server played, for programs.

mod command;
mod rows;
#[cfg(test)]
mod tests;

pub use command::{TablesArgs, run};
pub use rows::ExportedMatch;
