//! The positions of `lastnim oracle dataset`, without labels.

use crate::rehearsal::{read_game, value_error};
use lastnim_benchmark::{DistinctPositions, PositionDraw, PositionFilter, PositionId, PositionKind};
use lastnim_core::game::{Ending, Game, SeatCount};
use lastnim_proto::{json::message_to_json, pb};
use pyo3::{exceptions::PyValueError, prelude::*};

/// Draws the same positions as `lastnim oracle dataset`. Returns the id of each position, and its game as JSON.
#[pyfunction]
#[pyo3(signature = (*, positions, split, seats, draw_piles, draw_counters, ending, max_optimal_share, seed))]
#[expect(clippy::too_many_arguments, reason = "each is a flag of `lastnim oracle dataset`")]
pub fn draw_positions(
    py: Python<'_>,
    positions: u64,
    split: &str,
    seats: Vec<usize>,
    draw_piles: (usize, usize),
    draw_counters: (u64, u64),
    ending: &str,
    max_optimal_share: f64,
    seed: u64,
) -> PyResult<Vec<(String, String)>> {
    let counts = seats.into_iter().map(SeatCount::new).collect::<Result<Vec<_>, _>>();
    let seats = counts.map_err(|error| PyValueError::new_err(format!("seats: {error}")))?;
    if seats.is_empty() {
        return Err(PyValueError::new_err("seats: empty: expected one or more numbers from 2 to 32"));
    }
    if !(max_optimal_share > 0.0 && max_optimal_share <= 1.0) {
        return Err(PyValueError::new_err(format!(
            "max_optimal_share: {max_optimal_share}: expected a number above 0 and at most 1"
        )));
    }
    let ending = ending.parse::<Ending>().map_err(value_error)?;
    let kind = PositionKind { seats, piles: draw_piles, counters: draw_counters, ending };
    kind.check().map_err(value_error)?;
    let filter = PositionFilter { split: parse_split(split)?, max_optimal_share };
    let (found, max_draws) = py.detach(|| {
        let mut drawn = DistinctPositions::new(PositionDraw::new(kind, seed), filter, positions);
        let found: Vec<_> =
            drawn.by_ref().map(|found| (found.id.to_string(), game_text(&found.game))).collect();
        (found, drawn.max_draws())
    });
    if found.len() as u64 == positions {
        return Ok(found);
    }
    Err(PyValueError::new_err(format!(
        "positions: {positions} requested, but {max_draws} draws gave only {} different positions with these settings: ask for fewer positions, allow more piles, counters or seats, or raise max_optimal_share",
        found.len()
    )))
}

/// Reads the first position of a game in JSON. Returns its id, its set (`train` or `benchmark`), and the game as `lastnim
/// oracle dataset` writes it.
#[pyfunction]
pub fn parse_position(game: &str) -> PyResult<(String, &'static str, String)> {
    let game = read_game(game)?;
    let (id, split) = identity_of_game(&game);
    Ok((id, split, game_text(&game)))
}

/// Returns the id of a game's first position, and its set.
pub fn identity_of_game(game: &Game) -> (String, &'static str) {
    let id = PositionId::of_game(game);
    let split = match id.split() {
        pb::DatasetSplit::Benchmark => "benchmark",
        pb::DatasetSplit::Train | pb::DatasetSplit::Unspecified => "train",
    };
    (id.to_string(), split)
}

fn parse_split(word: &str) -> PyResult<pb::DatasetSplit> {
    match word {
        "train" => Ok(pb::DatasetSplit::Train),
        "benchmark" => Ok(pb::DatasetSplit::Benchmark),
        _ => Err(PyValueError::new_err(format!("split: {word:?}: expected \"train\" or \"benchmark\""))),
    }
}

fn game_text(game: &Game) -> String {
    message_to_json(&pb::Game::from(game)).to_string()
}
