//! The messages with which a bot joins a tournament over its session: the request, and the answers that accept or
//! refuse it.

use super::{PublicTournament, pb};
use lastnim_core::game::TournamentId;

/// Why a bot was not entered in a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinRefusal {
    /// No tournament has the given id.
    UnknownTournament,
    /// The tournament has started without the bot.
    Started,
    /// The tournament is over.
    Over,
    /// With the bot, the field would be too large, or would have no room left for a bot that it requires.
    Field,
    /// The session has too many pending requests.
    Busy,
    /// The server cannot enter bots at the moment.
    Unavailable,
    /// Entries to the tournament have closed.
    EntriesClosed,
    /// The settings of the tournament do not allow the bot.
    NotAllowed,
}

impl JoinRefusal {
    /// All variants.
    pub const ALL: [Self; 8] = [
        Self::UnknownTournament,
        Self::Started,
        Self::Over,
        Self::Field,
        Self::Busy,
        Self::Unavailable,
        Self::EntriesClosed,
        Self::NotAllowed,
    ];

    /// Returns whether a retry can succeed.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Busy | Self::Unavailable)
    }
}

/// The answer to a bot that could not enter a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinRefused {
    /// The requested tournament, shortened for the reply.
    pub tournament: String,
    /// The reason as a code.
    pub reason: JoinRefusal,
    /// A text that names the offending value and what is expected.
    pub message: String,
}

/// Reads the id of the tournament to join.
///
/// # Errors
/// If it is not a tournament id.
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
