//! The conformance suite: whether a bot does what the protocol asks of it, whatever its server and its network do.
//!
//! Each [`Check`] starts the bot's program against a scripted server on a port of its own. Matches are refereed by the referee of the
//! real server and every event goes through the same conversions, so that a bot is sent what it would be sent there; what a
//! check does besides (it cuts the stream, sends an event twice, or sends what a later version may add) is in `scenes`. How a
//! program is started and ended is the caller's: see [`BotLauncher`].

mod bot_launcher;
mod bot_session;
mod check;
mod failure;
mod later_bytes;
mod network;
mod play_service;
mod scenes;
mod scripted_match;
mod scripted_server;
mod stage;
mod suite;

pub use bot_launcher::{BotEnd, BotEnvironment, BotLauncher, LaunchedBot, OutputTail};
pub use check::{CHECKS, Check, find_check};
pub use failure::CheckFailure;
pub use suite::{CheckOutcome, CheckVerdict, Suite};
