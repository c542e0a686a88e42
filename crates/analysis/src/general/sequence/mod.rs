//! Sequences of Grundy values by pile size, and proofs of their periods.

mod game;
mod periodicity;
mod values;

pub use game::{SequenceGame, SequenceGameError};
pub use periodicity::{Period, PeriodTheorem};
pub(super) use values::PileValues;
pub use values::{GrundySequence, SequenceLaw};
