//! Tournament formats.

use super::{GroupCount, RoundCount, SprtSettings, StandingsOrder, Streak, TableGroups};
use lastnim_core::game::{BotName, SeatCount};
use thiserror::Error;

/// The method that decides which bots meet. In every format, each table plays complete duplicate groups: it plays a
/// position once in every rotation of its seats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TournamentFormat {
    /// Every set of n bots plays on every position.
    #[default]
    RoundRobin,
    /// A balanced sample of a round robin. All bots play equally often, give or take one group. With two seats, the
    /// same is true of the meetings of all pairs of bots; with more seats, a search makes the numbers of meetings as
    /// equal as it can.
    Sample {
        /// Total number of duplicate groups.
        groups: GroupCount,
    },
    /// One bot plays against all the others.
    Gauntlet {
        /// The bot that sits at every table.
        bot: BotName,
        /// Total number of duplicate groups. By default, there are enough for each opponent to sit at n - 1 tables on
        /// every position.
        groups: Option<GroupCount>,
    },
    /// Rounds in which bots with similar scores meet, with as few repeated meetings as possible.
    Swiss {
        /// Number of rounds.
        rounds: RoundCount,
        /// Number of duplicate groups that each table plays in a round.
        table_groups: TableGroups,
    },
    /// Rounds after which the best bots of each table advance, until only one table is left: the final.
    Knockout {
        /// How many bots advance from each table, 1 to n - 1.
        advance: usize,
        /// Number of duplicate groups that each table plays in a round.
        table_groups: TableGroups,
    },
    /// An open-ended series of matches, preferably between bots with uncertain ratings. If bots are rated by wins,
    /// those with similar ratings meet.
    Ladder(LadderSettings),
    /// A test of whether one bot is better than another; it stops when the answer is known.
    Sprt(SprtSettings),
}

/// Settings of a ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderSettings {
    /// Total number of duplicate groups; `None` if the ladder continues until it is stopped.
    pub groups: Option<GroupCount>,
    /// Number of duplicate groups that each table plays in a round.
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
    /// Every table is hosted by the bot that has the most uncertain rating of those not yet seated. Some bots may then
    /// never play.
    LeastCertain,
    /// The tables are hosted alternately by the bot with the most uncertain rating and by the bot that has waited
    /// longest.
    #[default]
    ByTurns,
}

/// Why a format does not fit the other settings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No bot would advance, or all would.
    #[error(
        "{advance} bots advance from each table: expected at least 1 bot, and fewer than the {seats} seats of a match"
    )]
    Advance {
        /// How many bots would advance.
        advance: usize,
        /// The number of seats in a match.
        seats: SeatCount,
    },
}

impl TournamentFormat {
    /// Returns whether bots may enter and leave during the tournament.
    pub fn has_open_field(&self) -> bool {
        self.profile().has_open_field
    }

    /// Returns the number of duplicate groups that a bye counts as, if the format has byes.
    pub fn bye_groups(&self) -> Option<TableGroups> {
        if let Self::Swiss { table_groups, .. } = self { Some(*table_groups) } else { None }
    }

    /// Returns the first criterion by which the final standings are sorted. If a bot has withdrawn from a round robin,
    /// some bots have met it and others have not.
    pub(super) fn final_order(&self, has_withdrawals: bool) -> StandingsOrder {
        match self {
            Self::RoundRobin if has_withdrawals => StandingsOrder::PointsPerMatch,
            Self::RoundRobin | Self::Swiss { .. } => StandingsOrder::Points,
            Self::Sample { .. } | Self::Gauntlet { .. } | Self::Sprt(_) => StandingsOrder::PointsPerMatch,
            Self::Knockout { .. } => StandingsOrder::Bracket,
            Self::Ladder(_) => StandingsOrder::Rating,
        }
    }

    /// Checks that the format fits matches with this many seats.
    ///
    /// # Errors
    /// If the format does not fit; the error says why.
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
    /// The default value of `suspend_after`.
    pub const DEFAULT_SUSPEND_AFTER: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_one_but_not_all_bots_of_a_table_advance() {
        let three = SeatCount::new(3).unwrap();
        let knockout = |advance| TournamentFormat::Knockout { advance, table_groups: TableGroups::ONE };
        assert_eq!(knockout(1).check_seats(three), Ok(()));
        assert_eq!(knockout(2).check_seats(three), Ok(()));
        for bad in [0, 3] {
            assert_eq!(
                knockout(bad).check_seats(three).unwrap_err().to_string(),
                format!(
                    "{bad} bots advance from each table: expected at least 1 bot, and fewer than the 3 seats of a match"
                )
            );
        }
    }
}
