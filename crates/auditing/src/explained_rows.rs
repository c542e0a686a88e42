//! The rows that explain every take of a bot, if its row is common knowledge.

use super::AuditedMatch;
use lastnim_analysis::{AddGameOutcome, KnowledgeReading, RationalisableRows, RowCount, StoredGameLimits};
use lastnim_core::game::{Row, Seat, SeatCount};
use lastnim_core::oracle::{Budget, PlayedTake};

/// Maximum steps per match; they take a millisecond or less.
const MAX_STEPS_PER_MATCH: u64 = 50_000;
/// Maximum steps for the final count of rows.
const MAX_STEPS_TO_COUNT: u64 = 10_000_000;
/// Limits on what is kept of a bot's matches, so that its tally takes less than a megabyte of memory.
const LIMITS: StoredGameLimits = StoredGameLimits { max_leaves: 512, max_takes: 512 };
/// Maximum number of rows that are searched for the first in lexicographic order.
const MAX_LISTED: usize = 50_000;

/// The rows of a bot under which each of its takes was optimal, if everyone knows the row and plays optimally from then
/// on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRows {
    /// The number of rows that explain the takes.
    pub rows: RowCount,
    /// The first row, in lexicographic order, that explains the takes; `None` if no row explains them, or there are too
    /// many to search.
    pub example: Option<Row>,
    /// Number of matches left out because they would take too long; they might rule out further rows.
    pub left_out: u64,
}

/// The running tally of explained rows.
#[derive(Debug, Clone)]
pub(super) struct ExplainedRowsTally {
    rows: RationalisableRows,
    left_out: u64,
}

impl ExplainedRowsTally {
    pub(super) fn new(seats: SeatCount) -> Self {
        Self {
            rows: RationalisableRows::with_limits(seats, KnowledgeReading::CommonKnowledge, LIMITS),
            left_out: 0,
        }
    }

    pub(super) fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat) {
        // Further matches can only remove rows.
        if self.rows.rows().is_empty() {
            return;
        }
        let plies = game.audit.plies.iter();
        let takes: Vec<_> = plies.map(|ply| PlayedTake { take: ply.take, mover: ply.mover }).collect();
        let added = self.rows.add_game(game.game, seat, &takes, &mut Budget::of_steps(MAX_STEPS_PER_MATCH));
        let added = added.expect("the matches have the same number of seats, and all takes are legal");
        self.left_out += u64::from(added != AddGameOutcome::Counted);
    }

    pub(super) fn explained_rows(&self) -> ExplainedRows {
        let rows = self.rows.rows();
        let count = rows.count_rows(&mut Budget::of_steps(MAX_STEPS_TO_COUNT));
        let few = count.is_exact() && count.at_least() <= MAX_LISTED as u128;
        let first = || rows.rows().min_by(|one, other| one.offsets().cmp(other.offsets()));
        let left_out = if rows.is_empty() { 0 } else { self.left_out };
        ExplainedRows { rows: count, example: few.then(first).flatten(), left_out }
    }
}
