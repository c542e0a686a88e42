//! `lastnim export`: tables of what a server played, for programs.

mod command;
mod rows;

pub use command::{ExportArgs, run};
