//! `lastnim record`: signed records, one or many.

mod command;
mod export;

pub use command::{RecordArgs, run};
