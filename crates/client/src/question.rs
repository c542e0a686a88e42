//! Questions and reports to a bot, and its answers.

use super::{
    Connected, MatchEnd, MatchInfo, MatchView, Message, Refusal, Suspension, TalkRound, TournamentEnd,
};
use lastnim_core::game::{MatchId, Row};
use std::sync::Arc;

/// A question for the bot, or a report to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BotQuestion {
    Connected(Connected),
    Talk(TalkRound),
    /// The bot has heard the messages of this round.
    Heard(Arc<MatchInfo>, u32),
    Declare(Arc<MatchInfo>),
    Play(MatchView),
    Refused(Refusal),
    Suspended(Suspension),
    TournamentEnded(TournamentEnd),
    Ended(MatchEnd),
}

/// The bot's answer.
#[derive(Debug, Clone)]
pub(super) enum BotAnswer {
    /// The report was handled.
    Handled,
    /// The messages to send in this round of talk; `None` to declare at once.
    Messages { match_id: MatchId, round: u32, messages: Option<Vec<Message>> },
    /// The row to declare.
    Row { match_id: MatchId, row: Row, note_hash: Option<[u8; 32]> },
    /// The number of counters to take.
    Take { match_id: MatchId, ply: u32, take: u64, note_hash: Option<[u8; 32]> },
    /// The bot cannot continue this match.
    Resigned { match_id: MatchId },
    /// The question was withdrawn, so the bot gave no answer.
    Withdrawn,
}

impl BotQuestion {
    /// Returns the match that needs messages, a row or a take, if the question asks for one.
    pub(super) fn match_of_request(&self) -> Option<MatchId> {
        match self {
            Self::Talk(round) => Some(round.info.id),
            Self::Declare(info) => Some(info.id),
            Self::Play(view) => Some(view.id),
            Self::Connected(_)
            | Self::Heard(..)
            | Self::Refused(_)
            | Self::Suspended(_)
            | Self::TournamentEnded(_)
            | Self::Ended(_) => None,
        }
    }
}
