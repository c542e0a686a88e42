//! `lastnim oracle declarations`: which rows the seats of a game do best to declare.

mod command;
mod report;

pub use command::{DeclarationsArgs, run};
