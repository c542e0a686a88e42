//! The order of standings.

use super::{Standing, TournamentFormat, TournamentState};

/// The first criterion by which the lines of standings are sorted; [tie-breaks](super::TieBreak) follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandingsOrder {
    /// Total points: for formats in which all bots play equally many matches, or in which better bots earn more
    /// matches.
    Points,
    /// Points per match: for formats that give some bots more matches than others, for a round robin from which a bot
    /// has withdrawn, and for a tournament that has not finished while its ratings cannot be compared.
    PointsPerMatch,
    /// Rating: for formats that pair similar bots, so that all bots win about equally often, and for a tournament that
    /// has not finished, since some bots have played more matches than others.
    Rating,
    /// How far the bots of a knockout got.
    Bracket,
}

impl StandingsOrder {
    /// Returns the criterion by which the lines of a tournament of this format are sorted in a state.
    pub fn of_lines(format: &TournamentFormat, state: TournamentState, lines: &[Standing]) -> Self {
        let has_withdrawals = lines.iter().any(|line| line.is_withdrawn);
        format.final_order(has_withdrawals).in_state(state, lines)
    }

    /// Returns the criterion for a tournament in this state, given that `self` is the criterion for its final
    /// standings.
    pub(super) fn in_state(self, state: TournamentState, lines: &[Standing]) -> Self {
        let mut islands = lines.iter().filter_map(|line| line.rating).map(|rating| rating.island);
        let first = islands.next();
        match self {
            Self::Bracket => Self::Bracket,
            Self::Rating if first.is_some() => Self::Rating,
            Self::Points | Self::PointsPerMatch if state == TournamentState::Finished => self,
            Self::Points | Self::PointsPerMatch
                if first.is_some_and(|first| islands.all(|island| island == first)) =>
            {
                Self::Rating
            }
            Self::Rating | Self::Points | Self::PointsPerMatch => Self::PointsPerMatch,
        }
    }
}
