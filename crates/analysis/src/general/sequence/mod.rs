//! The Grundy values of piles by their size, and what is proved of how they go on.

mod game;
mod periodicity;
mod values;

pub use game::{SequenceGame, SequenceGameError};
pub use periodicity::{Period, PeriodTheorem};
pub use values::{GrundySequence, SequenceLaw};
