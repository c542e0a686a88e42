//! Plain backward induction over every position of a game.

use crate::game::{AllianceMatrix, BySeat, Game, Position, Seat};

/// The winner of every reachable position, for each seat to move.
///
/// Computed as `W_b(p) = best_p { W_0(p+1), ..., W_{b-1}(p+1) }`, in O(n S^2) time and O(n S) memory for n seats and S
/// counters in total.
#[derive(Debug, Clone)]
pub struct BackwardInduction {
    matrix: AllianceMatrix,
    /// The winner when no counter is left, for each seat to move.
    over: BySeat<Seat>,
    /// The winners for each seat to move, indexed by the last pile and by the number of counters left in it, from 0.
    winners: Vec<Vec<BySeat<Seat>>>,
}

impl BackwardInduction {
    /// Solves every position, in ascending order of the counters left.
    pub fn new(game: &Game) -> Self {
        let (matrix, seats) = (game.matrix.clone(), game.matrix.seats());
        let end_winners = BySeat::from_fn(seats, |seat| game.ending.winner(seat, seats));
        let mut winners: Vec<Vec<BySeat<Seat>>> = Vec::with_capacity(game.piles.len());
        for &counters in game.piles.as_slice() {
            let emptied = winners.last().and_then(|pile| pile.last()).unwrap_or(&end_winners).clone();
            let mut pile = vec![emptied];
            for _ in 0..counters {
                pile.push(BySeat::from_fn(seats, |seat| {
                    let options = pile.iter().map(|left| left[seats.next(seat)]);
                    options.min_by_key(|&winner| matrix.rank(seat, winner)).expect("a pile can be emptied")
                }));
            }
            winners.push(pile);
        }
        Self { matrix, over: end_winners, winners }
    }

    /// Returns the winner for each seat to move.
    ///
    /// # Panics
    /// If the position does not belong to the game.
    pub fn winners(&self, position: &Position) -> &BySeat<Seat> {
        if position.is_over() {
            return &self.over;
        }
        &self.winners[position.pile_index()][position.counters() as usize]
    }

    /// Returns the winner for the seat to move.
    ///
    /// # Panics
    /// If the position does not belong to the game.
    pub fn winner(&self, position: &Position) -> Seat {
        self.winners(position)[position.to_move()]
    }

    /// Returns every optimal take, in ascending order.
    ///
    /// # Panics
    /// If the position does not belong to the game.
    pub fn optimal_takes(&self, position: &Position) -> Vec<u64> {
        let rank_after = |take: &u64| {
            let mut after = position.clone();
            after.take(*take).expect("the take is in range");
            self.matrix.rank(position.to_move(), self.winner(&after))
        };
        let takes = 1..=position.counters();
        let best = takes.clone().map(|take| rank_after(&take)).min();
        takes.filter(|take| Some(rank_after(take)) == best).collect()
    }
}
