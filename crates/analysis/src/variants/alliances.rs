//! Two alliances.

use super::{SeatListError, TiedMatrix, TiedRow, parse_seat_list};
use lastnim_core::game::{BySeat, Seat, SeatCount, SeatSet};
use std::fmt;
use thiserror::Error;

/// A division of the seats into two alliances (Kelly 2011; Zhao and Liu 2016): every seat is in one of them, and wants
/// a seat in its own alliance to win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alliances {
    seats: SeatCount,
    /// The seats of one alliance; all others are in the other one.
    one: SeatSet,
}

/// Why the listed seats cannot form one of two alliances.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AlliancesError {
    /// The seats are not a valid list.
    #[error(transparent)]
    Seats(#[from] SeatListError),
    /// No seat is left for the other alliance.
    #[error(
        "all {0} seats are in one alliance: leave at least one seat for the other alliance; for example, list only seat 0"
    )]
    OneAlliance(SeatCount),
}

impl Alliances {
    /// Parses the seats of one alliance; all other seats form the other one.
    ///
    /// # Errors
    /// If a seat is invalid, which the error names, or if no seat is left for the other alliance.
    pub fn parse(one: &[u64], seats: SeatCount) -> Result<Self, AlliancesError> {
        let one = parse_seat_list(one, seats)?;
        if one == SeatSet::all(seats) {
            return Err(AlliancesError::OneAlliance(seats));
        }
        Ok(Self { seats, one })
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns the seats of the alliance to which a seat belongs.
    pub fn alliance_of(&self, seat: Seat) -> SeatSet {
        let is_in_one = self.one.contains(seat);
        self.seats.iter().filter(|&other| self.one.contains(other) == is_in_one).collect()
    }

    /// Returns the rows of all seats. Each row has two groups: the seats of the row's own alliance, and then those of
    /// the other.
    pub fn tied_matrix(&self) -> TiedMatrix {
        TiedMatrix::from_rows(BySeat::from_fn(self.seats, |seat| {
            let own = self.alliance_of(seat);
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for offset in 0..self.seats.get() {
                let winner = self.seats.seat_at_offset(seat, offset);
                if own.contains(winner) { &mut first } else { &mut second }.push(offset as u64);
            }
            TiedRow::parse(&[first, second], self.seats).expect("each offset occurs once, in two groups")
        }))
        .expect("each row has an offset for each seat")
    }
}

impl fmt::Display for Alliances {
    /// Writes both alliances, starting with the alliance of seat 0: `0 2 against 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.alliance_of(Seat::FIRST);
        for (place, seat) in own.iter().enumerate() {
            write!(f, "{}{seat}", if place == 0 { "" } else { " " })?;
        }
        f.write_str(" against")?;
        self.seats.iter().filter(|&seat| !own.contains(seat)).try_for_each(|seat| write!(f, " {seat}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seat_prefers_its_own_alliance() {
        let alliances = Alliances::parse(&[2, 0], SeatCount::new(4).unwrap()).unwrap();
        assert_eq!(alliances.to_string(), "0 2 against 1 3");
        assert_eq!(alliances.tied_matrix().to_string(), "0=2 1=3; 0=2 1=3; 0=2 1=3; 0=2 1=3");
        let alliances = Alliances::parse(&[1, 2], SeatCount::new(3).unwrap()).unwrap();
        assert_eq!(alliances.to_string(), "0 against 1 2");
        assert_eq!(alliances.tied_matrix().to_string(), "0 1=2; 0=1 2; 0=2 1");
    }

    #[test]
    fn each_alliance_needs_at_least_one_seat() {
        let message =
            |one: &[u64]| Alliances::parse(one, SeatCount::new(3).unwrap()).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 1, 2]),
            "all 3 seats are in one alliance: leave at least one seat for the other alliance; for example, list only seat 0"
        );
        assert_eq!(message(&[3]), "seat 3: expected 0 to 2");
        assert_eq!(message(&[]), "no seats: expected at least one, such as 0");
    }
}
