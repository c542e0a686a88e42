//! `lastnim check conformance`: runs the conformance suite against a bot's program.

mod command;
mod program_launcher;
mod report;

pub use command::{ConformanceArgs, run};
