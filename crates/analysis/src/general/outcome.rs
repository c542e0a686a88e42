//! Outcome classes of two-player games.

use lastnim_core::game::{BySeat, Seat};
use std::fmt;

/// The outcome class of a two-player position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutcomeClass {
    /// The seat to move (the next player) wins.
    N,
    /// The other seat (the previous player) wins.
    P,
    /// Seat 0, which is Left in a partizan game, wins no matter which seat is to move.
    L,
    /// Seat 1, which is Right in a partizan game, wins no matter which seat is to move.
    R,
}

impl OutcomeClass {
    /// Returns the outcome class, given the winner for each first seat; `None` unless there are exactly two seats.
    pub fn of_winners(winner_by_first: &BySeat<Seat>) -> Option<Self> {
        let &[when_0_starts, when_1_starts] = winner_by_first.as_slice() else { return None };
        Some(match (when_0_starts.index(), when_1_starts.index()) {
            (0, 0) => Self::L,
            (0, _) => Self::N,
            (_, 0) => Self::P,
            (_, _) => Self::R,
        })
    }

    /// Returns the meaning of the class, as a clause.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::N => "the seat to move wins",
            Self::P => "the seat to move loses",
            Self::L => "seat 0 wins, whichever seat starts",
            Self::R => "seat 1 wins, whichever seat starts",
        }
    }
}

impl fmt::Display for OutcomeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::N => "N",
            Self::P => "P",
            Self::L => "L",
            Self::R => "R",
        })
    }
}
