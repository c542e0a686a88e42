//! The rule that decides who wins when no counter is left.

use super::{Seat, SeatCount};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The rule that decides who wins when no counter is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ending {
    /// The seat to move wins: the rule of El-Seidy, El Kady and Nassr (2019), Definition 2.1.
    #[default]
    ToMoveWins,
    /// The seat that took the last counter wins: normal play.
    LastMoverWins,
}

impl Ending {
    /// Both endings.
    pub const ALL: [Self; 2] = [Self::ToMoveWins, Self::LastMoverWins];

    /// Returns the winner when no counter is left and it is the turn of `to_move`.
    pub fn winner(self, to_move: Seat, seats: SeatCount) -> Seat {
        match self {
            Self::ToMoveWins => to_move,
            Self::LastMoverWins => seats.seat_at_offset(to_move, seats.get() - 1),
        }
    }

    /// Returns the name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToMoveWins => "to_move_wins",
            Self::LastMoverWins => "last_mover_wins",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that does not name an ending.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("ending {0:?}: expected to_move_wins or last_mover_wins")]
pub struct EndingError(pub String);

impl FromStr for Ending {
    type Err = EndingError;

    /// Parses `to_move_wins` or `last_mover_wins`, with hyphens or underscores, or the form that is used in records,
    /// such as `ENDING_TO_MOVE_WINS`.
    fn from_str(word: &str) -> Result<Self, EndingError> {
        let name = match word.strip_prefix("ENDING_") {
            Some(name) if name.chars().all(|letter| !letter.is_ascii_lowercase()) => {
                name.to_ascii_lowercase()
            }
            _ => word.replace('-', "_"),
        };
        Self::ALL.into_iter().find(|ending| ending.name() == name).ok_or_else(|| EndingError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for ending in Ending::ALL {
            assert_eq!(ending.to_string().parse(), Ok(ending));
            assert_eq!(ending.name().replace('_', "-").parse(), Ok(ending));
            assert_eq!(format!("ENDING_{}", ending.name().to_ascii_uppercase()).parse(), Ok(ending));
        }
        for word in ["misere", "ENDING_to_move_wins", "ENDING_UNSPECIFIED", "TO_MOVE_WINS", ""] {
            assert_eq!(word.parse::<Ending>(), Err(EndingError(word.into())));
        }
    }

    #[test]
    fn the_last_mover_sits_before_the_seat_to_move() {
        let seats = SeatCount::new(3).unwrap();
        assert_eq!(Ending::LastMoverWins.winner(Seat::FIRST, seats).index(), 2);
        assert_eq!(Ending::ToMoveWins.winner(Seat::FIRST, seats), Seat::FIRST);
    }
}
