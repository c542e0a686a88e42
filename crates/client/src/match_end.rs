//! How a match ended, seen from one seat.

use super::MatchInfo;
use lastnim_core::{game::Seat, referee::EndReason};
use lastnim_proto::FromWire as _;
use std::{fmt, sync::Arc};

/// How a match ended.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchEnd {
    /// The match.
    pub info: Arc<MatchInfo>,
    /// How it came to its end.
    pub reason: EndReport,
    /// The seat that won; absent where the match was cancelled or its end was not seen.
    pub winner: Option<Seat>,
    /// Whether the own seat was lost, so that the steward played on for it.
    pub forfeited: bool,
    /// The own game held against the oracle; absent where there is no winner, and where the match is of a tournament that
    /// keeps the oracle from its bots.
    pub figures: Option<SeatFigures>,
}

/// What is known of how a match came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReport {
    /// The server said how.
    Told(EndReason),
    /// The server said it by a number that this version does not know.
    Unknown(i32),
    /// It ended while the session was lost.
    Unseen,
}

impl EndReport {
    /// Reads what the server said.
    pub(super) fn from_wire(number: i32) -> Self {
        EndReason::from_wire(number).map_or(Self::Unknown(number), Self::Told)
    }
}

impl fmt::Display for EndReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(reason) => reason.fmt(f),
            Self::Unknown(_) => f.pad("unknown"),
            Self::Unseen => f.pad("unseen"),
        }
    }
}

/// One seat's game in figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeatFigures {
    /// 1 - rank / (n - 1) of the winner in the seat's row, from 0 to 1.
    pub satisfaction: f64,
    /// The ranks that the seat's own takes cost it.
    pub regret: u32,
    /// The ranks that the others' takes gave it; negative where they cost it.
    pub luck: i32,
    /// Takes that the seat itself made.
    pub takes: u32,
    /// How many of them were optimal.
    pub optimal_takes: u32,
}

impl MatchEnd {
    /// Returns whether the own seat won.
    pub fn won(&self) -> bool {
        self.winner == Some(self.info.seat)
    }
}

impl SeatFigures {
    /// Returns the share of the seat's own takes that were optimal, from 0 to 1; none if it made none.
    pub fn accuracy(&self) -> Option<f64> {
        (self.takes > 0).then(|| f64::from(self.optimal_takes) / f64::from(self.takes))
    }
}
