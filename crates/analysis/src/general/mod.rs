//! Finite games with any rules in which the seats move in turn, and one solver for all of them.
//!
//! [`Rules`] defines a game, [`PositionSolver`] finds the winner for any number of seats and any alliance matrix, and
//! [`GrundySolver`] finds the Grundy values of two-player games. [`Ruleset`] names the games in [`rulesets`]. A
//! [`GeneralGame`] is a position of one of them, parsed from [`GameNumbers`]; its solution is a [`GeneralAnswer`] in
//! every game. A [`GrundySequence`] lists the Grundy values of a game's piles by size.

mod answer;
mod answering;
mod bounds;
mod game;
mod grundy_values;
mod last_nim_answer;
mod numbers;
mod outcome;
mod pile_sizes;
mod position_table;
mod robustness;
mod rules;
mod ruleset;
pub mod rulesets;
mod sequence;
mod solver;

pub use answer::{
    GeneralAnswer, GrundyDecomposition, GrundyOption, GrundyPart, MoveOutcome, NoGrundyReason, SolvingMethod,
    TwoPlayerAnswer,
};
pub use bounds::{ExceededBound, MemoryBounds, SearchStopped};
pub use game::{GeneralGame, SolveStopped};
pub use grundy_values::GrundySolver;
pub use numbers::{GameNumbers, GameNumbersError, NumberField};
pub use outcome::OutcomeClass;
pub use pile_sizes::{MAX_SEARCHED_PILES, MAX_SEARCHED_SIZE, PileSizes};
pub use robustness::{GeneralRobustness, MoveRobustness};
pub use rules::{Anyone, End, Mover, Rules};
pub use ruleset::{Ruleset, RulesetError};
pub use sequence::{GrundySequence, Period, PeriodTheorem, SequenceGame, SequenceGameError, SequenceLaw};
pub use solver::PositionSolver;
