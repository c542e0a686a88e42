//! `lastnim audit history`: whether what bots logged contradicts the records of their matches.

mod command;
mod given_records;
mod verdict;

pub use command::{HistoryArgs, run};
