//! Suspension of a bot by a ladder.

use lastnim_core::game::TournamentId;
pub use lastnim_tournament::SuspensionReason;

/// The bot's suspension by a ladder after too many forfeits in a row.
///
/// To return, the bot joins the ladder again. Its next forfeit then suspends it again, unless it has completed a match
/// in the meantime.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suspension {
    /// The tournament.
    pub tournament: TournamentId,
    /// The reason as a code; absent if this version does not know it.
    pub reason: Option<SuspensionReason>,
    /// The reason as text.
    pub message: String,
    /// The first round without matches for the bot.
    pub from_round: u64,
    /// How many matches in a row the bot has forfeited.
    pub lost: u64,
    /// The number of these matches in which the bot never appeared.
    pub no_shows: u64,
    /// The number of the last of these matches in the tournament.
    pub last: u64,
}

impl Suspension {
    pub(super) fn log(&self) {
        tracing::warn!(tournament = %self.tournament, "{}", self.message);
    }
}
