//! `lastnim record replay`: a record step by step.

mod command;
mod report;

pub use command::{ReplayArgs, check_take_number, run};
pub use report::{MAX_COLUMNS, ReplaySteps, audit_record, end_section, head_section};
