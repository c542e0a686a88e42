//! What the server refused, and why.

use crate::{game::MatchId, wire::pb};
use std::fmt;

/// Something that the bot sent and that the server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The match, if the refused message named one.
    pub match_id: Option<MatchId>,
    /// The reason, for programs.
    pub reason: RefusalReason,
    /// The reason in words: the offending value, and what would be right.
    pub message: String,
    /// The ply that the match has reached.
    pub ply: u32,
    /// The seat's strikes so far.
    pub strikes: u32,
    /// Strikes left before the seat is forfeited.
    pub strikes_left: u32,
}

/// Why something was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The take is 0 or more than the last pile holds; a strike.
    IllegalTake,
    /// Another seat is to move; a strike.
    NotYourTurn,
    /// The take names a ply that is not reached yet; a strike.
    FuturePly,
    /// The take names an older ply and is not the take that was made there.
    Stale,
    /// The row is no permutation of 0..n-1; the standard row stands in its place.
    InvalidRow,
    /// The seat has declared another row before, or the rows are assigned.
    AlreadyDeclared,
    /// Rows are still being declared; a strike.
    NotStarted,
    /// The match has ended.
    MatchEnded,
    /// The seat was forfeited.
    Forfeited,
    /// The bot has no seat in an open match of that id.
    UnknownMatch,
    /// The message holds no action that the server knows.
    Malformed,
    /// A reason that this version does not know.
    Other,
}

impl RefusalReason {
    pub(super) fn read(number: i32) -> Self {
        use pb::RefusalReason as Wire;
        match Wire::try_from(number) {
            Ok(Wire::IllegalTake) => Self::IllegalTake,
            Ok(Wire::NotYourTurn) => Self::NotYourTurn,
            Ok(Wire::FuturePly) => Self::FuturePly,
            Ok(Wire::Stale) => Self::Stale,
            Ok(Wire::InvalidRow) => Self::InvalidRow,
            Ok(Wire::AlreadyDeclared) => Self::AlreadyDeclared,
            Ok(Wire::NotStarted) => Self::NotStarted,
            Ok(Wire::MatchEnded) => Self::MatchEnded,
            Ok(Wire::Forfeited) => Self::Forfeited,
            Ok(Wire::UnknownMatch) => Self::UnknownMatch,
            Ok(Wire::Malformed) => Self::Malformed,
            Ok(Wire::Unspecified) | Err(_) => Self::Other,
        }
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::IllegalTake => "illegal_take",
            Self::NotYourTurn => "not_your_turn",
            Self::FuturePly => "future_ply",
            Self::Stale => "stale",
            Self::InvalidRow => "invalid_row",
            Self::AlreadyDeclared => "already_declared",
            Self::NotStarted => "not_started",
            Self::MatchEnded => "match_ended",
            Self::Forfeited => "forfeited",
            Self::UnknownMatch => "unknown_match",
            Self::Malformed => "malformed",
            Self::Other => "other",
        })
    }
}
