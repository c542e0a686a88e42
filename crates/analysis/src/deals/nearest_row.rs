//! The Kendall distance between rows.

use crate::PartialRow;
use lastnim_core::game::Row;

/// Returns the Kendall distance between two rows of one seat: the number of pairs of winners, 0 to n(n-1)/2, that the
/// rows put in different orders.
///
/// # Panics
/// If the rows have different numbers of seats.
///
/// ```
/// use lastnim_analysis::deals::kendall_distance;
/// use lastnim_core::game::{Row, SeatCount};
///
/// let row = |offsets: &[u64]| Row::parse(offsets, SeatCount::new(3).unwrap()).unwrap();
/// assert_eq!(kendall_distance(&row(&[0, 1, 2]), &row(&[2, 0, 1])), 2);
/// ```
pub fn kendall_distance(one: &Row, other: &Row) -> usize {
    assert_eq!(one.seats(), other.seats(), "both rows belong to one seat");
    let ranks: Vec<_> = one.offsets().iter().map(|&offset| other.rank_of_offset(offset.into())).collect();
    ranks
        .iter()
        .enumerate()
        .map(|(place, rank)| ranks[place..].iter().filter(|&later| later < rank).count())
        .sum()
}

/// Returns the row that agrees with `known` and has the smallest Kendall distance from `target`; of several such rows,
/// the lexicographically first.
///
/// The row is built from the front, and a table has the fewest inversions to come for each set of placed offsets. So
/// time and memory are in O(2^n n^2) and O(2^n).
pub(super) fn nearest_row(known: &PartialRow, target: &Row) -> Row {
    let seats = target.seats();
    let n = seats.get();
    let is_placed = |placed: usize, offset: usize| placed >> offset & 1 == 1;
    let next_offsets = |placed| {
        (0..n).filter(move |&offset| {
            !is_placed(placed, offset)
                && (0..n).all(|other| is_placed(placed, other) || !known.prefers(other, offset))
        })
    };
    let inversions = |placed, offset| {
        let rank = target.rank_of_offset(offset);
        (0..n).filter(|&other| !is_placed(placed, other) && target.rank_of_offset(other) < rank).count()
    };
    let all = (1 << n) - 1;
    let mut fewest = vec![0; all + 1];
    let with_next =
        |fewest: &[usize], placed, offset| inversions(placed, offset) + fewest[placed | 1 << offset];
    for placed in (0..all).rev() {
        let next = next_offsets(placed).map(|offset| with_next(&fewest, placed, offset));
        fewest[placed] = next.min().expect("some offset is not below any other");
    }
    let (mut placed, mut offsets) = (0, Vec::with_capacity(n));
    while placed != all {
        let next = next_offsets(placed).min_by_key(|&offset| with_next(&fewest, placed, offset));
        let next = next.expect("some offset is not below any other");
        placed |= 1 << next;
        offsets.push(next as u64);
    }
    Row::parse(&offsets, seats).expect("every offset is placed once")
}
