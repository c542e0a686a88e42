//! `lastnim replay`: a record step by step.

mod command;
mod report;

pub use command::{ReplayArgs, run};
pub use report::{ReplaySteps, audit_record};
