//! Why something that a bot sent was refused.

use std::fmt;

/// Why something that a bot sent was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// The take is 0 or more than the pile in play holds.
    IllegalTake,
    /// Another seat is to move.
    NotYourTurn,
    /// The take names a ply that is not reached yet.
    FuturePly,
    /// The take names an older ply, and is not the take that was made there.
    Stale,
    /// The row is no permutation.
    InvalidRow,
    /// The seat's row is in already, or the rows are assigned.
    AlreadyDeclared,
    /// Rows are still being declared.
    NotStarted,
    /// The match has ended.
    MatchEnded,
    /// The seat was forfeited.
    Forfeited,
    /// The bot has no seat in an open match of that id.
    UnknownMatch,
    /// The message holds no action.
    Malformed,
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [Self; 11] = [
        Self::IllegalTake,
        Self::NotYourTurn,
        Self::FuturePly,
        Self::Stale,
        Self::InvalidRow,
        Self::AlreadyDeclared,
        Self::NotStarted,
        Self::MatchEnded,
        Self::Forfeited,
        Self::UnknownMatch,
        Self::Malformed,
    ];

    /// Returns whether it costs the seat a strike: it does where a correct bot could have known better.
    pub fn is_strike(self) -> bool {
        matches!(self, Self::IllegalTake | Self::NotYourTurn | Self::FuturePly | Self::NotStarted)
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::IllegalTake => "illegal take",
            Self::NotYourTurn => "not your turn",
            Self::FuturePly => "future ply",
            Self::Stale => "stale",
            Self::InvalidRow => "invalid row",
            Self::AlreadyDeclared => "already declared",
            Self::NotStarted => "not started",
            Self::MatchEnded => "match ended",
            Self::Forfeited => "forfeited",
            Self::UnknownMatch => "unknown match",
            Self::Malformed => "malformed",
        })
    }
}

/// A refusal as a bot is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, for programs.
    pub reason: RefusalReason,
    /// The offending value and what would be right, in words.
    pub message: String,
    /// The ply that the match has reached.
    pub ply: u32,
    /// The seat's strikes, this one included.
    pub strikes: u32,
    /// Strikes left before the seat is forfeited.
    pub strikes_left: u32,
}
