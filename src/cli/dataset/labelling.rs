//! A position with its labels.

use super::{difficulty::measure_difficulty, position_id::PositionId};
use crate::{game::Game, oracle::Explanation, wire::pb};

/// Labels the position that a game starts from.
///
/// # Panics
/// If no counter is left.
pub fn label_position(game: &Game, id: PositionId) -> pb::LabelledPosition {
    let explanation = Explanation::of(game, 0);
    pb::LabelledPosition {
        id: id.to_string(),
        split: id.split().into(),
        game: Some(game.into()),
        winner: explanation.winner.into(),
        options: explanation.options.iter().map(pb::TakeOption::from).collect(),
        difficulty: Some(measure_difficulty(game, &explanation)),
    }
}
