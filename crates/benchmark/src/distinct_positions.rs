//! Draws distinct positions that belong to one set.

use super::{difficulty::optimal_share, position_draw::PositionDraw, position_id::PositionId};
use lastnim_core::{game::Game, oracle::Explanation};
use lastnim_proto::pb::DatasetSplit;
use std::collections::HashSet;

/// The maximum number of draws per requested position.
const MAX_DRAWS_PER_POSITION: u64 = 100;
/// Additional draws, so that small requests have enough.
const EXTRA_DRAWS: u64 = 100_000;

/// Requirements that positions must meet in addition to their kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositionFilter {
    /// The set that the positions must belong to.
    pub split: DatasetSplit,
    /// The maximum share of optimal takes, above 0 and up to 1.
    pub max_optimal_share: f64,
}

/// A drawn position, with the oracle's explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedPosition {
    /// The position's id.
    pub id: PositionId,
    /// The game that starts from the position.
    pub game: Game,
    /// The oracle's explanation of the position.
    pub explanation: Explanation,
}

/// Distinct positions of one kind and one set, in the order in which they are drawn. There may be fewer than requested,
/// because the number of draws is limited.
#[derive(Debug)]
pub struct DistinctPositions {
    draw: PositionDraw,
    filter: PositionFilter,
    wanted: u64,
    draws: u64,
    found: HashSet<PositionId>,
}

impl DistinctPositions {
    /// Draws up to `wanted` positions.
    pub fn new(draw: PositionDraw, filter: PositionFilter, wanted: u64) -> Self {
        Self { draw, filter, wanted, draws: 0, found: HashSet::new() }
    }

    /// Returns how many positions have been found so far.
    pub fn found(&self) -> u64 {
        self.found.len() as u64
    }

    /// Returns the maximum number of draws.
    pub fn max_draws(&self) -> u64 {
        self.wanted.saturating_mul(MAX_DRAWS_PER_POSITION).saturating_add(EXTRA_DRAWS)
    }
}

impl Iterator for DistinctPositions {
    type Item = ExplainedPosition;

    fn next(&mut self) -> Option<ExplainedPosition> {
        while self.found() < self.wanted && self.draws < self.max_draws() {
            let game = self.draw.draw_game(self.draws);
            self.draws += 1;
            let id = PositionId::of_game(&game);
            if id.split() != self.filter.split || self.found.contains(&id) {
                continue;
            }
            let explanation = Explanation::of_game(&game, 0);
            if optimal_share(&explanation) <= self.filter.max_optimal_share {
                self.found.insert(id);
                return Some(ExplainedPosition { id, game, explanation });
            }
        }
        None
    }
}
