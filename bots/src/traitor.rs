//! A bot that declares another seat as its ally, but plays for itself.

use super::{loyal::ALLY_OFFSET, oracle::smallest_optimal_take};
use lastnim_client::{Bot, MatchInfo, MatchView};
use lastnim_core::game::{Game, Row};

/// Declares the next seat as its ally, but plays as if it had declared the standard row. If rows are dealt, it declares
/// its dealt row and plays for it.
#[derive(Debug, Clone, Copy)]
pub struct Traitor;

impl Bot for Traitor {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        game.dealt_row.clone().unwrap_or_else(|| Row::favouring(ALLY_OFFSET, game.seats()))
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(&game_with_own_row(game), game.position())
    }
}

fn game_with_own_row(game: &MatchView) -> Game {
    let matrix = game.matrix().clone().with_row(game.seat, game.honest_row());
    Game::new(game.piles.clone(), matrix, game.first.index(), game.ending).expect("the seats are the same")
}
