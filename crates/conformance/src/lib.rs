//! The conformance suite, which checks whether a bot follows the protocol, whatever its server and network do.
//!
//! Each [`Check`] starts the bot's program against a scripted server on its own port. The real server's referee and
//! conversions produce the events, so the bot gets what a real server would send. The modules in `scenarios` add the
//! faults: for instance, they cut the stream, repeat events, or send fields of a future version. The caller starts and
//! stops the program: see [`BotLauncher`].

mod bot_launcher;
mod bot_session;
mod check;
mod failure;
mod future_messages;
mod network;
mod play_service;
mod scenarios;
mod scripted_match;
mod scripted_server;
mod stage;
mod suite;

pub use bot_launcher::{BotEnd, BotEnvironment, BotLauncher, LaunchedBot, OutputTail};
pub use check::{CHECKS, Check, find_check};
pub use failure::CheckFailure;
pub use suite::{CheckOutcome, CheckVerdict, Suite};
