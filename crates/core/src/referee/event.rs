//! The events of a match.

use super::{DealtRows, MatchSetup, NoteHash, RefusalReason, TalkMessage, Timestamp};
use crate::game::{AllianceMatrix, Row, Seat};
use crate::oracle::Mover;
use std::{fmt, time::Duration};

/// An event and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedEvent {
    /// When the event happened; never before the previous event.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// An event in the record of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The match was set up.
    Created(Box<MatchSetup>),
    /// Each seat was dealt a private row, by which it scores. If rows are dealt, this event comes directly after
    /// `created`. Each seat sees only its own row until the match has a winner. If the match is cancelled, the rows
    /// stay secret.
    Dealt(Box<DealtRows>),
    /// A seat sent a message. Its audience hears it when the round ends. Once the match has a winner, everybody else
    /// sees that it was sent.
    Said(Box<TalkMessage>),
    /// A seat ended its own talk in a round.
    TalkEnded {
        /// The seat.
        seat: Seat,
        /// The round, from 0.
        round: u32,
    },
    /// A round of talk ended, and each seat was sent the messages that are addressed to it.
    Heard {
        /// The round, from 0.
        round: u32,
    },
    /// A seat's row was settled, by declaration or by default; it stays secret until the rows are revealed.
    Declared {
        /// The seat.
        seat: Seat,
        /// The seat's row.
        row: Row,
        /// Why the seat has the standard row instead of a declared one; `None` if it declared its row.
        defaulted: Option<RowDefault>,
        /// The note hash, if the bot sent one.
        note_hash: Option<NoteHash>,
    },
    /// All rows were shown to everyone; play begins.
    Revealed {
        /// The rows.
        matrix: AllianceMatrix,
    },
    /// A take was made.
    Took {
        /// The index of the take, from 0.
        ply: u32,
        /// The seat.
        seat: Seat,
        /// The number of counters taken.
        take: u64,
        /// Who moved for the seat.
        mover: Mover,
        /// The time charged to the seat's bank, in whole microseconds.
        charged: Duration,
        /// The time credited to the seat for network lag, in whole microseconds.
        credited: Duration,
        /// The note hash, if the bot sent one.
        note_hash: Option<NoteHash>,
    },
    /// A seat was given a strike.
    Struck {
        /// The seat.
        seat: Seat,
        /// The ply that the match had reached.
        ply: u32,
        /// The reason.
        reason: RefusalReason,
    },
    /// A seat was forfeited; from then on, the steward plays it.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// The reason.
        reason: ForfeitReason,
    },
    /// The match ended.
    Ended {
        /// The reason.
        reason: EndReason,
        /// The winner; `None` if the match was cancelled.
        winner: Option<Seat>,
    },
}

/// Why a seat has the standard row instead of a declared one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowDefault {
    /// The deadline passed before the seat declared.
    Late,
    /// The declared row was invalid.
    Invalid,
    /// The seat was forfeited before it declared.
    Forfeited,
}

/// Why a seat was forfeited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForfeitReason {
    /// The bot was connected and let its clock run out.
    TimedOut,
    /// The clock, or the time to return, ran out while the bot was disconnected.
    Disconnected,
    /// The bot never connected during the match.
    NoShow,
    /// The seat got too many strikes.
    Strikes,
    /// The bot resigned.
    Resigned,
    /// The organiser disqualified the bot.
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

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The last counter was taken.
    Finished,
    /// The ply limit was reached; the oracle named the winner.
    PlyLimit,
    /// Every seat was forfeited; the oracle named the winner.
    AllForfeited,
    /// The match was cancelled and has no winner.
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
