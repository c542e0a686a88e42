//! `lastnim demo`: plays a tournament of house bots on the positions of a paper, and explains it.

mod command;
mod report;

pub use command::{DemoArgs, run};
