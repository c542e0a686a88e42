//! What a bot hears of a ladder that gives it no more matches.

use lastnim_core::game::TournamentId;
pub use lastnim_tournament::SuspensionReason;

/// A ladder that gives the bot no more matches, as it lost its seat in too many in a row.
///
/// It returns by joining again, and is suspended again with the next match in which it loses its seat, unless it has kept it
/// in one before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suspension {
    /// The tournament.
    pub tournament: TournamentId,
    /// Why, for programs; absent where this version does not know it.
    pub reason: Option<SuspensionReason>,
    /// Why, in words.
    pub message: String,
    /// The round from which on it gets no match.
    pub from_round: u64,
    /// Matches in a row in which its seat was lost.
    pub lost: u64,
    /// Those of them to which it never came.
    pub no_shows: u64,
    /// The number of the last of them.
    pub last: u64,
}

impl Suspension {
    /// Logs it as a warning.
    pub(super) fn log(&self) {
        tracing::warn!(tournament = %self.tournament, "{}", self.message);
    }
}
