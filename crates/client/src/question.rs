//! What a bot is asked and told, and what it answers.

use super::{Connected, MatchEnd, MatchInfo, MatchView, Refusal, Suspension, TournamentEnd};
use lastnim_core::game::{MatchId, Row};
use std::sync::Arc;

/// What the bot is asked or told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BotQuestion {
    Connected(Connected),
    Declare(Arc<MatchInfo>),
    Play(MatchView),
    Refused(Refusal),
    Suspended(Suspension),
    TournamentEnded(TournamentEnd),
    Ended(MatchEnd),
}

/// What the bot answered.
#[derive(Debug, Clone)]
pub(super) enum BotAnswer {
    /// It has heard a report.
    Heard,
    /// The row to declare.
    Row { match_id: MatchId, row: Row, note_hash: Option<[u8; 32]> },
    /// The counters to take.
    Take { match_id: MatchId, ply: u32, take: u64, note_hash: Option<[u8; 32]> },
    /// It cannot go on in this match.
    Resigned { match_id: MatchId },
    /// Nothing: its answer was no longer needed.
    Withdrawn,
}

impl BotQuestion {
    /// Returns the match in which it asks for an action, if it does.
    pub(super) fn match_of_request(&self) -> Option<MatchId> {
        match self {
            Self::Declare(info) => Some(info.id),
            Self::Play(view) => Some(view.id),
            Self::Connected(_)
            | Self::Refused(_)
            | Self::Suspended(_)
            | Self::TournamentEnded(_)
            | Self::Ended(_) => None,
        }
    }
}
