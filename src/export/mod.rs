//! `lastnim export`: tables of what a server played, for programs.

mod command;
mod rows;
#[cfg(test)]
mod tests;

pub use command::{ExportArgs, run};
pub use rows::ExportedMatch;
