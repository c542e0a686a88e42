//! The solution of one game, for any position that it may come to.

use super::{
    OptimalTakes, TakeRange,
    recurrence::{RankRecurrence, Ranks},
};
use crate::game::{AllianceMatrix, BySeat, Game, Piles, Position, Seat};
use std::iter;

/// The solution of a game: who wins under optimal play, and by which takes, in every position that the game may come to.
///
/// It keeps the winners left by every prefix of the piles, so that a position costs O(n^2), however many piles there
/// are. It takes 32 bytes a pile.
#[derive(Debug, Clone)]
pub struct Solution {
    piles: Piles,
    matrix: AllianceMatrix,
    recurrence: RankRecurrence,
    /// By number of untouched piles: what they are worth with nothing behind them.
    prefixes: Box<[Ranks]>,
}

/// Takes that lead to the same winner under optimal play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TakeOutcome {
    /// The takes.
    pub takes: TakeRange,
    /// The winner after any of them.
    pub winner: Seat,
}

impl Solution {
    /// Solves a game, in O(N n^2).
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

    /// Returns the seat that wins under optimal play.
    ///
    /// # Panics
    /// If the position is none of this game.
    pub fn winner(&self, position: &Position) -> Seat {
        RankRecurrence::winner(&self.matrix, &self.ranks(position), position.to_move())
    }

    /// Returns, by the seat that is put to move, the seat that wins under optimal play.
    ///
    /// # Panics
    /// If the position is none of this game.
    pub fn winners(&self, position: &Position) -> BySeat<Seat> {
        RankRecurrence::solve_winners(&self.matrix, &self.ranks(position))
    }

    /// Returns all optimal takes of the seat to move; none if the game is over.
    ///
    /// # Panics
    /// If the position is none of this game.
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

    /// Returns the winner that each take leads to, in ranges of takes that lead to the same one: in rising order, all takes
    /// from 1 to the counters of the pile in play, and at most n + 1 ranges.
    ///
    /// # Panics
    /// If the position is none of this game.
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

    /// Returns what each take of the seat to move leads to, from the largest take to the smallest: at most n + 1 outcomes,
    /// of which neighbours may have the same winner; none if the game is over.
    ///
    /// # Panics
    /// If the position is none of this game.
    pub fn take_outcomes(&self, position: &Position) -> impl Iterator<Item = TakeOutcome> {
        let mover = position.to_move();
        self.ranks_after(position).map(move |(takes, rank)| {
            let offset = self.matrix[mover].offsets()[usize::from(rank)];
            TakeOutcome { takes, winner: self.matrix.seats().seat_at_offset(mover, offset.into()) }
        })
    }

    /// Returns, in falling order, takes that leave what is worth the same, and the winner's rank for the seat to move.
    fn ranks_after(&self, position: &Position) -> impl Iterator<Item = (TakeRange, u8)> {
        let (mover, counters) = (position.to_move(), position.counters());
        let mut by_counters = self.recurrence.ranks_by_counters(self.ranks_of_prefix(position)).peekable();
        let mut fewest = 0..counters;
        iter::from_fn(move || {
            let fewest = fewest.next()?;
            let ranks = by_counters.next()?;
            // The last of them speaks for every higher number of counters as well.
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
        assert_eq!(position.seats(), self.matrix.seats(), "a position of a game with other seats");
        debug_assert!(self.piles.as_slice().starts_with(untouched), "a position of another game");
        &self.prefixes[untouched.len()]
    }
}
