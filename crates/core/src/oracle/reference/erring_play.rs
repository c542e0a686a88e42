//! The outcome of play with random errors, computed directly from the definition.

use super::BackwardInduction;
use crate::game::{BySeat, Game, Position};
use std::collections::HashMap;

/// Returns the probability that each seat wins if the seats err at these rates. With the probability given by its rate,
/// a seat draws its take uniformly from all legal takes; otherwise, it draws uniformly from the optimal ones.
pub fn win_probabilities_with_errors(game: &Game, rates: &BySeat<f64>) -> BySeat<f64> {
    let mut play =
        ErringPlaySearch { game, rates, optimal: BackwardInduction::new(game), known: HashMap::new() };
    play.win_probabilities(&game.first_position())
}

struct ErringPlaySearch<'a> {
    game: &'a Game,
    rates: &'a BySeat<f64>,
    optimal: BackwardInduction,
    known: HashMap<Position, BySeat<f64>>,
}

impl ErringPlaySearch<'_> {
    #[expect(clippy::cast_precision_loss, reason = "the reference's piles are small")]
    fn win_probabilities(&mut self, position: &Position) -> BySeat<f64> {
        if let Some(known) = self.known.get(position) {
            return known.clone();
        }
        let (to_move, seats) = (position.to_move(), position.seats());
        let mut probabilities = BySeat::filled(seats, &0.0);
        if position.is_over() {
            probabilities[self.game.ending.winner(to_move, seats)] = 1.0;
        }
        let rate = self.rates[to_move];
        let optimal = self.optimal.optimal_takes(position);
        for take in 1..=position.counters() {
            let mut weight = rate / position.counters() as f64;
            if optimal.contains(&take) {
                weight += (1.0 - rate) / optimal.len() as f64;
            }
            let mut after = position.clone();
            after.take(take).expect("the take is in range");
            let after = self.win_probabilities(&after);
            for seat in seats.iter() {
                probabilities[seat] += weight * after[seat];
            }
        }
        self.known.insert(position.clone(), probabilities.clone());
        probabilities
    }
}
