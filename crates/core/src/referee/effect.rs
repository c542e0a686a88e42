//! The inputs to the referee, and its effects.

use super::{MatchSnapshot, Refusal, SeatAction, TimedEvent};
use crate::game::{Row, Seat};
use std::time::Duration;

/// An input to the referee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefereeInput {
    /// The seat's bot has connected or reconnected, and needs a snapshot.
    Joined {
        /// The seat.
        seat: Seat,
    },
    /// The seat's bot has disconnected; its clock keeps running.
    Left {
        /// The seat.
        seat: Seat,
    },
    /// The seat's bot acts.
    Act {
        /// The seat.
        seat: Seat,
        /// The action.
        action: SeatAction,
    },
    /// The organiser has disqualified the seat's bot. Has no effect on a seat that has already forfeited.
    Disqualify {
        /// The seat.
        seat: Seat,
    },
    /// Time has passed.
    Tick,
    /// The organiser cancels the match.
    Cancel,
}

/// Work that the caller of the referee has to do, in the order of the effects.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an event that is not stored and announced is lost"]
pub enum RefereeEffect {
    /// An event occurred: store it, then send it to every seat and watcher that may see it.
    EventOccurred(TimedEvent),
    /// A message to one seat.
    SendToSeat {
        /// The seat.
        seat: Seat,
        /// The message.
        message: SeatMessage,
    },
}

/// A message to one seat alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatMessage {
    /// The seat's row is settled and can no longer change.
    Declared {
        /// The row that applies.
        row: Row,
    },
    /// A message of the seat, or the end of its talk in a round, was accepted.
    TalkAccepted {
        /// The round, from 0.
        round: u32,
        /// The number of the message; `None` for the end of the seat's talk.
        number: Option<u32>,
        /// Whether the message, or the end of talk, had been accepted before.
        again: bool,
    },
    /// It is the seat's turn. After a refusal, this is repeated with the current state.
    Turn(Turn),
    /// The seat repeated a take that it had already made; this acknowledges the take again.
    TakeRepeated {
        /// The ply.
        ply: u32,
        /// The number of counters taken.
        take: u64,
    },
    /// The seat's message was refused. If an action is still expected, a turn or a snapshot follows.
    Refused(Refusal),
    /// The current state of the match.
    Snapshot(Box<MatchSnapshot>),
}

/// The state of the match when it is a seat's turn. The piles before `pile` are untouched, and those after it are
/// empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The number of the next take, from 0.
    pub ply: u32,
    /// The index of the last nonempty pile, from 0.
    pub pile: usize,
    /// The number of counters left in that pile, which is also the largest legal take.
    pub counters: u64,
    /// The time left in the seat's bank.
    pub bank: Duration,
}
