//! What is live: sessions, match tasks, the director that runs tournaments.
//!
//! The referee decides; the tasks here only carry. A match never waits for a bot: what it has to say goes into a
//! bounded queue before the bot's stream, and a bot that lets its queue fill up loses its session.

mod arena;
mod bot_ends;
mod bots;
mod catch_up;
mod cpu_times;
mod cross_table_queue;
mod cross_tables;
mod director;
mod durability;
mod error;
mod ids;
mod joining;
mod keyring;
mod limits;
mod match_handle;
mod match_overview;
mod match_task;
mod matches;
mod open_records;
mod outbox;
mod ranking;
mod rating;
mod recovery;
mod roster;
mod running_time;
mod session;
mod session_link;
mod stopping;
#[cfg(test)]
mod tests;
mod tournament_handle;
mod tournaments;
mod version_history;
mod wall_clock;

pub use arena::{Arena, Backend, draw_key};
pub use bots::BotView;
pub use durability::{Durability, DurabilityError};
pub use error::ArenaError;
pub use keyring::Principal;
pub use limits::Limits;
pub use match_handle::Watched;
pub use matches::MatchWatch;
pub use outbox::{Closed, Closing, OutboxStream};
pub use session::Session;
pub use tournament_handle::TournamentView;
pub use tournaments::NewTournament;
