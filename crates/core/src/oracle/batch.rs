//! Solves many positions under one alliance matrix and ending.

use super::{
    recurrence::{RankRecurrence, Ranks},
    winners::winners_of_piles,
};
use crate::game::{AllianceMatrix, BySeat, Ending, Seat, SeatCount};
use std::{array, collections::HashMap, fmt, num::NonZero, ops::Index};

/// An index into the tables: the number of a worth times the width of a table row, plus a number of counters or a seat.
type TableIndex = u16;

/// The length of each table, chosen so that every [`TableIndex`] is in bounds.
const TABLE_LENGTH: usize = 1 << TableIndex::BITS;

/// Marks transitions that have not been computed yet. All transitions from it lead back to it, so a single unknown
/// transition makes the result of a whole look-up unknown.
const UNKNOWN: TableIndex = 0;

/// The number of positions that are solved in parallel.
const POSITIONS_PER_GROUP: usize = 4;

/// Solves many positions under one alliance matrix and ending.
///
/// The worth of a sequence of piles says, for each seat, who wins if that seat is to move. Together with min(x, n), it
/// determines the worth after a pile of `x` counters is appended (the cap theorem), and few different worths occur
/// under one matrix. So this solver is a finite automaton that reads each pile with one look-up. It is built lazily,
/// which costs as much as one call of [`solve_winners`](super::solve_winners) for every few look-ups, so it pays off
/// from a few hundred positions on. Its tables have 65,536 entries each and take 200 to 500 KB in total. Positions that
/// would need larger tables, which occur from about ten seats on, are solved one by one.
///
/// ```
/// use lastnim_core::{game::{AllianceMatrix, Ending, SeatCount}, oracle::BatchSolver};
///
/// let seats = SeatCount::new(4).unwrap();
/// let mut batch = BatchSolver::new(&AllianceMatrix::standard(seats), Ending::ToMoveWins);
/// let first = seats.seat(2).unwrap();
/// let mut winners = Vec::new();
/// batch.solve_positions(&[[4, 3], [1, 2], [7, 0]], |position| winners.push(position[first].index()));
/// assert_eq!(winners, [0, 0, 3]);
/// ```
#[derive(Clone)]
pub struct BatchSolver {
    matrix: AllianceMatrix,
    ending: Ending,
    recurrence: RankRecurrence,
    seats: SeatCount,
    /// The base 2 logarithm of the width of a table row, which has an entry for each number of counters from 0 to n.
    row_bits: u32,
    /// The table index for no piles.
    empty: TableIndex,
    /// The worth after a pile is appended, indexed by the worth before that and the counters of the pile.
    next: Box<[TableIndex; TABLE_LENGTH]>,
    /// The winners, indexed by worth and first seat. The row of [`UNKNOWN`] contains the winners of the last position
    /// that did not fit into the tables.
    winners: Box<[Seat; TABLE_LENGTH]>,
    /// The ranks that make up each worth, indexed by the number of the worth.
    ranks: Vec<Ranks>,
    /// The table index of each worth, by the ranks that make it up.
    index_by_ranks: HashMap<Ranks, TableIndex>,
}

/// The winners of one position under optimal play, by first seat.
#[derive(Clone, Copy)]
pub struct WinnersByFirst<'a> {
    all: &'a [Seat; TABLE_LENGTH],
    index: TableIndex,
    seats: SeatCount,
}

impl BatchSolver {
    /// Creates a solver for a matrix and an ending, in a few microseconds.
    pub fn new(matrix: &AllianceMatrix, ending: Ending) -> Self {
        let n = matrix.seats().get();
        let end_ranks = RankRecurrence::ranks_when_over(matrix, ending);
        let mut batch = Self {
            matrix: matrix.clone(),
            ending,
            recurrence: RankRecurrence::of_matrix(matrix),
            seats: matrix.seats(),
            row_bits: (n + 1).next_power_of_two().trailing_zeros(),
            empty: UNKNOWN,
            next: vec![UNKNOWN; TABLE_LENGTH].try_into().expect("the length is right"),
            winners: vec![Seat::FIRST; TABLE_LENGTH].try_into().expect("the length is right"),
            ranks: vec![end_ranks],
            index_by_ranks: HashMap::new(),
        };
        batch.empty = batch.index_of_ranks(&end_ranks);
        batch
    }

    /// Solves a position.
    ///
    /// The last pile is in play. Empty piles are ignored, and a pile may have any number of counters.
    pub fn solve_position(&mut self, piles: &[u64]) -> WinnersByFirst<'_> {
        self.winners_at(piles, self.index_after_piles(self.empty, piles))
    }

    /// Solves positions in order and passes the winners of each to `answer`.
    ///
    /// This is faster than calling [`solve_position`](Self::solve_position) for each position, since it solves several
    /// positions in parallel. It is fastest if all positions have the same number of piles.
    pub fn solve_positions<P: AsRef<[u64]>>(
        &mut self,
        positions: &[P],
        mut answer: impl FnMut(WinnersByFirst<'_>),
    ) {
        let (groups, rest) = positions.as_chunks();
        for group in groups {
            self.solve_group(group.each_ref().map(AsRef::as_ref), &mut answer);
        }
        for piles in rest {
            answer(self.solve_position(piles.as_ref()));
        }
    }

    /// Solves positions of `piles` piles each, which follow each other in `counters`, and passes the winners of each to
    /// `answer`, in order.
    ///
    /// # Panics
    /// If the last position is incomplete.
    pub fn solve_rows(
        &mut self,
        piles: NonZero<usize>,
        counters: &[u64],
        mut answer: impl FnMut(WinnersByFirst<'_>),
    ) {
        let piles = piles.get();
        assert!(counters.len().is_multiple_of(piles), "{} counters in rows of {piles}", counters.len());
        let mut groups = counters.chunks_exact(POSITIONS_PER_GROUP * piles);
        for group in groups.by_ref() {
            self.solve_group(array::from_fn(|lane| &group[lane * piles..][..piles]), &mut answer);
        }
        for row in groups.remainder().chunks_exact(piles) {
            answer(self.solve_position(row));
        }
    }

    #[inline]
    fn solve_group(
        &mut self,
        positions: [&[u64]; POSITIONS_PER_GROUP],
        answer: &mut impl FnMut(WinnersByFirst<'_>),
    ) {
        let indices = self.indices_after_piles(positions);
        for (piles, index) in positions.into_iter().zip(indices) {
            answer(self.winners_at(piles, index));
        }
    }

    /// Returns the table indices that several positions lead to, each starting from `empty`, the index for no piles.
    ///
    /// The steps of one position depend on each other, but a processor can interleave the steps of different positions.
    #[inline]
    fn indices_after_piles(
        &self,
        positions: [&[u64]; POSITIONS_PER_GROUP],
    ) -> [TableIndex; POSITIONS_PER_GROUP] {
        let [a, b, c, d] = positions;
        let all_have = a.len().min(b.len()).min(c.len()).min(d.len());
        let mut indices = [self.empty; POSITIONS_PER_GROUP];
        for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
            let counters = [a, b, c, d];
            indices = array::from_fn(|lane| self.index_after_pile(indices[lane], counters[lane]));
        }
        array::from_fn(|lane| self.index_after_piles(indices[lane], &positions[lane][all_have..]))
    }

    /// Returns the table index that is reached from `index` by appending `piles`.
    #[inline]
    fn index_after_piles(&self, index: TableIndex, piles: &[u64]) -> TableIndex {
        piles.iter().fold(index, |index, &counters| self.index_after_pile(index, counters))
    }

    #[inline]
    fn index_after_pile(&self, index: TableIndex, counters: u64) -> TableIndex {
        self.next[self.entry_index(index, counters)]
    }

    /// Returns the index, in `next`, of the transition from `worth` when a pile of `counters` is appended.
    #[inline]
    fn entry_index(&self, worth: TableIndex, counters: u64) -> usize {
        usize::from(worth | counters.min(self.seats.get() as u64) as TableIndex)
    }

    /// Returns the winners of the position `piles`, whose table index is `index`. If the index is unknown, it is
    /// computed first.
    #[inline]
    fn winners_at(&mut self, piles: &[u64], index: TableIndex) -> WinnersByFirst<'_> {
        let index = if index == UNKNOWN { self.extend_table(piles) } else { index };
        WinnersByFirst { all: &self.winners, index, seats: self.seats }
    }

    /// Computes the missing transitions of a position and returns its table index. If the tables have no room for them,
    /// stores the winners in the row of [`UNKNOWN`] and returns that index.
    #[cold]
    #[inline(never)]
    fn extend_table(&mut self, piles: &[u64]) -> TableIndex {
        let mut index = self.empty;
        for &counters in piles {
            let mut after = self.index_after_pile(index, counters);
            if after == UNKNOWN {
                let ranks = self
                    .recurrence
                    .ranks_with_pile(&self.ranks[usize::from(index >> self.row_bits)], counters);
                after = self.index_of_ranks(&ranks);
                let entry = self.entry_index(index, counters);
                self.next[entry] = after;
            }
            if after == UNKNOWN {
                let piles: Vec<_> = piles.iter().copied().filter(|&counters| counters > 0).collect();
                self.write_winners(UNKNOWN, &winners_of_piles(&piles, &self.matrix, self.ending));
                return UNKNOWN;
            }
            index = after;
        }
        index
    }

    /// Returns the table index of the worth with these ranks. Adds the worth if it is new, or returns [`UNKNOWN`] if
    /// there is no room for it.
    fn index_of_ranks(&mut self, ranks: &Ranks) -> TableIndex {
        if let Some(&index) = self.index_by_ranks.get(ranks) {
            return index;
        }
        let Ok(index) = TableIndex::try_from(self.ranks.len() << self.row_bits) else { return UNKNOWN };
        self.write_winners(index, &RankRecurrence::solve_winners(&self.matrix, ranks));
        self.ranks.push(*ranks);
        self.index_by_ranks.insert(*ranks, index);
        index
    }

    fn write_winners(&mut self, index: TableIndex, winners: &BySeat<Seat>) {
        self.winners[usize::from(index)..][..self.seats.get()].copy_from_slice(winners.as_slice());
    }
}

impl WinnersByFirst<'_> {
    /// Iterates over the winners, in the order of the first seats.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Seat> {
        self.all[usize::from(self.index)..][..self.seats.get()].iter().copied()
    }

    /// Returns a copy of the winners.
    pub fn to_by_seat(&self) -> BySeat<Seat> {
        BySeat::from_fn(self.seats, |first| self[first])
    }
}

impl fmt::Debug for WinnersByFirst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Index<Seat> for WinnersByFirst<'_> {
    type Output = Seat;

    /// # Panics
    /// If the game has no such seat.
    #[inline]
    fn index(&self, first: Seat) -> &Seat {
        assert!(first.index() < self.seats.get(), "seat {first} of {} seats", self.seats);
        &self.all[usize::from(self.index | TableIndex::from(first.index() as u8))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{game::Piles, oracle};

    /// Generates pseudorandom numbers (xorshift64).
    fn pseudorandom_numbers() -> impl Iterator<Item = u64> {
        std::iter::successors(Some(0x9e37_79b9_7f4a_7c15_u64), |&last| {
            let mut next = last ^ (last << 13);
            next ^= next >> 7;
            Some(next ^ (next << 17))
        })
    }

    #[test]
    fn positions_beyond_the_table_size_are_solved() {
        let mut numbers = pseudorandom_numbers();
        let mut number_below = |bound: u64| numbers.next().unwrap() % bound;
        let rows = [(); 32].map(|()| {
            let mut row: Vec<u64> = (0..32).collect();
            (1..32).rev().for_each(|place| row.swap(place, number_below(place as u64 + 1) as usize));
            row
        });
        let matrix = AllianceMatrix::parse(&rows).unwrap();
        let positions: Vec<_> =
            (0..6000).map(|_| Piles::parse(&[(); 9].map(|()| 1 + number_below(34))).unwrap()).collect();
        let mut batch = BatchSolver::new(&matrix, Ending::ToMoveWins);
        for _ in 0..2 {
            let mut left = positions.iter();
            batch.solve_positions(&positions, |winners| {
                let piles = left.next().unwrap();
                let expected = oracle::solve_winners(piles, &matrix, Ending::ToMoveWins);
                assert_eq!(winners.to_by_seat(), expected, "{piles}");
            });
            assert_eq!(left.len(), 0);
        }
        // 5999 is not a multiple of `POSITIONS_PER_GROUP`, so some positions are left after the last full group.
        let rows: Vec<u64> = positions[..5999].iter().flat_map(AsRef::<[u64]>::as_ref).copied().collect();
        let mut left = positions.iter();
        batch.solve_rows(NonZero::new(9).unwrap(), &rows, |winners| {
            let piles = left.next().unwrap();
            assert_eq!(
                winners.to_by_seat(),
                oracle::solve_winners(piles, &matrix, Ending::ToMoveWins),
                "{piles}"
            );
        });
        assert_eq!(left.len(), 1);
        assert_eq!(batch.ranks.len() << batch.row_bits, TABLE_LENGTH, "the tables are full");
    }
}
