//! The representation of winners as ranks, and the recurrence that computes every solution.

use crate::game::{AllianceMatrix, BySeat, Ending, MAX_SEATS, Seat};
use std::iter;

/// For each seat, the rank of the winner in that seat's row if that seat is to move; 0 beyond the last seat.
pub type Ranks = [u8; MAX_SEATS];

/// The largest rank, whose binary digits are all ones. So masking a rank with it changes nothing, but avoids a bounds
/// check.
const RANK_MASK: usize = MAX_SEATS - 1;

/// The tables of how passing the turn changes ranks: for each seat `p`, `T_p[r]` is the rank for `p` of the winner that
/// has rank `r` for seat `p+1`.
///
/// Let `W_b(p)` be the winner when seat `p` is to move and `b` counters are left in the last pile, and let `R_b(p)` be
/// the rank of that winner for `p`. Then the definition of optimal play becomes `R_1(p) = T_p[R_0(p+1)]` and `R_b(p) =
/// min(R_{b-1}(p), T_p[R_{b-1}(p+1)])`.
#[derive(Debug, Clone)]
pub struct RankRecurrence(Box<[Ranks]>);

impl RankRecurrence {
    /// Computes the tables for a matrix.
    pub fn of_matrix(matrix: &AllianceMatrix) -> Self {
        let n = matrix.seats().get();
        let rows = matrix.rows().as_slice();
        let table = (0..n).map(|seat| {
            let (mover, next) = (&rows[seat], &rows[(seat + 1) % n]);
            let mut ranks = [0; MAX_SEATS];
            for (rank, &offset) in ranks.iter_mut().zip(next.offsets()) {
                *rank = mover.rank_of_offset((usize::from(offset) + 1) % n) as u8;
            }
            ranks
        });
        Self(table.collect())
    }

    /// Returns `R_0` for the first pile: the ranks of the winners when no counter is left.
    pub fn ranks_when_over(matrix: &AllianceMatrix, ending: Ending) -> Ranks {
        let mut ranks = [0; MAX_SEATS];
        for (seat, row) in matrix.rows().enumerate() {
            ranks[seat.index()] = row.rank(seat, ending.winner(seat, matrix.seats())) as u8;
        }
        ranks
    }

    /// Returns the winner for each seat to move.
    pub fn solve_winners(matrix: &AllianceMatrix, ranks: &Ranks) -> BySeat<Seat> {
        BySeat::from_fn(matrix.seats(), |seat| Self::winner(matrix, ranks, seat))
    }

    /// Returns the winner when `seat` is to move.
    pub fn winner(matrix: &AllianceMatrix, ranks: &Ranks, seat: Seat) -> Seat {
        let offset = matrix[seat].offsets()[usize::from(ranks[seat.index()])];
        matrix.seats().seat_at_offset(seat, usize::from(offset))
    }

    /// Returns the rank, for `seat`, of the winner when the seat after it is to move.
    pub fn rank_after(&self, ranks: &Ranks, seat: Seat) -> u8 {
        let next = if seat.index() + 1 == self.0.len() { 0 } else { seat.index() + 1 };
        self.0[seat.index()][usize::from(ranks[next]) & RANK_MASK]
    }

    /// Returns `R_1`, computed from `R_0`: the mover can only empty the pile.
    ///
    /// `R_1` equals `R_0` if and only if the winner does not depend on which seat is to move.
    pub fn ranks_with_one_counter(&self, ranks: &Ranks) -> Ranks {
        let mut after = [0; MAX_SEATS];
        let next = ranks[1..self.0.len()].iter().chain(&ranks[..1]);
        for ((after, handed), &next) in after.iter_mut().zip(&self.0).zip(next) {
            *after = handed[usize::from(next) & RANK_MASK];
        }
        after
    }

    /// Returns `R_b`, computed from `R_{b-1}`, for `b >= 2`: the mover may also leave `b-1` counters.
    pub fn ranks_with_another_counter(&self, ranks: &Ranks) -> Ranks {
        let mut after = self.ranks_with_one_counter(ranks);
        for (after, &before) in after.iter_mut().zip(ranks) {
            *after = before.min(*after);
        }
        after
    }

    /// Returns the ranks with 0, 1, ... counters in the last pile, until the ranks stop changing.
    ///
    /// There are at most n + 1 of them, whatever the number of counters (the cap theorem: `W_b = W_n` for `b >= n`).
    pub fn ranks_by_counters(&self, empty: &Ranks) -> impl Iterator<Item = Ranks> {
        let if_changed = |more: Ranks, ranks: &Ranks| (more != *ranks).then_some(more);
        let first = if_changed(self.ranks_with_one_counter(empty), empty);
        let more =
            iter::successors(first, move |ranks| if_changed(self.ranks_with_another_counter(ranks), ranks));
        iter::once(*empty).chain(more)
    }

    /// Returns the ranks with a last pile of `counters`; without that pile, the ranks are `empty`.
    pub fn ranks_with_pile(&self, empty: &Ranks, counters: u64) -> Ranks {
        let limit = usize::try_from(counters).unwrap_or(usize::MAX);
        self.ranks_by_counters(empty)
            .take(limit.saturating_add(1))
            .last()
            .expect("the ranks with 0 counters always exist")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SeatCount;

    #[test]
    fn ranks_change_at_most_n_times() {
        let mut longest = 0;
        for seats in 2..=MAX_SEATS {
            let seats = SeatCount::new(seats).unwrap();
            let matrix = AllianceMatrix::standard(seats);
            let recurrence = RankRecurrence::of_matrix(&matrix);
            let mut ranks = RankRecurrence::ranks_when_over(&matrix, Ending::ToMoveWins);
            for _ in 0..3 * seats.get() {
                let changes = recurrence.ranks_by_counters(&ranks).count() - 1;
                assert!(changes <= seats.get());
                longest = longest.max(changes);
                ranks = recurrence.ranks_with_pile(&ranks, 1);
            }
        }
        assert!(longest >= 2);
    }

    #[test]
    fn a_constant_vector_is_a_fixed_point() {
        let rows = [vec![1, 0, 2], vec![0, 1, 2], vec![2, 1, 0]];
        let matrix = AllianceMatrix::parse(&rows).unwrap();
        let recurrence = RankRecurrence::of_matrix(&matrix);
        let one = matrix.seats().seat(1).unwrap();
        let mut ranks = [0; MAX_SEATS];
        for seat in matrix.seats().iter() {
            ranks[seat.index()] = matrix.rank(seat, one) as u8;
        }
        assert_eq!(recurrence.ranks_with_one_counter(&ranks), ranks);
        assert_eq!(recurrence.ranks_with_pile(&ranks, u64::MAX), ranks);
    }
}
