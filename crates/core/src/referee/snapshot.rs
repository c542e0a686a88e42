//! The state of a match, as sent to one of its seats.

use super::{ForfeitReason, MatchSetup, TalkView, Turn};
use crate::game::{AllianceMatrix, BySeat, Row, Seat};
use std::time::Duration;

/// The phase of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchPhase {
    /// Seats talk. A seat that declares its row in this phase thereby ends its talk.
    Talking,
    /// Rows are being declared.
    Declaring,
    /// Seats take turns.
    Playing,
    /// The match is over.
    Ended,
}

/// Everything that a bot needs to play on, even if it remembers nothing of the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSnapshot {
    /// The recipient's seat.
    pub seat: Seat,
    /// The settings that were fixed before the first move.
    pub setup: MatchSetup,
    /// The row that was dealt to the recipient, by which it scores; `None` if no rows are dealt.
    pub dealt_row: Option<Row>,
    /// The phase.
    pub phase: MatchPhase,
    /// The talk; `None` if the seats of this match do not talk.
    pub talk: Option<TalkView>,
    /// The time left to declare, which is the full time while seats talk; `None` if the seat has no row to declare.
    pub declaration_left: Option<Duration>,
    /// The rows, once they are revealed.
    pub matrix: Option<AllianceMatrix>,
    /// The number of takes made.
    pub ply: u32,
    /// The index of the last nonempty pile, from 0.
    pub pile: usize,
    /// The number of counters left in that pile.
    pub counters: u64,
    /// The seat to move.
    pub to_move: Seat,
    /// The time left in each seat's bank.
    pub banks: BySeat<Duration>,
    /// The number of strikes of each seat so far.
    pub strikes: BySeat<u32>,
    /// Why each seat was forfeited; `None` for seats that were not.
    pub forfeited: BySeat<Option<ForfeitReason>>,
    /// The turn, if the recipient is to move.
    pub turn: Option<Turn>,
}
