//! What the server refused, and why.

use lastnim_core::{game::MatchId, referee::RefusalReason};

/// Something that the bot sent and that the server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The match, if the refused message named one.
    pub match_id: Option<MatchId>,
    /// The reason, for programs; absent where this version does not know it.
    pub reason: Option<RefusalReason>,
    /// The reason in words: the offending value, and what would be right.
    pub message: String,
    /// The ply that the match has reached.
    pub ply: u32,
    /// The seat's strikes so far.
    pub strikes: u32,
    /// Strikes left before the seat is forfeited.
    pub strikes_left: u32,
}

impl Refusal {
    /// Logs it as a warning.
    pub(super) fn log(&self) {
        tracing::warn!(reason = self.reason.map(tracing::field::display), "{}", self.message);
    }
}
