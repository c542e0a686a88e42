//! How the declarations of one bot affect another.

use super::mover_tally::CededCounts;
use serde::{Deserialize, Serialize};

/// A running tally of how one bot (the mover) ranks another bot in its declared rows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct DeclarationTally {
    /// Matches with declared rows at tables of three or more seats.
    pub(super) declared: u64,
    /// The total number of seats in the matches with declared rows.
    pub(super) seats: u64,
    /// Matches that the other bot wins under optimal play, but would not win if the mover exchanged the other bot's
    /// rank with that of a third bot.
    pub(super) wins_given: u64,
    /// Matches that the other bot would win only if the mover exchanged the other bot's rank with that of a third bot.
    pub(super) wins_taken: u64,
    /// Matches that the mover would have won under optimal play by ranking itself first, but loses with its row.
    pub(super) own_wins_lost: u64,
    /// Matches that the mover wins with its declared row, but would lose by ranking itself first.
    pub(super) own_wins_gained: u64,
    /// Matches that the mover would win only with another row.
    pub(super) forgone: ForgoneWins,
    /// Matches in which the mover ranked the other bot before itself.
    pub(super) ceded: CededCounts,
    /// Matches in which the mover ranked the other bot before itself, and which it would have won only with another
    /// row.
    pub(super) ceded_and_forgone: u64,
}

/// The wins that a bot forgoes by its declarations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ForgoneWins {
    /// Matches for which it is known whether the bot would have won with another row.
    pub(super) judged: u64,
    /// Those of the judged matches that the bot does not win, but would win with another row.
    pub(super) forgone: u64,
}

impl DeclarationTally {
    /// Adds other declarations of the same pair; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: &Self) -> Option<()> {
        add_fields!(self, other; declared, seats, wins_given, wins_taken, own_wins_lost, own_wins_gained);
        add_fields!(self.forgone, other.forgone; judged, forgone);
        add_fields!(self.ceded, other.ceded; matches, ceded);
        add_fields!(self, other; ceded_and_forgone);
        Some(())
    }
}

impl ForgoneWins {
    /// Adds a match; ignores a match for which it is unknown whether the bot would have won with another row.
    pub(super) fn add_match(&mut self, is_forgone: Option<bool>) {
        self.judged += u64::from(is_forgone.is_some());
        self.forgone += u64::from(is_forgone == Some(true));
    }

    /// Returns the share of judged matches whose win was forgone; `None` without judged matches.
    pub(super) fn share(self) -> Option<f64> {
        super::estimate::share_of(self.forgone, self.judged)
    }
}
