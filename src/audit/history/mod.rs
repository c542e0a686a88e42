//! `lastnim audit history`: checks whether the logs of bots contradict the records of their matches.

mod command;
mod given_records;
mod verdict;

pub use command::{HistoryArgs, run};
