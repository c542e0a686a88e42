//! `lastnim dataset`: positions with labels, to train models on.

mod command;
mod difficulty;
mod distinct_positions;
mod labelling;
mod position_draw;
mod position_id;

pub use command::{DatasetArgs, run};
#[cfg(test)]
pub use difficulty::measure_difficulty;
pub use distinct_positions::{DistinctPositions, FoundPosition, PositionFilter};
pub use position_draw::{DrawnKind, PositionDraw};
pub use position_id::PositionId;
