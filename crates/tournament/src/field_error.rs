//! Why a field cannot play a tournament.

use lastnim_core::game::{BotName, SeatCount};
use thiserror::Error;

/// The most matches of a tournament that is not open-ended.
pub const MAX_MATCHES: u64 = 10_000_000;

/// A field that cannot play a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// It is too small for one match.
    #[error("a field of {field} bot{s}: a match has {seats} seats", s = if *field == 1 { "" } else { "s" })]
    TooFewBots {
        /// The size of the field.
        field: usize,
        /// The seats of a match.
        seats: SeatCount,
    },
    /// It is too small for a test in which candidate and baseline play against others.
    #[error(
        "a field of {field} bots: to test one bot against another with {seats} seats a match takes {needed}"
    )]
    TooFewOpponents {
        /// The size of the field.
        field: usize,
        /// The seats of a match.
        seats: SeatCount,
        /// How many bots it takes.
        needed: usize,
    },
    /// It is too large: for a format that keeps in mind who met whom, or for any.
    #[error("a field of {field} bots: this format has at most {most}")]
    TooManyBots {
        /// The size of the field.
        field: usize,
        /// The most bots.
        most: usize,
    },
    /// It is too large to play through.
    #[error(
        "a field of {field} bots, {seats} seats a match and {positions} positions make more than {MAX_MATCHES} matches: fewer bots or positions are needed"
    )]
    TooManyMatches {
        /// The size of the field.
        field: usize,
        /// The seats of a match.
        seats: SeatCount,
        /// The number of positions.
        positions: usize,
    },
    /// The rounds or groups that are asked for are too many.
    #[error(
        "a field of {field} bots has more than {MAX_MATCHES} matches to play: fewer rounds or groups are needed"
    )]
    TooManyGroups {
        /// The size of the field.
        field: usize,
    },
    /// A balanced sample would take too long to find.
    #[error(
        "a field of {field} bots and {groups} groups: a balanced sample of so many takes too long to find, fewer of either are needed"
    )]
    SampleTooLarge {
        /// The size of the field.
        field: usize,
        /// The groups.
        groups: u64,
    },
    /// A bot that the format is about has not joined.
    #[error("{bot} is not in the field of {field} bots: the format is about it")]
    Missing {
        /// The bot.
        bot: BotName,
        /// The size of the field.
        field: usize,
    },
}

impl FieldError {
    /// Returns the size of the field.
    pub fn field(&self) -> usize {
        match *self {
            Self::TooFewBots { field, .. }
            | Self::TooFewOpponents { field, .. }
            | Self::TooManyBots { field, .. }
            | Self::TooManyMatches { field, .. }
            | Self::TooManyGroups { field }
            | Self::SampleTooLarge { field, .. }
            | Self::Missing { field, .. } => field,
        }
    }

    /// Returns whether a larger field would do.
    pub fn wants_more_bots(&self) -> bool {
        matches!(self, Self::TooFewBots { .. } | Self::TooFewOpponents { .. } | Self::Missing { .. })
    }
}
