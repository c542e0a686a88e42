//! A bot that plays for the ally it declares.

use super::oracle::smallest_optimal_take;
use lastnim_client::{Bot, MatchInfo, MatchView};
use lastnim_core::game::Row;

/// Declares the next seat as its ally, or its dealt row if rows are dealt, and plays optimally for that row.
#[derive(Debug, Clone, Copy)]
pub struct Loyal;

/// The offset of the ally, which is the next seat.
pub(super) const ALLY_OFFSET: usize = 1;

impl Bot for Loyal {
    fn declare(&mut self, game: &MatchInfo) -> Row {
        game.dealt_row.clone().unwrap_or_else(|| Row::favouring(ALLY_OFFSET, game.seats()))
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(game.game(), game.position())
    }
}
