//! `lastnim check conformance`: a bot's program against the conformance suite.

mod command;
mod program_launcher;
mod report;

pub use command::{ConformanceArgs, run};
