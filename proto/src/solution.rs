//! Writes solutions as messages.

use super::{game::take_range_messages, pb};
use lastnim_core::{game::Game, oracle::Solution};

impl From<&Game> for pb::SolveResponse {
    /// Solves the game and writes its solution.
    fn from(game: &Game) -> Self {
        let (solution, position) = (Solution::new(game), game.first_position());
        let winners = solution.winners(&position);
        let winner = winners[game.first_seat()];
        Self {
            winner: winner.into(),
            value: game.matrix.seats().distance_between(game.first_seat(), winner) as u32,
            winner_by_first: winners.iter().map(|&winner| winner.into()).collect(),
            optimal_takes: take_range_messages(&solution.optimal_takes(&position)),
            ending: pb::Ending::from(game.ending).into(),
        }
    }
}
