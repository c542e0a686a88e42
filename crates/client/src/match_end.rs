//! How a match ended for one seat.

use super::MatchInfo;
use lastnim_core::{game::Seat, oracle::SeatAudit, referee::EndReason};
use lastnim_proto::FromWire as _;
use std::{fmt, sync::Arc};

/// How a match ended.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchEnd {
    /// The match, as known before its first take.
    pub info: Arc<MatchInfo>,
    /// Why it ended.
    pub reason: EndReport,
    /// The winner; `None` if the match was cancelled or its end was not seen.
    pub winner: Option<Seat>,
    /// Whether the bot's seat was forfeited, so that the steward played on for it.
    pub forfeited: bool,
    /// The audit of the bot's play; `None` if there is no winner, or if the tournament hides the oracle from bots.
    pub figures: Option<SeatFigures>,
}

/// The reason why a match ended, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReport {
    /// The server stated the reason.
    Known(EndReason),
    /// The server stated a reason that this version does not know.
    Unknown(i32),
    /// The match ended while the bot had no session, so the reason is not known.
    Unseen,
}

impl EndReport {
    /// Reads the reason from its number in a message.
    pub(super) fn from_wire(number: i32) -> Self {
        EndReason::from_wire(number).map_or(Self::Unknown(number), Self::Known)
    }
}

impl fmt::Display for EndReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(reason) => reason.fmt(f),
            Self::Unknown(_) => f.pad("unknown"),
            Self::Unseen => f.pad("unseen"),
        }
    }
}

/// How well one seat played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeatFigures {
    /// Satisfaction: 1 - rank / (n - 1), where rank is the winner's rank in the seat's row; from 0 to 1.
    pub satisfaction: f64,
    /// How many ranks the seat's own takes cost it.
    pub regret: u32,
    /// How many ranks the other seats' takes gained for this seat; negative if they cost it ranks.
    pub luck: i32,
    /// The number of takes that the bot itself made; the steward's are not counted.
    pub takes: u32,
    /// How many of these takes were optimal.
    pub optimal_takes: u32,
}

impl MatchEnd {
    /// Returns whether the bot's seat won.
    pub fn won(&self) -> bool {
        self.winner == Some(self.info.seat)
    }
}

impl SeatFigures {
    /// Returns the figures of a seat in the audit of its match.
    pub(super) fn of_seat(audit: &SeatAudit) -> Self {
        Self {
            satisfaction: audit.satisfaction,
            regret: audit.regret,
            luck: audit.luck,
            takes: audit.plies,
            optimal_takes: audit.optimal_plies,
        }
    }

    /// Returns the share of the bot's takes that were optimal, from 0 to 1; `None` if it made no takes.
    pub fn accuracy(&self) -> Option<f64> {
        (self.takes > 0).then(|| f64::from(self.optimal_takes) / f64::from(self.takes))
    }
}
