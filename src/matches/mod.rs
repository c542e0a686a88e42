//! `lastnim match`: shows and lists the matches of a server, and creates exhibition matches.

mod command;
mod exhibition;

pub use command::{MatchArgs, run};
