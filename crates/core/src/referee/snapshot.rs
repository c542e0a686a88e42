//! A match as one seat sees it.

use super::{ForfeitReason, MatchSetup, Turn};
use crate::game::{AllianceMatrix, BySeat, Seat};
use std::time::Duration;

/// The phase of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchPhase {
    /// Rows are being declared.
    Declaring,
    /// Seats take turns.
    Playing,
    /// The match is over.
    Ended,
}

/// Everything that a bot needs to play on without its own memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSnapshot {
    /// The recipient's seat.
    pub seat: Seat,
    /// The settings that were fixed before the first move.
    pub setup: MatchSetup,
    /// The phase.
    pub phase: MatchPhase,
    /// Time left to declare; `None` if the seat's row is settled.
    pub declaration_left: Option<Duration>,
    /// The rows, once they are revealed.
    pub matrix: Option<AllianceMatrix>,
    /// Takes made.
    pub ply: u32,
    /// The index of the last nonempty pile, from 0.
    pub pile: usize,
    /// The counters left in it.
    pub counters: u64,
    /// The seat to move.
    pub to_move: Seat,
    /// Time left in each bank.
    pub banks: BySeat<Duration>,
    /// Strikes so far.
    pub strikes: BySeat<u32>,
    /// Why seats were forfeited.
    pub forfeited: BySeat<Option<ForfeitReason>>,
    /// The turn, if the seat is to move.
    pub turn: Option<Turn>,
}
