//! Labels positions for datasets.

use super::{difficulty::measure_difficulty, position_id::PositionId};
use lastnim_core::{game::Game, oracle::Explanation};
use lastnim_proto::pb;

/// Labels the first position of a game with its id, its set, the oracle's explanation and its difficulty.
///
/// # Panics
/// If no counter is left.
pub fn label_position(game: &Game, explanation: &Explanation) -> pb::LabelledPosition {
    let id = PositionId::of_game(game);
    pb::LabelledPosition {
        id: id.to_string(),
        split: id.split().into(),
        game: Some(game.into()),
        winner: explanation.winner.into(),
        options: explanation.options.iter().map(pb::TakeOption::from).collect(),
        difficulty: Some(measure_difficulty(game, explanation)),
    }
}
