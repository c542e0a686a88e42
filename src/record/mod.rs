//! `lastnim record`: signed records, one or many.

mod command;
mod export;
mod format_args;

pub use command::{RecordArgs, fetch_one_record, run};
