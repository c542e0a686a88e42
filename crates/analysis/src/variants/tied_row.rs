//! The preferences of one seat, with ties.

use lastnim_core::game::{Row, RowError, Seat, SeatCount};
use std::fmt;
use thiserror::Error;

/// A row with ties: groups of offsets, the most preferred group first. The seat does not mind which member of a group
/// wins.
///
/// `0 1=2` means that the seat prefers to win itself, and otherwise does not mind which of the next two seats wins.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TiedRow {
    /// All offsets, in the order of their groups.
    order: Row,
    /// By offset: the place of its group.
    ranks: Box<[u8]>,
}

/// Why some groups of offsets do not form a row.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TiedRowError {
    /// A group has no offset.
    #[error("group {0} of the row is empty: expected at least one offset, as in 0 1=2")]
    EmptyGroup(usize),
    /// The offsets do not form a row, even if ties are ignored.
    #[error(transparent)]
    Row(#[from] RowError),
}

impl TiedRow {
    /// Parses groups that together contain each offset from 0 to n-1 once.
    ///
    /// # Errors
    /// Names the first empty group, or the first invalid offset.
    pub fn parse(groups: &[Vec<u64>], seats: SeatCount) -> Result<Self, TiedRowError> {
        if let Some(empty) = groups.iter().position(Vec::is_empty) {
            return Err(TiedRowError::EmptyGroup(empty));
        }
        let order = Row::parse(&groups.concat(), seats)?;
        let mut ranks = vec![0; seats.get()];
        for (rank, &offset) in
            groups.iter().enumerate().flat_map(|(rank, group)| group.iter().map(move |offset| (rank, offset)))
        {
            ranks[offset as usize] = rank as u8;
        }
        Ok(Self { order, ranks: ranks.into() })
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.order.seats()
    }

    /// Returns the groups, the most preferred first.
    pub fn groups(&self) -> impl Iterator<Item = &[u8]> {
        self.order.offsets().chunk_by(|&one, &other| self.rank_of_offset(one) == self.rank_of_offset(other))
    }

    /// Returns the place, from 0 (best), of the group that contains `winner` in this row of `seat`.
    pub fn rank(&self, seat: Seat, winner: Seat) -> usize {
        usize::from(self.ranks[self.seats().distance_between(seat, winner)])
    }

    fn rank_of_offset(&self, offset: u8) -> u8 {
        self.ranks[usize::from(offset)]
    }
}

impl From<&Row> for TiedRow {
    /// Returns the row without ties.
    fn from(row: &Row) -> Self {
        let ranks = (0..row.offsets().len()).map(|offset| row.rank_of_offset(offset) as u8);
        Self { order: row.clone(), ranks: ranks.collect() }
    }
}

impl fmt::Display for TiedRow {
    /// Writes the groups separated by blanks, and the offsets within a group separated by `=`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, group) in self.groups().enumerate() {
            for (place, offset) in group.iter().enumerate() {
                let separator = if place > 0 {
                    "="
                } else if rank > 0 {
                    " "
                } else {
                    ""
                };
                write!(f, "{separator}{offset}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for TiedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TiedRow({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_seats_share_the_rank_of_their_group() {
        let seats = SeatCount::new(4).unwrap();
        let row = TiedRow::parse(&[vec![2], vec![3, 0], vec![1]], seats).unwrap();
        assert_eq!(row.to_string(), "2 3=0 1");
        let ranks: Vec<_> = seats.iter().map(|winner| row.rank(Seat::FIRST, winner)).collect();
        assert_eq!(ranks, [1, 2, 0, 1]);
        assert_eq!(
            row.rank(seats.seat(3).unwrap(), seats.seat(1).unwrap()),
            0,
            "offset 2 of seat 3 is seat 1"
        );
        let strict = Row::parse(&[2, 0, 1], SeatCount::new(3).unwrap()).unwrap();
        assert_eq!(TiedRow::from(&strict).to_string(), strict.to_string());
    }

    #[test]
    fn errors_name_the_invalid_group_or_offset() {
        let seats = SeatCount::new(3).unwrap();
        let message = |groups: &[Vec<u64>]| TiedRow::parse(groups, seats).unwrap_err().to_string();
        assert_eq!(
            message(&[vec![0], vec![]]),
            "group 1 of the row is empty: expected at least one offset, as in 0 1=2"
        );
        assert_eq!(
            message(&[vec![0, 1], vec![0]]),
            "offset 0 appears twice in the row, at places 0 and 2: each of 0 to 2 must appear once"
        );
        assert_eq!(
            message(&[vec![0, 1], vec![9]]),
            "offset 9 at place 2 of the row: expected 0 to 2 with 3 seats"
        );
        assert!(TiedRow::parse(&[vec![0, 1, 2], vec![0]], seats).is_err());
    }
}
