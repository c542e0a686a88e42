//! What is live: sessions, the shards that own matches, the director that runs tournaments.
//!
//! The referee and the shards decide; the tasks here only carry. A match never waits for a bot: what it has to say goes into a
//! bounded queue before the bot's stream, and a bot that lets its queue fill up loses its session.

mod activity;
mod arena;
mod bots;
mod closed_oracle;
mod cpu_times;
mod cross_table_queue;
mod cross_tables;
mod director;
mod durability;
mod end_notifications;
mod ended_tournaments;
mod environment;
mod error;
mod guests;
mod ids;
mod interventions;
mod join_queue;
mod keyring;
mod limits;
mod live_standings;
mod longest_match;
mod manifest;
mod match_handle;
mod match_pace;
mod matches;
mod measurements;
mod missed_ends;
mod open_records;
mod open_seats;
mod outbox;
mod practice;
mod pruning;
mod rating;
mod recovery;
mod retention;
mod revision;
mod roster;
mod running_time;
mod session;
mod session_chores;
mod session_link;
mod shard;
mod stopping;
#[cfg(test)]
mod tests;
mod tournament_handle;
mod tournament_view;
mod tournaments;
mod transcripts;
mod unanswered_pings;
mod version_history;
mod wake_gate;
mod wall_clock;

pub use activity::{AwaitedBot, MAX_LISTED_ACTIVITY, OpenMatchView, TimeLeft, TournamentActivity};
pub use arena::{Arena, Backend, generate_key};
pub use bots::BotView;
pub use closed_oracle::OracleClosure;
pub use durability::{Durability, DurabilityError};
pub use environment::Environment;
pub use error::ArenaError;
pub use guests::{guest_name, is_guest_name};
pub use interventions::{Intervention, VoidTarget};
pub use keyring::Principal;
pub use limits::Limits;
pub use manifest::{ListedMatches, ManifestSnapshot};
pub use matches::MatchWatch;
pub use measurements::ArenaMeasurements;
pub use open_seats::{OpenHand, OpenSeat};
pub use outbox::{CloseReason, OutboxStream, StreamClosed};
pub use practice::next_clear_time;
pub use revision::Revision;
pub use session::Session;
pub use session_link::SessionLink;
pub use shard::{ShardTally, WatchEvent};
pub use tournament_view::TournamentView;
pub use tournaments::NewTournament;
pub use transcripts::NewTranscript;
pub use wall_clock::Standstills;

pub use lastnim_store::LatencyCounts;
