//! Joining a tournament over a bot's own stream: what is asked, and the two answers.

use super::{PublicTournament, pb};
use lastnim_core::game::TournamentId;

/// Why a bot was not entered in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinRefusal {
    /// No tournament has the id.
    UnknownTournament,
    /// It has started without the bot.
    Started,
    /// It is over.
    Over,
    /// It could not be played with the field that the bot would make: that is too large, or lacks a bot that it needs.
    Field,
    /// Too many requests of the session wait for their answers.
    Busy,
    /// The server cannot enter anybody now.
    Unavailable,
}

impl JoinRefusal {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::UnknownTournament, Self::Started, Self::Over, Self::Field, Self::Busy, Self::Unavailable];

    /// Returns whether asking again later can help.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Busy | Self::Unavailable)
    }
}

/// A bot is not entered in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinRefused {
    /// The tournament that was named, cut to a length that can be sent back.
    pub tournament: String,
    /// The reason, for programs.
    pub reason: JoinRefusal,
    /// The offending value and what would be right.
    pub message: String,
}

/// Reads which tournament a bot would join.
///
/// # Errors
/// If the word is no id.
pub(super) fn parse_named_tournament(word: &str) -> Result<TournamentId, JoinRefused> {
    word.parse().map_err(|error: lastnim_core::game::TournamentIdError| JoinRefused {
        tournament: error.0.clone(),
        reason: JoinRefusal::UnknownTournament,
        message: error.to_string(),
    })
}

impl From<&PublicTournament> for pb::JoinedTournament {
    fn from(tournament: &PublicTournament) -> Self {
        Self { tournament: Some(tournament.message_without_positions()) }
    }
}

impl From<JoinRefused> for pb::JoinRefused {
    fn from(refused: JoinRefused) -> Self {
        Self {
            tournament_id: refused.tournament,
            reason: pb::JoinRefusal::from(refused.reason).into(),
            message: refused.message,
        }
    }
}
