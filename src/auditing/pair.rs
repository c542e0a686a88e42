//! What the takes of one bot came to for another.

use super::{Favour, estimate::real, favour_tally::FavourTally};
use crate::game::BotName;

/// What the takes of one bot came to for another, over the matches that both played.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFindings {
    /// The bot that moved.
    pub mover: BotName,
    /// The bot that gained or paid.
    pub other: BotName,
    /// The matches that both played.
    pub matches: u64,
    /// The ranks that takes of the mover cost the other.
    pub cost: u64,
    /// The ranks that takes of the mover gave the other.
    pub gave: u64,
    /// Whether the mover's errors favour the other beyond what others in its place get.
    pub favour: Favour,
}

impl PairFindings {
    /// Returns the ranks that the mover cost the other less those that it gave it: their entry in the ledger.
    pub fn ledger(&self) -> i64 {
        self.cost.cast_signed() - self.gave.cast_signed()
    }

    /// Returns the same for a match.
    pub fn ledger_per_match(&self) -> f64 {
        real(self.ledger()) / real(self.matches.max(1).cast_signed())
    }
}

/// The same, as it comes together.
#[derive(Debug, Clone)]
pub(super) struct PairTally {
    pub(super) matches: u64,
    pub(super) cost: u64,
    pub(super) gave: u64,
    pub(super) favour: FavourTally,
}

impl PairTally {
    pub(super) fn new() -> Self {
        Self { matches: 0, cost: 0, gave: 0, favour: FavourTally::new() }
    }

    /// Enters what a take cost the other; what it gave is negative.
    pub(super) fn enter(&mut self, cost: i32) {
        let ranks = u64::from(cost.unsigned_abs());
        if cost > 0 {
            self.cost += ranks;
        } else {
            self.gave += ranks;
        }
    }
}
