//! A match as one seat sees it at one moment.

use super::{ForfeitReason, MatchSetup, Turn};
use crate::game::{AllianceMatrix, BySeat, Seat};
use std::time::Duration;

/// Where a match stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchPhase {
    /// Rows are being declared.
    Declaring,
    /// Seats take turns.
    Playing,
    /// It is over.
    Ended,
}

/// All that a bot needs to play on without a memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSnapshot {
    /// The seat that it is for.
    pub seat: Seat,
    /// What was fixed before the first move.
    pub setup: MatchSetup,
    /// Where the match stands.
    pub phase: MatchPhase,
    /// Time left to declare; `None` where the seat's row is in.
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
    /// What is left in each bank.
    pub banks: BySeat<Duration>,
    /// Strikes so far.
    pub strikes: BySeat<u32>,
    /// How seats were lost.
    pub forfeited: BySeat<Option<ForfeitReason>>,
    /// The turn, where the seat is to move.
    pub turn: Option<Turn>,
}
