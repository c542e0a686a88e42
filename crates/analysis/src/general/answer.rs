//! What is answered about a game of any rules.

use super::{OutcomeClass, SearchStopped};
use lastnim_core::game::{BySeat, Ending, Seat};
use std::fmt;

/// The solution of a game of any rules, with moves and positions as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralAnswer {
    /// The seat that wins under optimal play.
    pub winner: Seat,
    /// How many seats after the one to move the winner sits, 0 to n-1.
    pub value: usize,
    /// By the seat that is put to move: the winner.
    pub winner_by_first: BySeat<Seat>,
    /// Every move of the seat to move; none when it has none.
    pub options: Vec<MoveOutcome>,
    /// How it was solved.
    pub method: SolvingMethod,
    /// How many positions were solved on the way.
    pub states: u64,
    /// What is said of a game of two besides.
    pub two_players: Option<TwoPlayerAnswer>,
}

/// A move, and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveOutcome {
    /// What is done, in words.
    pub play: String,
    /// The position after it, in the form that its game is given in.
    pub position: String,
    /// The winner under optimal play after it.
    pub winner: Seat,
    /// Ranks that it costs the seat to move, in its own row; 0 exactly if it is optimal.
    pub regret: u32,
}

impl MoveOutcome {
    /// Returns whether no other move has a winner that the seat to move prefers.
    pub fn is_optimal(&self) -> bool {
        self.regret == 0
    }
}

impl GrundyDecomposition {
    /// The ending that it decides the game for, whichever the question was about.
    pub const ENDING: Ending = Ending::LastMoverWins;
}

/// How a game was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolvingMethod {
    /// By the cap theorem of Last Nim: a pile of x counters is worth min(x, n).
    CapTheorem,
    /// By the Grundy values of its parts: two seats that each want to win, and the last mover does.
    SpragueGrundy,
    /// By backward induction over its positions.
    BackwardInduction,
}

/// What is said of a game of two besides its winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwoPlayerAnswer {
    /// Who wins, whoever starts.
    pub outcome: OutcomeClass,
    /// The Grundy value.
    pub grundy: Result<GrundyDecomposition, NoGrundyReason>,
}

/// The Grundy value of a position of an impartial game, and those of the parts that it is the sum of.
///
/// It decides the game for two seats that each want to win, where the last mover does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyDecomposition {
    /// The value: the exclusive or of the parts'.
    pub value: u64,
    /// Each part in which somebody can move.
    pub parts: Vec<GrundyPart>,
}

/// A part of a position, and its Grundy value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyPart {
    /// The part, in the form that its game is given in.
    pub part: String,
    /// Its value: the smallest number that no option of it has (mex).
    pub value: u64,
    /// Why it is no smaller: an option for each smaller value, from 0 on, up to [`MAX_SHOWN`](Self::MAX_SHOWN) of them. Empty unless
    /// [`GeneralGame::explain_grundy`](super::GeneralGame::explain_grundy) was asked.
    pub options: Vec<GrundyOption>,
}

/// What a move in a part can lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundyOption {
    /// Its Grundy value.
    pub value: u64,
    /// The position that the part becomes.
    pub position: String,
}

impl GrundyPart {
    /// The most options that are given for a part.
    pub const MAX_SHOWN: usize = 64;
}

/// Why there is no Grundy value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoGrundyReason {
    /// The game is partizan.
    Partizan,
    /// The winner was found within the bounds, the Grundy value was not.
    Stopped(SearchStopped),
}

impl SolvingMethod {
    /// Returns the name that files and the command line use.
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
