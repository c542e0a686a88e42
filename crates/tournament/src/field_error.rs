//! Reasons why a field of bots cannot play a tournament.

use lastnim_core::game::{BotName, SeatCount};
use thiserror::Error;

/// Maximum number of matches in a tournament that is not open-ended.
pub const MAX_MATCHES: u64 = 10_000_000;

/// Why a field cannot play a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// There are not enough bots for a match.
    #[error(
        "a field of {field_size} bot{s}: expected at least {seats}, one per seat",
        s = if *field_size == 1 { "" } else { "s" }
    )]
    TooFewBots {
        /// The size of the field.
        field_size: usize,
        /// The number of seats in a match.
        seats: SeatCount,
    },
    /// There are too few bots for a test in which the candidate and the baseline play against other bots.
    #[error(
        "a field of {field_size} bot{s}: testing one bot against another with {seats} seats per match needs at least {needed}",
        s = if *field_size == 1 { "" } else { "s" }
    )]
    TooFewOpponents {
        /// The size of the field.
        field_size: usize,
        /// The number of seats in a match.
        seats: SeatCount,
        /// The number of bots needed.
        needed: usize,
    },
    /// There are too many bots for the format.
    #[error("a field of {field_size} bots: expected at most {max} in this format")]
    TooManyBots {
        /// The size of the field.
        field_size: usize,
        /// The maximum number of bots.
        max: usize,
    },
    /// There would be too many matches.
    #[error(
        "{field_size} bots, {seats} seats per match and {positions} position{s} would make more than {MAX_MATCHES} matches: use fewer bots or positions",
        s = if *positions == 1 { "" } else { "s" }
    )]
    TooManyMatches {
        /// The size of the field.
        field_size: usize,
        /// The number of seats in a match.
        seats: SeatCount,
        /// The number of positions.
        positions: usize,
    },
    /// There are too many rounds or groups.
    #[error(
        "a field of {field_size} bots would play more than {MAX_MATCHES} matches: use fewer rounds or groups"
    )]
    TooManyGroups {
        /// The size of the field.
        field_size: usize,
    },
    /// Finding a balanced sample would take too long.
    #[error(
        "finding a balanced sample of {groups} groups from a field of {field_size} bots would take too long: use fewer bots or groups"
    )]
    SampleTooLarge {
        /// The size of the field.
        field_size: usize,
        /// The number of groups.
        groups: u64,
    },
    /// A bot that the format names is not in the field.
    #[error(
        "the format names {bot}, but it is not in the field of {field_size} bot{s}",
        s = if *field_size == 1 { "" } else { "s" }
    )]
    Missing {
        /// The missing bot.
        bot: BotName,
        /// The size of the field.
        field_size: usize,
    },
}

impl FieldError {
    /// Returns whether adding bots to the field could resolve the error.
    pub fn wants_more_bots(&self) -> bool {
        matches!(self, Self::TooFewBots { .. } | Self::TooFewOpponents { .. } | Self::Missing { .. })
    }
}
