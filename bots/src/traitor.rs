//! A bot that declares another seat as its ally, but plays for itself.

use super::{loyal::ALLY, oracle::smallest_optimal_take};
use lastnim_client::{Bot, MatchInfo, MatchView};
use lastnim_core::game::{Game, Row};

/// Declares the next seat as its ally, but plays as if it had declared the standard row.
#[derive(Debug, Clone, Copy)]
pub struct Traitor;

impl Bot for Traitor {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        Row::favouring(ALLY, game.seats())
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(&game_with_standard_row(game), game.position())
    }
}

fn game_with_standard_row(game: &MatchView) -> Game {
    let seats = game.seats();
    let matrix = game.matrix().clone().with_row(game.seat, Row::standard(seats));
    Game::new(game.piles.clone(), matrix, game.first.index(), game.ending).expect("the seats are the same")
}
