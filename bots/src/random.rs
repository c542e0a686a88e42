//! A bot that takes any number of counters.

use super::turn_draw::draw_of_turn;
use lastnim_client::{Bot, MatchView};

/// Takes any legal number of counters, each equally likely, and declares the standard row.
///
/// What it takes follows from its seed, the match and the ply, never from the order in which matches happen to be
/// played: the same tournament played again is the same.
#[derive(Debug, Clone)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Makes a bot whose takes follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl Bot for Random {
    fn play(&mut self, game: &MatchView) -> u64 {
        1 + draw_of_turn(self.seed, game).number_below(game.position().counters())
    }
}
