//! Variants of Last Nim beyond strict rows: ties in rows, shared passes, two alliances, and seats that move at random.
//!
//! A [`VariantGame`] is a position of a variant. Each kind of solution is in its own file, which states the recurrence.
//! Tests compare the solutions with searches of whole positions.

mod alliance_solution;
mod alliances;
mod game;
mod pass_count;
mod passing_solution;
mod random_seat_solution;
mod seat_list;
mod take_ranges;
mod tied_matrix;
mod tied_row;
mod tied_solution;

pub use alliance_solution::AllianceSolution;
pub use alliances::{Alliances, AlliancesError};
pub use game::{Variant, VariantGame, VariantGameError, VariantSolution};
pub use pass_count::{MAX_PASSES, PassCount, PassCountError};
pub use passing_solution::PassingSolution;
pub use random_seat_solution::{MAX_RANDOM_COUNTERS, RandomSeatSolution};
pub use seat_list::{SeatListError, parse_seat_list};
pub use tied_matrix::{TiedMatrix, TiedMatrixError};
pub use tied_row::{TiedRow, TiedRowError};
pub use tied_solution::TiedSolution;
