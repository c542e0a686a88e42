//! `lastnim match`: the matches of a server, and exhibitions.

mod command;
mod exhibition;

pub use command::{MatchArgs, run};
