//! Tournament formats.

use super::{GroupCount, RoundCount, SprtSettings, Streak, TableGroups};
use lastnim_core::game::{BotName, SeatCount};
use thiserror::Error;

/// The method that decides which bots meet. In every format, each table plays complete duplicate groups: a position in
/// every rotation of its seats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TournamentFormat {
    /// Every set of n bots, on every position.
    #[default]
    RoundRobin,
    /// A balanced sample of a round robin. All bots play equally often, give or take one. All pairs meet equally often:
    /// give or take one with two seats, and as closely as a search finds with more seats.
    Sample {
        /// Total number of duplicate groups.
        groups: GroupCount,
    },
    /// One bot against the field.
    Gauntlet {
        /// The bot that sits at every table.
        bot: BotName,
        /// Total number of duplicate groups; by default each opponent sits at n - 1 tables on every position.
        groups: Option<GroupCount>,
    },
    /// Rounds in which bots with similar scores meet, with as few repeated meetings as possible.
    Swiss {
        /// Number of rounds.
        rounds: RoundCount,
        /// Duplicate groups per table and round.
        table_groups: TableGroups,
    },
    /// Rounds after which the best bots of each table advance, until only one table is left: the final.
    Knockout {
        /// How many bots of each table advance, 1 to n - 1.
        advance: usize,
        /// Duplicate groups per table and round.
        table_groups: TableGroups,
    },
    /// An open-ended series of matches, preferably between bots with uncertain ratings. If it is rated by wins, bots
    /// with similar ratings meet.
    Ladder(LadderSettings),
    /// A test of whether one bot is better than another; it stops when the answer is known.
    Sprt(SprtSettings),
}

/// Settings of a ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderSettings {
    /// Total number of duplicate groups; without a number the ladder continues until it is stopped.
    pub groups: Option<GroupCount>,
    /// Duplicate groups per table and round.
    pub table_groups: TableGroups,
    /// A bot that forfeits this many matches in a row is suspended.
    pub suspend_after: Streak,
    /// The pairing method.
    pub pairing: LadderPairing,
}

/// How a ladder draws its tables. A ladder keeps the method that it began with, so later server versions can continue
/// it and anyone can recompute its pairings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LadderPairing {
    /// The bot with the most uncertain rating hosts every table. This can starve bots.
    LeastCertain,
    /// The hosts alternate between the bot with the most uncertain rating and the bot that has waited longest.
    #[default]
    ByTurns,
}

/// Why a format does not fit the other settings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No bot would advance, or all would.
    #[error("the best {advance} of a table advance: with {seats} seats per match, expected 1 to {}", seats.get() - 1)]
    Advance {
        /// How many bots would advance.
        advance: usize,
        /// The seats of a match.
        seats: SeatCount,
    },
}

/// The first criterion of the standings; regret comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StandingsOrder {
    /// Total points, if all bots play equally many matches, or if better bots earn more matches.
    Points,
    /// Points per match, if the format gives some bots more matches than others.
    PointsPerMatch,
    /// Rating, if the format pairs similar bots, so that all win about equally often. Before there are ratings, points
    /// per match.
    Rating,
}

impl TournamentFormat {
    /// Returns whether bots may enter and leave during the tournament.
    pub fn has_open_field(&self) -> bool {
        self.profile().has_open_field
    }

    /// Returns the number of duplicate groups that a bye counts for, if the format has byes.
    pub fn bye_groups(&self) -> Option<TableGroups> {
        if let Self::Swiss { table_groups, .. } = self { Some(*table_groups) } else { None }
    }

    /// Returns the first criterion of the standings.
    pub(super) fn standings_order(&self) -> StandingsOrder {
        match self {
            Self::RoundRobin | Self::Swiss { .. } | Self::Knockout { .. } => StandingsOrder::Points,
            Self::Sample { .. } | Self::Gauntlet { .. } | Self::Sprt(_) => StandingsOrder::PointsPerMatch,
            Self::Ladder(_) => StandingsOrder::Rating,
        }
    }

    /// Checks that the format fits matches with this many seats.
    ///
    /// # Errors
    /// Names what does not fit.
    pub fn check_seats(&self, seats: SeatCount) -> Result<(), FormatError> {
        match *self {
            Self::Knockout { advance, .. } if !(1..seats.get()).contains(&advance) => {
                Err(FormatError::Advance { advance, seats })
            }
            _ => Ok(()),
        }
    }
}

impl LadderSettings {
    /// The default of `suspend_after`.
    pub const DEFAULT_SUSPEND_AFTER: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_but_not_all_bots_advance() {
        let three = SeatCount::new(3).unwrap();
        let knockout = |advance| TournamentFormat::Knockout { advance, table_groups: TableGroups::ONE };
        assert_eq!(knockout(1).check_seats(three), Ok(()));
        assert_eq!(knockout(2).check_seats(three), Ok(()));
        for bad in [0, 3] {
            assert_eq!(
                knockout(bad).check_seats(three).unwrap_err().to_string(),
                format!("the best {bad} of a table advance: with 3 seats per match, expected 1 to 2")
            );
        }
    }
}
