//! `lastnim store`: measures, checks and backs up the store of a server.

mod backup;
mod check;
mod clock;
mod command;
mod prune;
mod stats;

pub use clock::now;
pub use command::{StoreArgs, run};
