//! What is known of a match before its first take.

use crate::game::{AllianceMatrix, BotName, BySeat, Ending, MatchId, Piles, Seat, SeatCount};
use std::time::Duration;

/// All that was fixed before the first take of a match, seen from one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchInfo {
    /// The match.
    pub id: MatchId,
    /// The bot's own seat.
    pub seat: Seat,
    /// The names of all bots, by seat.
    pub bots: BySeat<BotName>,
    /// The piles at the start.
    pub piles: Piles,
    /// The seat that moves first.
    pub first: Seat,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// The clock.
    pub clock: Clock,
    /// The rows, where they are assigned; absent where seats declare their own.
    pub assigned: Option<AllianceMatrix>,
    /// The strike that forfeits a seat.
    pub strikes: u32,
    /// The number of plies after which the oracle decides.
    pub max_plies: u32,
    /// The match's place in its tournament; absent for an exhibition.
    pub tournament: Option<TournamentMatch>,
}

/// The place of a match in its tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TournamentMatch {
    /// The tournament's id.
    pub id: String,
    /// The number of the match, from 0.
    pub number: u64,
    /// The duplicate group: the matches of the same bots on the same piles in every rotation.
    pub group: u64,
}

/// The clock of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// What every seat's bank starts with.
    pub initial: Duration,
    /// What is added to it after each take of the seat.
    pub increment: Duration,
    /// The most lag that is given back for one take.
    pub lag_quota: Duration,
    /// The most lag that is given back to a seat in one match.
    pub lag_total: Duration,
    /// How long every seat has to declare its row.
    pub declaration: Duration,
}

impl MatchInfo {
    /// Returns how many seats there are.
    pub fn seats(&self) -> SeatCount {
        self.bots.seats()
    }

    /// Returns whether the organiser gave the rows, so that no seat declares one.
    pub fn rows_are_assigned(&self) -> bool {
        self.assigned.is_some()
    }
}
