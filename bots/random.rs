//! A bot that takes any number of counters.

use crate::{
    client::{Bot, MatchView},
    tournament::SeededDraw,
};

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
        let (number, seat) = (game.origin.as_ref().map_or(0, |of| of.number), game.seat.index() as u64);
        let ply = u64::from(game.ply());
        let of = [self.seed, number, seat, ply].into_iter().chain(game.piles.as_slice().iter().copied());
        1 + SeededDraw::from_numbers(of).number_below(game.position().counters())
    }
}
