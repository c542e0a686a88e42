//! A position: the piles and the seat to move.

use super::{Piles, Seat, SeatCount};
use std::fmt;
use thiserror::Error;

/// The current piles and the seat to move.
///
/// Only the last nonempty pile changes, so a position stores the number of untouched piles and the counters left in the
/// pile after them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    start: Piles,
    /// The number of untouched piles before the one in play.
    untouched: usize,
    /// The number of counters left in the pile in play; 0 only when the game is over.
    counters: u64,
    to_move: Seat,
    seats: SeatCount,
}

/// A take that the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IllegalTake {
    /// The take is 0, or more than the pile in play contains.
    #[error("a take of {take} from pile {pile}, which has {counters} left: take 1 to {counters}")]
    OutOfRange {
        /// The number of counters to take.
        take: u64,
        /// The index of the pile in play, from 0.
        pile: usize,
        /// The number of counters in that pile.
        counters: u64,
    },
    /// No counter is left.
    #[error("a take of {take} when no counter is left: the game is over")]
    Over {
        /// The number of counters to take.
        take: u64,
    },
}

impl Position {
    /// Creates the position before the first take.
    pub fn new(piles: Piles, to_move: Seat, seats: SeatCount) -> Self {
        let (untouched, counters) = match piles.as_slice().split_last() {
            Some((&last, before)) => (before.len(), last),
            None => (0, 0),
        };
        Self { start: piles, untouched, counters, to_move, seats }
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns the seat to move.
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// Returns the number of counters in the last nonempty pile, which is the largest legal take; 0 when the game is
    /// over.
    pub fn counters(&self) -> u64 {
        self.counters
    }

    /// Returns the index of the last nonempty pile, from 0; 0 when the game is over.
    pub fn pile_index(&self) -> usize {
        self.untouched
    }

    /// Returns the piles before the one in play.
    pub fn untouched_piles(&self) -> &[u64] {
        &self.start.as_slice()[..self.untouched]
    }

    /// Returns the current number of counters in every pile, 0 for piles that have been emptied.
    pub fn piles(&self) -> impl Iterator<Item = u64> {
        let emptied = self.start.len().saturating_sub(self.untouched + 1);
        self.untouched_piles()
            .iter()
            .copied()
            .chain((!self.start.is_empty()).then_some(self.counters))
            .chain(std::iter::repeat_n(0, emptied))
    }

    /// Returns whether no counter is left.
    pub fn is_over(&self) -> bool {
        self.counters == 0
    }

    /// Checks a take against the rules.
    ///
    /// # Errors
    /// If the take is 0 or more than the pile in play contains, or the game is over.
    pub fn check_take(&self, take: u64) -> Result<(), IllegalTake> {
        if self.is_over() {
            return Err(IllegalTake::Over { take });
        }
        if take == 0 || take > self.counters {
            return Err(IllegalTake::OutOfRange { take, pile: self.pile_index(), counters: self.counters });
        }
        Ok(())
    }

    /// Takes counters from the last nonempty pile and passes the turn to the next seat.
    ///
    /// # Errors
    /// If the take is 0 or more than the pile in play contains, or the game is over; the position is then unchanged.
    pub fn take(&mut self, take: u64) -> Result<(), IllegalTake> {
        self.check_take(take)?;
        self.make_legal_take(take);
        Ok(())
    }

    /// Makes a take that [`check_take`](Self::check_take) has accepted.
    pub(crate) fn make_legal_take(&mut self, take: u64) {
        debug_assert_eq!(self.check_take(take), Ok(()));
        self.counters -= take;
        if self.counters == 0
            && let Some((&last, before)) = self.untouched_piles().split_last()
        {
            (self.untouched, self.counters) = (before.len(), last);
        }
        self.to_move = self.seats.next(self.to_move);
    }
}

impl fmt::Display for Position {
    /// Writes the seat to move and the counters of every pile, as El-Seidy, El Kady and Nassr (2019) write a state:
    /// `(0, [1,2,2])`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, [", self.to_move)?;
        for (place, counters) in self.piles().enumerate() {
            write!(f, "{}{counters}", if place == 0 { "" } else { "," })?;
        }
        f.write_str("])")
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position(seat {} of {}, piles ", self.to_move, self.seats)?;
        f.debug_list().entries(self.piles()).finish()?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(piles: &[u64]) -> Position {
        Position::new(Piles::parse(piles).unwrap(), Seat::FIRST, SeatCount::new(3).unwrap())
    }

    #[test]
    fn the_last_nonempty_pile_is_played() {
        let mut position = position(&[1, 2, 2]);
        let mut seen = Vec::new();
        for take in [1, 1, 1, 1, 1] {
            seen.push((position.to_move().index(), position.piles().collect::<Vec<_>>()));
            position.take(take).unwrap();
        }
        seen.push((position.to_move().index(), position.piles().collect()));
        let figure_1 = [
            (0, vec![1, 2, 2]),
            (1, vec![1, 2, 1]),
            (2, vec![1, 2, 0]),
            (0, vec![1, 1, 0]),
            (1, vec![1, 0, 0]),
            (2, vec![0, 0, 0]),
        ];
        assert_eq!(seen, figure_1);
        assert!(position.is_over());
        assert_eq!(position.take(1), Err(IllegalTake::Over { take: 1 }));
    }

    #[test]
    fn an_illegal_take_changes_nothing() {
        let mut position = position(&[2, 3]);
        let before = position.clone();
        for take in [0, 4, u64::MAX] {
            assert_eq!(position.take(take), Err(IllegalTake::OutOfRange { take, pile: 1, counters: 3 }));
        }
        assert_eq!(position, before);
        assert_eq!(
            position.take(4).unwrap_err().to_string(),
            "a take of 4 from pile 1, which has 3 left: take 1 to 3"
        );
    }
}
