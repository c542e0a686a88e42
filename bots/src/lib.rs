//! The house bots, for practice.
//!
//! Each bot has its own file and implements the SDK's [`Bot`](lastnim_client::Bot), so house bots see only what other
//! bots see. [`resolve`] simulates tournaments between bots that err at known rates.

mod blunder_rate;
mod claim;
mod epsilon;
mod greedy;
mod grudger;
mod house_bot;
mod liar;
mod loyal;
mod mcts;
mod minimax;
mod mirror;
mod name_number;
mod negotiator;
mod oracle;
mod outlook;
mod plies;
#[cfg(test)]
mod practice_games;
#[cfg(test)]
mod practice_talk;
mod quiet_bot;
mod random;
mod resolution;
mod timid;
mod traitor;
mod turn_draw;

pub use blunder_rate::{BlunderRate, BlunderRateError};
pub use epsilon::Epsilon;
pub use greedy::Greedy;
pub use grudger::Grudger;
pub use house_bot::{HouseBot, HouseBotError};
pub use liar::Liar;
pub use loyal::Loyal;
pub use mcts::{Mcts, Playouts, PlayoutsError};
pub use minimax::Minimax;
pub use mirror::Mirror;
pub use negotiator::{Manner, Negotiator};
pub use oracle::Oracle;
pub use plies::{Plies, PliesError};
pub use quiet_bot::QuietBot;
pub use random::Random;
pub use resolution::{
    ERROR_PERCENTS, FirstPlaces, NeededSize, Resolution, ResolutionError, SizeUnit, play_to_standings,
    resolve,
};
pub use timid::Timid;
pub use traitor::Traitor;
