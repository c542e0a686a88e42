//! The states of a tournament.

use std::fmt;

/// The state of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TournamentState {
    /// Bots may join.
    Open,
    /// Matches are being played.
    Running,
    /// All matches have been played.
    Finished,
    /// The tournament was cancelled.
    Cancelled,
}

impl TournamentState {
    /// Returns whether the tournament is finished or cancelled.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }
}

impl fmt::Display for TournamentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Open => "open",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        })
    }
}
