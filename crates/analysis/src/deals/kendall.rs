//! The Kendall distance between rows.

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
    assert_eq!(one.seats(), other.seats(), "both rows have the same number of seats");
    let ranks: Vec<_> = one.offsets().iter().map(|&offset| other.rank_of_offset(offset.into())).collect();
    ranks
        .iter()
        .enumerate()
        .map(|(place, rank)| ranks[place..].iter().filter(|&later| later < rank).count())
        .sum()
}
