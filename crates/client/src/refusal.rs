//! Refusals by the server.

use lastnim_core::{game::MatchId, referee::RefusalReason};

/// A request from the bot that the server has refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The match, if the refused message named one.
    pub match_id: Option<MatchId>,
    /// The reason as a code; absent if this version does not know it.
    pub reason: Option<RefusalReason>,
    /// The reason as text: the offending value, and what is expected.
    pub message: String,
    /// The current ply of the match.
    pub ply: u32,
    /// The seat's strikes so far.
    pub strikes: u32,
    /// Strikes left before the seat is forfeited.
    pub strikes_left: u32,
}

impl Refusal {
    /// Logs it, as bots do by default.
    pub fn log(&self) {
        tracing::warn!(reason = self.reason.map(tracing::field::display), "{}", self.message);
    }
}
