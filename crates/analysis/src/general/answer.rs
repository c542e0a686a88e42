//! The answers to queries about games with any rules.

use super::{OutcomeClass, SearchStopped};
use lastnim_core::game::{BySeat, Ending, Seat};
use std::fmt;

/// The solution of a game with any rules. Its moves and positions are given as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralAnswer {
    /// The seat that wins under optimal play.
    pub winner: Seat,
    /// The offset of the winner from the seat to move, 0 to n-1.
    pub value: usize,
    /// The winner for each seat that may be the first to move.
    pub winner_by_first: BySeat<Seat>,
    /// Every move that the seat to move can make; empty if it cannot move.
    pub options: Vec<MoveOutcome>,
    /// How the game was solved.
    pub method: SolvingMethod,
    /// The number of positions that were solved.
    pub states: u64,
    /// Further details if the game has two players.
    pub two_players: Option<TwoPlayerAnswer>,
}

/// A move and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveOutcome {
    /// A description of the move.
    pub play: String,
    /// The position after the move, in the notation of the game.
    pub position: String,
    /// The winner under optimal play after the move.
    pub winner: Seat,
    /// How many ranks in its own row the seat to move loses by this move; 0 exactly if the move is optimal.
    pub regret: u32,
}

impl MoveOutcome {
    /// Returns whether no other move leads to a winner that the seat to move prefers.
    pub fn is_optimal(&self) -> bool {
        self.regret == 0
    }
}

impl GrundyDecomposition {
    /// The ending to which the Grundy value applies, even if the query has another ending.
    pub const ENDING: Ending = Ending::LastMoverWins;
}

/// How a game was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolvingMethod {
    /// By the cap theorem of Last Nim: a pile of x counters is worth min(x, n).
    CapTheorem,
    /// By the Grundy values of the position's parts. This works for two seats that each want to win, if the last mover
    /// wins.
    SpragueGrundy,
    /// By backward induction over the game's positions.
    BackwardInduction,
}

/// The outcome class and Grundy value of a two-player game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoPlayerAnswer {
    /// The outcome class.
    pub outcome: OutcomeClass,
    /// The Grundy value.
    pub grundy: Result<GrundyDecomposition, NoGrundyReason>,
}

/// The Grundy value of a position of an impartial game, and the Grundy values of its independent parts.
///
/// The value of the position determines the winner for two seats that each want to win, if the last mover wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyDecomposition {
    /// The Grundy value of the position: the exclusive or of the values of all its parts.
    pub value: u64,
    /// The parts in which there is a move.
    pub parts: Vec<GrundyPart>,
}

/// A part of a position, and its Grundy value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyPart {
    /// The part, in the notation of the game.
    pub part: String,
    /// The Grundy value of the part: the smallest number that is not the value of an option (mex).
    pub value: u64,
    /// The proof that the value is not smaller: one option for each smaller value, from 0 on, with at most
    /// [`MAX_SHOWN_OPTIONS`](Self::MAX_SHOWN_OPTIONS) options. Empty unless
    /// [`GeneralGame::explain_grundy`](super::GeneralGame::explain_grundy) was called.
    pub options: Vec<GrundyOption>,
}

/// An option of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyOption {
    /// The Grundy value of the option.
    pub value: u64,
    /// The part after the move.
    pub position: String,
}

impl GrundyPart {
    /// The maximum number of options that are listed for a part.
    pub const MAX_SHOWN_OPTIONS: usize = 64;
}

/// Why there is no Grundy value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoGrundyReason {
    /// The game is partizan.
    Partizan,
    /// The search found the winner but reached a limit before it found the Grundy value.
    Stopped(SearchStopped),
}

impl SolvingMethod {
    /// Returns the name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::CapTheorem => "cap_theorem",
            Self::SpragueGrundy => "sprague_grundy",
            Self::BackwardInduction => "backward_induction",
        }
    }
}

impl fmt::Display for SolvingMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::CapTheorem => "the cap theorem",
            Self::SpragueGrundy => "Grundy values",
            Self::BackwardInduction => "backward induction",
        })
    }
}
