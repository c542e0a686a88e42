//! A bot that declares another seat as its ally, but plays for itself.

use super::{loyal::ALLY, oracle::smallest_optimal_take};
use lastnim_client::{Bot, MatchInfo, MatchView};
use lastnim_core::game::{AllianceMatrix, BySeat, Game, Row};

/// Declares the next seat as its ally, and plays as if its row were the standard one.
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
    let rows = BySeat::from_fn(seats, |seat| {
        if seat == game.seat { Row::standard(seats) } else { game.matrix()[seat].clone() }
    });
    let matrix = AllianceMatrix::from_rows(rows).expect("all rows have the same length");
    Game::new(game.piles.clone(), matrix, game.first.index(), game.ending).expect("the seats are the same")
}
