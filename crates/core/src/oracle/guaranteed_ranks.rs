//! The rank that a seat can guarantee itself, whatever the others do.

use crate::game::{Game, MAX_SEATS, Position, Seat, SeatCount};
use crate::oracle::TakeRange;
use std::iter;

/// The rank of the winner in the row of the guarded seat, indexed by the seat to move; 0 beyond the last seat.
type OpposedRanks = [u8; MAX_SEATS];

/// The rank that one seat can guarantee itself against all others together, in every position of a game.
///
/// All others play as one opponent who wants the guarded seat's rank to be as bad as possible. With perfect information
/// and two opposed sides, backward induction gives the minimax value: the seat can secure this rank, and the others can
/// deny it a better one. The same rank results from optimal play if the order in every other row is the reverse of the
/// guarded seat's order. So the guaranteed rank is never better than the predicted rank, and the cap theorem applies: a
/// pile of x counters is worth min(x, n). Solving a game takes O(N n^2) time and 32 bytes per pile.
#[derive(Debug, Clone)]
pub struct GuaranteedRanks {
    seat: Seat,
    seats: SeatCount,
    /// The ranks when the untouched piles are the only piles, indexed by the number of these piles.
    prefixes: Box<[OpposedRanks]>,
}

impl GuaranteedRanks {
    /// Solves a game for one guarded seat.
    ///
    /// # Panics
    /// If the game has no such seat.
    pub fn of_seat(game: &Game, seat: Seat) -> Self {
        let seats = game.matrix.seats();
        let mut ranks = [0; MAX_SEATS];
        for to_move in seats.iter() {
            ranks[to_move.index()] = game.matrix.rank(seat, game.ending.winner(to_move, seats)) as u8;
        }
        let mut solved = Self { seat, seats, prefixes: Box::default() };
        let mut prefixes = Vec::with_capacity(game.piles.len() + 1);
        prefixes.push(ranks);
        for &counters in game.piles.as_slice() {
            ranks = solved.ranks_with_pile(&ranks, counters);
            prefixes.push(ranks);
        }
        solved.prefixes = prefixes.into_boxed_slice();
        solved
    }

    /// Returns the guarded seat.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the rank that the seat can guarantee itself, 0 (best) to n-1 in its own row.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn rank(&self, position: &Position) -> u32 {
        let prefix = self.ranks_of_prefix(position);
        let to_move = position.to_move().index();
        u32::from(match position.counters() {
            0 => prefix[to_move],
            counters => self.ranks_with_pile(prefix, counters)[to_move],
        })
    }

    /// Returns the rank that the seat can still guarantee itself after each take, for at most n + 1 ranges of takes,
    /// from the largest take to the smallest. Neighbouring ranges may have the same rank. Empty if the game is over.
    ///
    /// # Panics
    /// If the position does not belong to this game.
    pub fn ranks_after(&self, position: &Position) -> impl Iterator<Item = (TakeRange, u32)> {
        let next = self.seats.next(position.to_move()).index();
        let counters = position.counters();
        let mut by_counters = self.ranks_by_counters(self.ranks_of_prefix(position)).peekable();
        let mut fewest = 0..counters;
        iter::from_fn(move || {
            let fewest = fewest.next()?;
            let ranks = by_counters.next()?;
            // The last ranks also apply to every larger number of counters.
            let most = if by_counters.peek().is_some() { fewest } else { counters - 1 };
            let takes = TakeRange { lo: counters - most, hi: counters - fewest };
            Some((takes, ranks[next].into()))
        })
    }

    fn ranks_of_prefix(&self, position: &Position) -> &OpposedRanks {
        assert_eq!(position.seats(), self.seats, "the position has as many seats as the game");
        &self.prefixes[position.untouched_piles().len()]
    }

    /// Returns the ranks with a last pile of `counters`, at least 1; without that pile, the ranks are `empty`.
    fn ranks_with_pile(&self, empty: &OpposedRanks, counters: u64) -> OpposedRanks {
        let limit = usize::try_from(counters).unwrap_or(usize::MAX);
        let by_counters = self.ranks_by_counters(empty).take(limit.saturating_add(1));
        by_counters.last().expect("the ranks with 0 counters always exist")
    }

    /// Returns the ranks with 0, 1, ... counters in the last pile, until the ranks stop changing.
    fn ranks_by_counters(&self, empty: &OpposedRanks) -> impl Iterator<Item = OpposedRanks> {
        let if_changed = |more: OpposedRanks, ranks: &OpposedRanks| (more != *ranks).then_some(more);
        let first = if_changed(self.ranks_handed_over(empty), empty);
        let more =
            iter::successors(first, move |ranks| if_changed(self.ranks_with_another_counter(ranks), ranks));
        iter::once(*empty).chain(more)
    }

    /// Returns, for each seat to move, the rank that results if it hands a position with `ranks` over to the next seat.
    fn ranks_handed_over(&self, ranks: &OpposedRanks) -> OpposedRanks {
        let n = self.seats.get();
        let mut after = [0; MAX_SEATS];
        after[..n - 1].copy_from_slice(&ranks[1..n]);
        after[n - 1] = ranks[0];
        after
    }

    /// Returns the ranks with b counters, `b >= 2`, from those with b - 1. Of the two ranks that it can reach, the
    /// guarded seat picks the better one, and every other seat picks the worse one.
    fn ranks_with_another_counter(&self, ranks: &OpposedRanks) -> OpposedRanks {
        let handed_over = self.ranks_handed_over(ranks);
        let mut after = handed_over;
        for (after, &before) in after.iter_mut().zip(ranks) {
            *after = before.max(*after);
        }
        let seat = self.seat.index();
        after[seat] = ranks[seat].min(handed_over[seat]);
        after
    }
}
