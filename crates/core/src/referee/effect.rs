//! What goes into the referee and what comes out of it.

use super::{MatchSnapshot, Refusal, SeatAction, TimedEvent};
use crate::game::{Row, Seat};
use std::time::Duration;

/// Something that the referee is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefereeInput {
    /// The seat's bot has come back, or come for the first time, and wants to know how the match stands.
    Joined {
        /// The seat.
        seat: Seat,
    },
    /// The seat's bot is gone; its clock runs on.
    Left {
        /// The seat.
        seat: Seat,
    },
    /// The seat's bot acts.
    Act {
        /// The seat.
        seat: Seat,
        /// What it does.
        action: SeatAction,
    },
    /// The organiser has disqualified the seat's bot. A seat that is lost already stays as it is.
    Disqualify {
        /// The seat.
        seat: Seat,
    },
    /// Time has passed.
    Tick,
    /// The organiser calls the match off.
    Cancel,
}

/// Something that the referee wants done, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an event that is not stored and announced is lost"]
pub enum RefereeEffect {
    /// Something happened: store it, then show it to every seat and watcher that may see it.
    Happened(TimedEvent),
    /// Something to tell to one seat.
    Tell {
        /// The seat.
        seat: Seat,
        /// What to tell it.
        tell: SeatMessage,
    },
}

/// Something for the ears of one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatMessage {
    /// Its row is in.
    Declared {
        /// The row that counts.
        row: Row,
    },
    /// It is to move; said again, as it stands, after a refusal.
    Turn(Turn),
    /// Its take was made before: the acknowledgement again.
    TookAgain {
        /// The ply.
        ply: u32,
        /// Counters taken.
        take: u64,
    },
    /// What it sent was refused. What is still expected of the seat follows: its turn, or a snapshot while its row is not
    /// in.
    Refused(Refusal),
    /// The match as it stands.
    Snapshot(Box<MatchSnapshot>),
}

/// A seat's turn: the piles before `pile` are untouched, those behind it empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The number of the take to come, from 0.
    pub ply: u32,
    /// The index of the last nonempty pile, from 0.
    pub pile: usize,
    /// The counters left in it, which is the largest legal take.
    pub counters: u64,
    /// What is left of the seat's bank.
    pub bank: Duration,
}
