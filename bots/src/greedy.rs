//! A bot that takes as many counters as it can.

use lastnim_client::{Bot, MatchView};

/// Takes the whole pile, and declares the standard row.
#[derive(Debug, Clone, Copy)]
pub struct Greedy;

impl Bot for Greedy {
    fn play(&mut self, game: &MatchView) -> u64 {
        game.position().counters()
    }
}
