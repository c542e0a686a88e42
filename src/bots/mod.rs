//! `lastnim bots`: the register of a server, and who is connected; `lastnim register` and `lastnim unregister` are short for
//! two of its actions.

mod command;
mod unknown_bot;

pub use command::{BotsArgs, RegisterArgs, UnregisterArgs, register, run, unregister};
pub use unknown_bot::refused_bot;
