//! What happens in a match.

use super::{MatchSetup, NoteHash, RefusalReason, Timestamp};
use crate::game::{AllianceMatrix, Row, Seat};
use crate::oracle::Mover;
use std::{fmt, time::Duration};

/// An event and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedEvent {
    /// When it happened; never before the event that it follows.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// Something that happened in a match and belongs to its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The match was set up.
    Created(Box<MatchSetup>),
    /// A seat's row became known to the server; nobody else sees it before the rows are revealed.
    Declared {
        /// The seat.
        seat: Seat,
        /// Its row.
        row: Row,
        /// Why it is the standard row and not the seat's own, if it is not.
        defaulted: Option<RowDefault>,
        /// What the bot added to its row.
        note_hash: Option<NoteHash>,
    },
    /// All rows were shown to everybody; play begins.
    Revealed {
        /// The rows.
        matrix: AllianceMatrix,
    },
    /// A take was made.
    Took {
        /// The number of the take, from 0.
        ply: u32,
        /// The seat.
        seat: Seat,
        /// Counters taken.
        take: u64,
        /// Who moved for the seat.
        mover: Mover,
        /// What the seat's bank was charged, in whole microseconds.
        charged: Duration,
        /// Lag given back, in whole microseconds.
        credited: Duration,
        /// What the bot added to its take.
        note_hash: Option<NoteHash>,
    },
    /// A seat was given a strike.
    Struck {
        /// The seat.
        seat: Seat,
        /// The ply that the match had reached.
        ply: u32,
        /// Why.
        reason: RefusalReason,
    },
    /// A seat was lost; the steward plays it from here.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// How it was lost.
        reason: ForfeitReason,
    },
    /// The match ended.
    Ended {
        /// How it came to its end.
        reason: EndReason,
        /// Who won; `None` where it was cancelled.
        winner: Option<Seat>,
    },
}

impl Event {
    /// Returns whether seats and watchers may see it before the rows are revealed.
    pub fn is_public(&self) -> bool {
        !matches!(self, Self::Declared { .. })
    }
}

/// Why a seat's row is not one that it declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowDefault {
    /// The deadline passed.
    Late,
    /// What it declared was no row.
    Invalid,
    /// The seat was lost before it declared.
    Forfeited,
}

/// How a seat was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForfeitReason {
    /// The bot was connected and let its clock run out: a stall.
    TimedOut,
    /// The clock ran out while the bot's stream was gone.
    Disconnected,
    /// The bot never connected during the match.
    NoShow,
    /// Too many strikes.
    Strikes,
    /// The bot gave up.
    Resigned,
    /// The organiser has disqualified the bot.
    Disqualified,
}

impl ForfeitReason {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::TimedOut, Self::Disconnected, Self::NoShow, Self::Strikes, Self::Resigned, Self::Disqualified];
}

impl fmt::Display for ForfeitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::TimedOut => "timed out",
            Self::Disconnected => "disconnected",
            Self::NoShow => "no-show",
            Self::Strikes => "strikes",
            Self::Resigned => "resigned",
            Self::Disqualified => "disqualified",
        })
    }
}

/// How a match came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The last counter was taken.
    Finished,
    /// The ply limit was reached; the oracle named the winner.
    PlyLimit,
    /// Every seat was forfeited; the oracle named the winner.
    AllForfeited,
    /// It was cancelled; nobody won.
    Cancelled,
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Finished => "finished",
            Self::PlyLimit => "ply limit",
            Self::AllForfeited => "all seats forfeited",
            Self::Cancelled => "cancelled",
        })
    }
}
