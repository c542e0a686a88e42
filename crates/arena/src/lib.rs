//! The live server: sessions, shards that own matches, and directors that run tournaments.
//!
//! The referee and the shards make all decisions; tasks only carry messages. A match never waits for a bot to read: its
//! messages go into a bounded queue for the bot's stream, and a bot that lets its queue fill up loses its session.

mod accounts;
mod arena;
mod bot_rates;
mod durability;
mod environment;
mod error;
mod hand_over;
mod ids;
mod limits;
mod matches;
mod measurements;
mod rate_limit;
mod recovery;
mod requests;
mod retention;
mod revision;
mod running_time;
mod sessions;
mod stopping;
#[cfg(test)]
mod tests;
mod tournaments;
mod wall_clock;

pub use accounts::bots::{BotView, NewBot};
pub use accounts::guests::{GuestMatch, guest_name, is_guest_name};
pub use accounts::keyring::Principal;
pub use arena::{Arena, Backend, generate_key};
pub use durability::{Durability, DurabilityError};
pub use environment::Environment;
pub use error::ArenaError;
pub use hand_over::HandOver;
pub use limits::Limits;
pub use matches::open_matches::{MatchWatch, NewMatch, audit_of_record};
pub use matches::shard::{ShardTally, WatchEvent};
pub use measurements::ArenaMeasurements;
pub use rate_limit::{Moment, RateLimit, RateUse, retry_seconds};
pub use requests::CreationRequest;
pub use retention::transcripts::NewTranscript;
pub use revision::Revision;
pub use sessions::open_seats::{OpenGame, OpenSeat};
pub use sessions::outbox::{CloseReason, OutboxStream, StreamClosed};
pub use sessions::session::Session;
pub use sessions::session_link::SessionLink;
pub use tournaments::activity::{
    AwaitedBot, MAX_LISTED_ACTIVITY, OpenMatchView, TimeLeft, TournamentActivity,
};
pub use tournaments::changes::NewTournament;
pub use tournaments::closed_oracle::OracleClosure;
pub use tournaments::interventions::{Intervention, VoidTarget};
pub use tournaments::manifest::{ListedMatches, ManifestSnapshot};
pub use tournaments::tournament_view::TournamentView;
pub use wall_clock::Standstills;

pub use lastnim_store::LatencyCounts;
