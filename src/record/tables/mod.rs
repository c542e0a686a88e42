//! `lastnim record tables`: tables of a server's matches, for programs.

mod command;
mod rows;
#[cfg(test)]
mod tests;

pub use command::{TablesArgs, run};
pub use rows::ExportedMatch;
