//! `lastnim store`: what a server keeps, looked at and looked after from outside.

mod backup;
mod check;
mod command;
mod prune;
mod stats;

pub use command::{StoreArgs, run};
