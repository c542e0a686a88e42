//! The solution of one game, for any reachable position.

use super::{
    OptimalTakes, TakeRange,
    recurrence::{RankRecurrence, Ranks},
};
use crate::game::{AllianceMatrix, BySeat, Game, Piles, Position, Seat};
use std::iter;

/// The solution of a game: the winner and the optimal takes in every reachable position.
///
/// It stores the winners for every prefix of the piles, in 32 bytes per pile. A query about one position takes O(n^2)
/// time, whatever the number of piles.
#[derive(Debug, Clone)]
pub struct Solution {
    piles: Piles,
    matrix: AllianceMatrix,
    recurrence: RankRecurrence,
    /// The ranks when the untouched piles are the only piles, indexed by the number of these piles.
    prefixes: Box<[Ranks]>,
}

/// Takes that lead to the same winner under optimal play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TakeOutcome {
    /// The takes.
    pub takes: TakeRange,
    /// The winner after any of these takes.
    pub winner: Seat,
}

impl Solution {
    /// Solves a game, in O(N n^2) time for N piles and n seats.
    pub fn new(game: &Game) -> Self {
        let recurrence = RankRecurrence::of_matrix(&game.matrix);
        let mut prefixes = Vec::with_capacity(game.piles.len() + 1);
        let mut ranks = RankRecurrence::ranks_when_over(&game.matrix, game.ending);
        prefixes.push(ranks);
        for &counters in game.piles.as_slice() {
            ranks = recurrence.ranks_with_pile(&ranks, counters);
            prefixes.push(ranks);
        }
        Self {
            piles: game.piles.clone(),
            matrix: game.matrix.clone(),
            recurrence,
            prefixes: prefixes.into_boxed_slice(),
        }
    }

    /// Returns the winner under optimal play.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn winner(&self, position: &Position) -> Seat {
        RankRecurrence::winner(&self.matrix, &self.ranks(position), position.to_move())
    }

    /// Returns the winners under optimal play, by seat to move.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn winners(&self, position: &Position) -> BySeat<Seat> {
        RankRecurrence::solve_winners(&self.matrix, &self.ranks(position))
    }

    /// Returns all optimal takes of the seat to move; none if the game is over.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn optimal_takes(&self, position: &Position) -> OptimalTakes {
        let (mut best, mut takes) = (u8::MAX, OptimalTakes::default());
        for (range, rank) in self.ranks_after(position) {
            if rank < best {
                (best, takes) = (rank, OptimalTakes::default());
            }
            if rank == best {
                takes.prepend(range);
            }
        }
        takes
    }

    /// Returns the winner after each take, for at most n + 1 ranges of takes in ascending order, which together cover
    /// all legal takes.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn winners_after(&self, position: &Position) -> Vec<(TakeRange, Seat)> {
        let mut ranges: Vec<(TakeRange, Seat)> = Vec::new();
        for TakeOutcome { takes, winner } in self.take_outcomes(position) {
            match ranges.last_mut() {
                Some((later, same)) if *same == winner => later.lo = takes.lo,
                _ => ranges.push((takes, winner)),
            }
        }
        ranges.reverse();
        ranges
    }

    /// Returns the winner that each take leads to, in at most n + 1 outcomes, from the largest take to the smallest.
    /// Neighbouring outcomes may have the same winner. Empty if the game is over.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn take_outcomes(&self, position: &Position) -> impl Iterator<Item = TakeOutcome> {
        let mover = position.to_move();
        self.ranks_after(position).map(move |(takes, rank)| {
            let offset = self.matrix[mover].offsets()[usize::from(rank)];
            TakeOutcome { takes, winner: self.matrix.seats().seat_at_offset(mover, offset.into()) }
        })
    }

    /// Returns ranges of takes, in descending order, each with the rank that the seat to move gives to the winner after
    /// these takes.
    fn ranks_after(&self, position: &Position) -> impl Iterator<Item = (TakeRange, u8)> {
        let (mover, counters) = (position.to_move(), position.counters());
        let mut by_counters = self.recurrence.ranks_by_counters(self.ranks_of_prefix(position)).peekable();
        let mut fewest = 0..counters;
        iter::from_fn(move || {
            let fewest = fewest.next()?;
            let ranks = by_counters.next()?;
            // The last ranks also apply to every larger number of counters.
            let most = if by_counters.peek().is_some() { fewest } else { counters - 1 };
            let range = TakeRange { lo: counters - most, hi: counters - fewest };
            Some((range, self.recurrence.rank_after(&ranks, mover)))
        })
    }

    fn ranks(&self, position: &Position) -> Ranks {
        let prefix = self.ranks_of_prefix(position);
        match position.counters() {
            0 => *prefix,
            counters => self.recurrence.ranks_with_pile(prefix, counters),
        }
    }

    fn ranks_of_prefix(&self, position: &Position) -> &Ranks {
        let untouched = position.untouched_piles();
        assert_eq!(position.seats(), self.matrix.seats(), "the position has as many seats as the game");
        debug_assert!(self.piles.as_slice().starts_with(untouched), "the position belongs to the game");
        &self.prefixes[untouched.len()]
    }
}
