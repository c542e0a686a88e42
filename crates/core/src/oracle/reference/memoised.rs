//! Memoised search from one position.

use crate::game::{Game, Seat};
use std::collections::HashMap;

/// Returns the winner under optimal play, by searching each option of each position once.
///
/// A position is identified by the number of untouched piles, the counters left in the pile after them, and the seat to
/// move. The recursion is as deep as the number of counters, so use this for at most a few thousand counters.
pub fn memoised_winner(game: &Game) -> Seat {
    let mut search = MemoisedSearch { game, known: HashMap::new() };
    match game.piles.as_slice().split_last() {
        Some((&counters, untouched)) => search.winner(untouched.len(), counters, game.first_seat()),
        None => game.ending.winner(game.first_seat(), game.matrix.seats()),
    }
}

struct MemoisedSearch<'a> {
    game: &'a Game,
    known: HashMap<(usize, u64, Seat), Seat>,
}

impl MemoisedSearch<'_> {
    fn winner(&mut self, untouched: usize, counters: u64, mover: Seat) -> Seat {
        if let Some(&winner) = self.known.get(&(untouched, counters, mover)) {
            return winner;
        }
        let matrix = &self.game.matrix;
        let next = matrix.seats().next(mover);
        let best = (0..counters)
            .map(|left| self.winner_after(untouched, left, next))
            .min_by_key(|&winner| matrix.rank(mover, winner))
            .expect("the pile in play is not empty");
        self.known.insert((untouched, counters, mover), best);
        best
    }

    fn winner_after(&mut self, untouched: usize, left: u64, mover: Seat) -> Seat {
        match (left, untouched) {
            (0, 0) => self.game.ending.winner(mover, self.game.matrix.seats()),
            (0, _) => self.winner(untouched - 1, self.game.piles.as_slice()[untouched - 1], mover),
            _ => self.winner(untouched, left, mover),
        }
    }
}
