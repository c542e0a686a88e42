//! A bot that never errs.

use super::claim::claim_once;
use lastnim_client::{Bot, MatchInfo, MatchView, Message, TalkRound};
use lastnim_core::{
    game::{Game, Position},
    oracle::Solution,
};

/// Makes the smallest optimal take, and declares its dealt row, or the standard row if no rows are dealt. In talk, it
/// claims its dealt row.
#[derive(Debug, Clone, Copy)]
pub struct Oracle;

impl Bot for Oracle {
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        claim_once(round, MatchInfo::honest_row)
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(game.game(), game.position())
    }
}

/// Returns the smallest optimal take for the seat to move.
pub(super) fn smallest_optimal_take(game: &Game, position: &Position) -> u64 {
    smallest_optimal_take_of(&Solution::new(game), position)
}

/// Returns the smallest optimal take for the seat to move in a solved game.
pub(super) fn smallest_optimal_take_of(solution: &Solution, position: &Position) -> u64 {
    solution.optimal_takes(position).smallest().expect("an unfinished position has an optimal take")
}
