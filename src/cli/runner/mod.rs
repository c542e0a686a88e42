//! `lastnim tournament run`: a cup from its file to its standings.
//!
//! `command` is the whole run from above; `folder`, `kept` and `resumption` say what stays on the disk from one run to the
//! next; `venue` is the server that is played on, and `organiser` what is asked of it. `players` starts the bots: `program`
//! those that are programs, each under a `supervisor`, a process that ends it when this one is gone, however it
//! went. `played` follows the cup to its end, and `progress` shows how far it is.

mod check;
mod command;
mod folder;
mod kept;
mod organiser;
mod played;
mod players;
mod program;
mod progress;
mod report;
mod resumption;
mod search;
mod supervisor;
mod venue;

pub use check::{CheckArgs, check};
pub use command::{RunArgs, run};
pub use supervisor::{SuperviseArgs, supervise};
