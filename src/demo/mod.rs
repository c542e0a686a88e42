//! `lastnim demo`: a tournament of the house bots on the positions of a paper, explained.

mod command;
mod report;

pub use command::{DemoArgs, run};
