//! Lists of seats.

use lastnim_core::game::{SeatCount, SeatError, SeatSet};
use thiserror::Error;

/// Why some numbers are not a valid list of seats.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SeatListError {
    /// No seat is given.
    #[error("no seats: expected at least one, such as 0")]
    Empty,
    /// A seat does not exist.
    #[error(transparent)]
    Seat(#[from] SeatError),
    /// A seat is given twice.
    #[error("seat {0} is given twice: expected each seat once")]
    Repeated(usize),
}

/// Parses a list of at least one seat, in any order and without repetitions.
///
/// # Errors
/// If the list is empty or a seat is invalid; the error names the first invalid seat.
pub fn parse_seat_list(numbers: &[u64], seats: SeatCount) -> Result<SeatSet, SeatListError> {
    let mut listed = SeatSet::default();
    for &number in numbers {
        let seat = seats.seat(usize::try_from(number).unwrap_or(usize::MAX))?;
        if listed.contains(seat) {
            return Err(SeatListError::Repeated(seat.index()));
        }
        listed.insert(seat);
    }
    if listed.is_empty() { Err(SeatListError::Empty) } else { Ok(listed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_invalid_seat() {
        let seats = SeatCount::new(3).unwrap();
        let listed = parse_seat_list(&[2, 0], seats).unwrap();
        let expected = [0, 2].map(|seat| seats.seat(seat).unwrap());
        assert_eq!(listed, expected.into_iter().collect());
        let message = |numbers: &[u64]| parse_seat_list(numbers, seats).unwrap_err().to_string();
        assert_eq!(message(&[]), "no seats: expected at least one, such as 0");
        assert_eq!(message(&[0, 3]), "seat 3: expected 0 to 2");
        assert_eq!(message(&[1, 0, 1]), "seat 1 is given twice: expected each seat once");
        assert!(parse_seat_list(&[u64::MAX], seats).is_err());
    }
}
