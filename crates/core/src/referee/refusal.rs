//! Why a bot's message was refused.

use std::fmt;

/// Why a bot's message was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// The take is zero, or exceeds the number of counters in the pile in play.
    IllegalTake,
    /// Another seat is to move.
    NotYourTurn,
    /// The take names a future ply.
    FuturePly,
    /// The take names a past ply and differs from the take made there.
    Stale,
    /// The row is not a permutation.
    InvalidRow,
    /// The seat's row is already settled, or the match has assigned rows.
    AlreadyDeclared,
    /// Play has not begun: seats still talk or declare their rows.
    NotStarted,
    /// The match has ended.
    MatchEnded,
    /// The seat was forfeited.
    Forfeited,
    /// The bot has no seat in an open match with this id.
    UnknownMatch,
    /// The message contains no action.
    Malformed,
    /// The message to other seats, or the end of talk, is invalid.
    InvalidTalk,
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [Self; 12] = [
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
        Self::InvalidTalk,
    ];

    /// Returns whether this refusal costs the seat a strike. Only mistakes that a correct bot can avoid cost one.
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
            Self::InvalidTalk => "invalid talk",
        })
    }
}

/// A refusal as sent to a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, as a value that programs can use.
    pub reason: RefusalReason,
    /// The reason in words: what was wrong and what is expected.
    pub message: String,
    /// The current ply of the match.
    pub ply: u32,
    /// The seat's strikes so far, including the one for this refusal if it costs one.
    pub strikes: u32,
    /// The number of strikes left before the seat is forfeited.
    pub strikes_left: u32,
}
