//! Who meets whom in a tournament.

use super::{GroupCount, RoundCount, SprtSettings, Streak, TableGroups};
use lastnim_core::game::{BotName, SeatCount};
use thiserror::Error;

/// Who meets whom in a tournament. In every format each table plays whole duplicate groups: a position in every rotation
/// of its seats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TournamentFormat {
    /// Every set of n bots, on every position.
    #[default]
    RoundRobin,
    /// A balanced sample of a round robin: so many groups that all bots sit equally often, up to one, and every two of them
    /// meet equally often: up to one with two seats, and with more seats as nearly so as a search finds.
    Sample {
        /// Duplicate groups in all.
        groups: GroupCount,
    },
    /// One bot against the field.
    Gauntlet {
        /// The bot that sits at every table.
        bot: BotName,
        /// Duplicate groups in all; without a number, so many that each opponent sits at n - 1 tables on every position.
        groups: Option<GroupCount>,
    },
    /// Rounds in which bots of like scores meet, and those that met before as seldom as possible.
    Swiss {
        /// How many.
        rounds: RoundCount,
        /// Duplicate groups that each table plays in a round.
        table_groups: TableGroups,
    },
    /// Rounds after which the best of each table go on, down to one table: the final.
    Knockout {
        /// How many of each table go on, 1 to n - 1.
        advance: usize,
        /// Duplicate groups that each table plays in a round.
        table_groups: TableGroups,
    },
    /// Matches of bots of like ratings, the least known first, for as long as nobody stops it.
    Ladder(LadderSettings),
    /// Is one bot better than another? Played until that is known.
    Sprt(SprtSettings),
}

/// How a ladder goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LadderSettings {
    /// Duplicate groups in all, after which it is over; without a number it goes on until it is stopped.
    pub groups: Option<GroupCount>,
    /// Duplicate groups that each table plays in a round.
    pub table_groups: TableGroups,
    /// A bot whose seat was lost in so many matches in a row is suspended.
    pub suspend_after: Streak,
    /// How its tables are drawn.
    pub pairing: LadderPairing,
}

/// How the tables of a ladder are drawn. A ladder keeps the method with which it began, so that a later version of the
/// server can carry it on, and anybody can work out its pairings again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LadderPairing {
    /// The bot with the most uncertain rating hosts every table. It can starve bots.
    LeastCertain,
    /// By turns, the bot with the most uncertain rating and the bot that has waited longest host a table.
    #[default]
    ByTurns,
}

/// Parts of a format that do not fit the rest of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Nobody would go on, or everybody would.
    #[error("the best {advance} of a table go on: with {seats} seats a match it is 1 to {}", seats.get() - 1)]
    Advance {
        /// How many would.
        advance: usize,
        /// The seats of a match.
        seats: SeatCount,
    },
}

/// What puts bots in order in the standings, before regret does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StandingsOrder {
    /// The sum of their points: all play equally many matches, or as many as they earn.
    Points,
    /// Their points a match: the format gives some more matches than others, so that a sum would say who played most.
    PointsAMatch,
    /// Their rating: the format seats them with their like, so that all win equally often. By points a match before they are
    /// rated.
    Rating,
}

impl TournamentFormat {
    /// Returns whether bots may come and go while it is played.
    pub fn has_open_field(&self) -> bool {
        self.profile().has_open_field
    }

    /// Returns the duplicate groups for which a bye counts, where bots have byes.
    pub fn bye_groups(&self) -> Option<TableGroups> {
        if let Self::Swiss { table_groups, .. } = self { Some(*table_groups) } else { None }
    }

    /// Returns what puts bots in order in the standings.
    pub(super) fn standings_order(&self) -> StandingsOrder {
        match self {
            Self::RoundRobin | Self::Swiss { .. } | Self::Knockout { .. } => StandingsOrder::Points,
            Self::Sample { .. } | Self::Gauntlet { .. } | Self::Sprt(_) => StandingsOrder::PointsAMatch,
            Self::Ladder(_) => StandingsOrder::Rating,
        }
    }

    /// Checks that the format fits matches of so many seats.
    ///
    /// # Errors
    /// Names what does not.
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
    /// A bot is suspended after so many matches in a row in which its seat was lost, unless said otherwise.
    pub const SET_ASIDE_AFTER: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_goes_on_and_somebody_does_not() {
        let three = SeatCount::new(3).unwrap();
        let knockout = |advance| TournamentFormat::Knockout { advance, table_groups: TableGroups::ONE };
        assert_eq!(knockout(1).check_seats(three), Ok(()));
        assert_eq!(knockout(2).check_seats(three), Ok(()));
        for bad in [0, 3] {
            assert_eq!(
                knockout(bad).check_seats(three).unwrap_err().to_string(),
                format!("the best {bad} of a table go on: with 3 seats a match it is 1 to 2")
            );
        }
    }
}
