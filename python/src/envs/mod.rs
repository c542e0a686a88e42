//! Last Nim as an environment for learners: the source of games, one game, and vectorised games.
//!
//! The core has the rules and labels. This module defines actions and observations for all environments, as in
//! docs/reference/environments.md.

mod game_in_progress;
mod game_source;
mod observed_rows;
mod vector_games;

pub use game_in_progress::{GameInProgress, house_row};
pub use game_source::GameSource;
pub use vector_games::VectorGames;

use lastnim_core::{
    game::{AllianceMatrix, IllegalTake, Position},
    oracle::Solution,
};
use pyo3::{PyErr, exceptions::PyValueError};

/// The maximum size of a pile in an environment. It is small because every take is a separate action.
const MAX_LARGEST_PILE: u64 = 1023;

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the ranks, 0 to n-1, that a take would cost the seat to move: 0 exactly if the take is optimal.
pub fn regret_of_take(
    solution: &Solution,
    matrix: &AllianceMatrix,
    position: &Position,
    take: u64,
) -> Result<usize, IllegalTake> {
    let mut after = position.clone();
    after.take(take)?;
    let rank_in = |position: &Position, mover| matrix.rank(mover, solution.winner(position));
    let mover = position.to_move();
    Ok(rank_in(&after, mover) - rank_in(position, mover))
}
