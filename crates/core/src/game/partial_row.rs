//! Partially known rows.

use super::{MAX_SEATS, Row, SeatCount};
use std::fmt;

/// Partial knowledge of a seat's row: a strict partial order of its offsets.
///
/// It represents all rows that agree with it (its linear extensions); there is always at least one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartialRow {
    seats: SeatCount,
    /// By offset: the set of less preferred offsets, as bits. This relation is transitively closed.
    below: [u32; MAX_SEATS],
}

impl PartialRow {
    /// Creates a partial row without any known preference, so that all n! rows agree with it.
    pub fn unknown(seats: SeatCount) -> Self {
        Self { seats, below: [0; MAX_SEATS] }
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns whether offset `one` is known to be preferred to `other`.
    ///
    /// # Panics
    /// If an offset is 32 or more.
    pub fn prefers(&self, one: usize, other: usize) -> bool {
        self.below[one] & offset_bit(other) != 0
    }

    /// Returns whether it is known which of two different offsets is preferred.
    ///
    /// # Panics
    /// If an offset is 32 or more.
    pub fn decides(&self, one: usize, other: usize) -> bool {
        self.prefers(one, other) || self.prefers(other, one)
    }

    /// Adds the preference for `preferred` over `other`, and all preferences that follow from it; `None` if the
    /// opposite is known or both are the same offset.
    ///
    /// # Panics
    /// If an offset is 32 or more.
    #[must_use]
    pub fn with_preference(mut self, preferred: usize, other: usize) -> Option<Self> {
        if preferred == other || self.prefers(other, preferred) {
            return None;
        }
        if !self.prefers(preferred, other) {
            let gained = self.below[other] | offset_bit(other);
            for (offset, below) in self.below.iter_mut().enumerate().take(self.seats.get()) {
                if offset == preferred || *below & offset_bit(preferred) != 0 {
                    *below |= gained;
                }
            }
        }
        Some(self)
    }

    /// Adds all preferences of another partial row, and all that follow from both; `None` if they contradict each
    /// other.
    #[must_use]
    pub fn with_all(self, other: &Self) -> Option<Self> {
        other
            .covering_pairs()
            .try_fold(self, |known, (preferred, less)| known.with_preference(preferred, less))
    }

    /// Returns whether `row` agrees with this partial row.
    pub fn admits(&self, row: &Row) -> bool {
        let mut before = 0;
        row.seats() == self.seats
            && row.offsets().iter().all(|&offset| {
                let agrees = self.below[usize::from(offset)] & before == 0;
                before |= offset_bit(usize::from(offset));
                agrees
            })
    }

    /// Returns the only row that agrees with this partial row; `None` if there are several.
    pub fn as_row(&self) -> Option<Row> {
        self.is_one_row().then(|| self.first_row())
    }

    /// Returns whether exactly one row agrees with this partial row.
    pub fn is_one_row(&self) -> bool {
        let n = self.seats.get() as u32;
        let known: u32 = self.below.iter().map(|below| below.count_ones()).sum();
        known == n * (n - 1) / 2
    }

    /// Returns, by offset, the set of offsets that are known to be less preferred, as bits.
    pub fn below(&self) -> &[u32] {
        &self.below[..self.seats.get()]
    }

    /// Iterates over the rows that agree with this partial row, in lexicographic order.
    pub fn rows(&self) -> LinearExtensions {
        LinearExtensions::of_partial_row(self)
    }

    /// Returns the first row, in lexicographic order, that agrees with this partial row.
    ///
    /// # Panics
    /// Never: a strict partial order has a linear extension.
    pub fn first_row(&self) -> Row {
        self.rows().next().expect("a partial order has a linear extension")
    }

    /// Returns the row that agrees with this partial row and puts the fewest pairs of offsets in another order than
    /// `target`; of several such rows, the lexicographically first.
    ///
    /// The row is built from the front. A table says, for each set of placed offsets, how many pairs must still change.
    /// So time and memory are in O(2^n n) and O(2^n), unless `target` itself agrees. Use this only for few seats, as in
    /// pacts.
    ///
    /// # Panics
    /// If `target` is for another number of seats.
    pub fn nearest_row(&self, target: &Row) -> Row {
        assert_eq!(target.seats(), self.seats, "both rows have the same number of offsets");
        if self.admits(target) {
            return target.clone();
        }
        let above = self.above();
        let better = Self::from(target).above();
        let all = (1_u32 << self.seats.get()) - 1;
        // The number of pairs that change if an offset comes next: offsets that `target` prefers to it come later.
        let fewest_through = |fewest: &[u32], placed: u32, offset: usize| {
            (better[offset] & !placed).count_ones() + fewest[(placed | offset_bit(offset)) as usize]
        };
        let candidates = |placed| offsets_in(next_offsets(&above[..self.seats.get()], placed));
        let mut fewest = vec![0; all as usize + 1];
        for placed in (0..all).rev() {
            let next = candidates(placed).map(|offset| fewest_through(&fewest, placed, offset));
            fewest[placed as usize] = next.min().expect("some offset is not below any other");
        }
        let (mut placed, mut offsets) = (0, Vec::with_capacity(self.seats.get()));
        while placed != all {
            let next = candidates(placed).min_by_key(|&offset| fewest_through(&fewest, placed, offset));
            let next = next.expect("some offset is not below any other");
            placed |= offset_bit(next);
            offsets.push(next as u64);
        }
        Row::parse(&offsets, self.seats).expect("every offset is placed once")
    }

    /// Returns the covering pairs of offsets, each with the preferred offset first. All other known preferences follow
    /// from them.
    pub fn covering_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let offsets = 0..self.seats.get();
        offsets.flat_map(move |one| {
            let between = offsets_in(self.below[one]).fold(0, |between, other| between | self.below[other]);
            offsets_in(self.below[one] & !between).map(move |other| (one, other))
        })
    }

    /// Returns all pairs of offsets whose order is known, each with the preferred offset first.
    pub fn all_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.seats.get()).flat_map(|one| offsets_in(self.below[one]).map(move |other| (one, other)))
    }

    /// Returns the partial row with the preferences that both have in common.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = *self;
        for (below, theirs) in common.below.iter_mut().zip(&other.below) {
            *below &= theirs;
        }
        common
    }

    /// Returns, by offset, the set of offsets that are known to be preferred, as bits.
    fn above(&self) -> [u32; MAX_SEATS] {
        let mut above = [0; MAX_SEATS];
        for (preferred, other) in self.all_pairs() {
            above[other] |= offset_bit(preferred);
        }
        above
    }
}

/// Returns the set of offsets that may come next in a row if those in `placed` have already been placed, as bits.
/// `above` has, by offset, the set of offsets that must come before it.
fn next_offsets(above: &[u32], placed: u32) -> u32 {
    let may_be_next = |&offset: &usize| placed & offset_bit(offset) == 0 && above[offset] & !placed == 0;
    (0..above.len()).filter(may_be_next).fold(0, |next, offset| next | offset_bit(offset))
}

/// Returns the set that contains only this offset, as bits.
///
/// # Panics
/// If the offset is 32 or more.
pub fn offset_bit(offset: usize) -> u32 {
    1 << offset
}

/// Iterates over the offsets of a set, in ascending order.
pub fn offsets_in(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let offset = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(offset)
    })
}

impl From<&Row> for PartialRow {
    /// Creates the partial row that only this row agrees with.
    fn from(row: &Row) -> Self {
        let mut known = Self::unknown(row.seats());
        let mut below = 0;
        for &offset in row.offsets().iter().rev() {
            known.below[usize::from(offset)] = below;
            below |= offset_bit(usize::from(offset));
        }
        known
    }
}

impl fmt::Display for PartialRow {
    /// Writes the covering pairs, as in `0 > 2, 1 > 2`; writes `any row` if nothing is known, and the row itself if
    /// everything is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.as_row() {
            return row.fmt(f);
        }
        let mut is_first = true;
        for (preferred, other) in self.covering_pairs() {
            write!(f, "{}{preferred} > {other}", if is_first { "" } else { ", " })?;
            is_first = false;
        }
        if is_first { f.write_str("any row") } else { Ok(()) }
    }
}

impl fmt::Debug for PartialRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartialRow({self})")
    }
}

/// The rows that agree with a partial row, in lexicographic order.
#[derive(Debug, Clone)]
pub struct LinearExtensions {
    seats: SeatCount,
    /// By offset: the set of offsets that must come before it, as bits.
    above: [u32; MAX_SEATS],
    offsets: Vec<u64>,
    /// For each filled place, and for the next one: the offsets still to be tried there, as bits.
    untried: Vec<u32>,
}

impl LinearExtensions {
    fn of_partial_row(known: &PartialRow) -> Self {
        let mut rows =
            Self { seats: known.seats, above: known.above(), offsets: Vec::new(), untried: Vec::new() };
        rows.untried.push(rows.candidates(0));
        rows
    }

    fn candidates(&self, placed: u32) -> u32 {
        next_offsets(&self.above[..self.seats.get()], placed)
    }
}

impl Iterator for LinearExtensions {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let untried = self.untried.last_mut()?;
            if *untried == 0 {
                self.untried.pop();
                self.offsets.pop();
                continue;
            }
            let offset = untried.trailing_zeros();
            *untried &= *untried - 1;
            self.offsets.push(offset.into());
            if self.offsets.len() == self.seats.get() {
                let row = Row::parse(&self.offsets, self.seats).expect("every offset is placed once");
                self.offsets.pop();
                return Some(row);
            }
            let placed = self.offsets.iter().fold(0, |placed, &offset| placed | offset_bit(offset as usize));
            self.untried.push(self.candidates(placed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four_seats() -> SeatCount {
        SeatCount::new(4).unwrap()
    }

    fn known(pairs: &[(usize, usize)]) -> Option<PartialRow> {
        pairs.iter().try_fold(PartialRow::unknown(four_seats()), |known, &(preferred, other)| {
            known.with_preference(preferred, other)
        })
    }

    #[test]
    fn preferences_are_transitively_closed() {
        let chain = known(&[(2, 3), (0, 1), (1, 2)]).unwrap();
        assert!(chain.prefers(0, 3) && chain.prefers(1, 3) && !chain.prefers(3, 0));
        assert_eq!(chain.as_row(), Some(Row::standard(four_seats())));
        assert_eq!(PartialRow::from(&Row::standard(four_seats())), chain);
        assert_eq!(known(&[(2, 3), (0, 1), (1, 2), (3, 0)]), None);
        assert_eq!(known(&[(1, 1)]), None);
        assert_eq!(known(&[(0, 1), (0, 1)]), known(&[(0, 1)]));
    }

    #[test]
    fn display_shows_covering_pairs() {
        assert_eq!(PartialRow::unknown(four_seats()).to_string(), "any row");
        assert_eq!(known(&[(2, 3), (1, 2), (1, 3)]).unwrap().to_string(), "1 > 2, 2 > 3");
        assert_eq!(known(&[(2, 0), (0, 3), (3, 1)]).unwrap().to_string(), "2 0 3 1");
    }

    #[test]
    fn a_combined_partial_row_has_all_preferences_of_both() {
        let [one, other] = [known(&[(0, 1)]).unwrap(), known(&[(1, 2), (3, 2)]).unwrap()];
        assert_eq!(one.with_all(&other), known(&[(0, 1), (1, 2), (3, 2)]));
        assert_eq!(one.with_all(&known(&[(1, 2), (2, 0)]).unwrap()), None);
    }

    #[test]
    fn the_nearest_row_changes_the_fewest_pairs() {
        let all: Vec<_> = PartialRow::unknown(four_seats()).rows().collect();
        for pairs in [&[(3, 0)][..], &[(1, 0), (2, 0)], &[(3, 2), (1, 0)], &[(3, 1), (1, 0), (3, 2)]] {
            let known = known(pairs).unwrap();
            for target in &all {
                let changed_pairs = |row: &Row| {
                    let kept = PartialRow::from(row).intersection(&PartialRow::from(target));
                    6 - kept.all_pairs().count()
                };
                // The rows come in lexicographic order, and the first of the nearest ones is taken.
                let nearest = known.rows().min_by_key(changed_pairs);
                assert_eq!(Some(known.nearest_row(target)), nearest, "{known}, {target}");
            }
        }
        let many = SeatCount::new(MAX_SEATS).unwrap();
        let row = Row::favouring(5, many);
        assert_eq!(PartialRow::unknown(many).nearest_row(&row), row);
    }

    #[test]
    fn the_admitted_rows_are_listed_in_lexicographic_order() {
        let all: Vec<_> = PartialRow::unknown(four_seats()).rows().collect();
        assert_eq!(all.len(), 24);
        assert!(all.is_sorted_by_key(|row| row.offsets().to_vec()));
        for pairs in [&[(3, 0)][..], &[(1, 0), (2, 0)], &[(3, 2), (1, 0)], &[(3, 1), (1, 0), (3, 2)]] {
            let known = known(pairs).unwrap();
            let admitted: Vec<_> = all.iter().filter(|row| known.admits(row)).cloned().collect();
            assert_eq!(known.rows().collect::<Vec<_>>(), admitted, "{known}");
            assert_eq!(known.first_row(), admitted[0]);
        }
        let other = Row::standard(SeatCount::new(3).unwrap());
        assert!(!PartialRow::unknown(four_seats()).admits(&other));
    }
}
