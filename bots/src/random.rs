//! A bot that takes a random number of counters.

use super::turn_draw::draw_of_turn;
use lastnim_client::{Bot, MatchView};

/// Makes a uniformly random legal take, and declares the standard row.
///
/// Each take depends on the seed, the match and the ply, but not on the order in which matches are played, so
/// tournaments are reproducible.
#[derive(Debug, Clone)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Creates a bot with a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl Bot for Random {
    fn play(&mut self, game: &MatchView) -> u64 {
        1 + draw_of_turn(self.seed, game).number_below(game.position().counters())
    }
}
