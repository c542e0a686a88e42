//! What is known of a match before its first take.

use lastnim_core::{
    game::{MatchId, Seat},
    referee::MatchSetup,
};
use std::ops::Deref;

/// All that was fixed before the first take of a match, seen from one seat; the setup's fields are read through it, as
/// in `info.piles`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchInfo {
    /// The match.
    pub id: MatchId,
    /// The bot's own seat.
    pub seat: Seat,
    /// The bots, the piles, the clock and the rest.
    pub setup: MatchSetup,
}

impl MatchInfo {
    /// Returns whether the organiser gave the rows, so that no seat declares one.
    pub fn rows_are_assigned(&self) -> bool {
        self.assigned.is_some()
    }
}

impl Deref for MatchInfo {
    type Target = MatchSetup;

    fn deref(&self) -> &MatchSetup {
        &self.setup
    }
}
