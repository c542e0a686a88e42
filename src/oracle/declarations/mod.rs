//! `lastnim oracle declarations`: finds the rows that the seats of a game should declare.

mod command;
mod report;

pub use command::{DeclarationsArgs, run};
