//! The rows that explain every take of a bot, if its row is common knowledge.

use super::AuditedMatch;
use lastnim_analysis::{AddGameOutcome, KnowledgeReading, RationalisableRows, RowCount, RowSet};
use lastnim_core::game::{Row, Seat, SeatCount};
use lastnim_core::oracle::{Budget, PlayedTake};
use serde::{Deserialize, Serialize};

/// Maximum number of seats for which the rows that explain a bot are searched: 6 seats have 720 rows.
pub const MAX_EXPLAINED_SEATS: usize = 6;

/// Maximum steps per match; they take a millisecond or less.
const MAX_STEPS_PER_MATCH: u64 = 50_000;

/// The rows of a bot under which each of its takes was optimal, if everyone knows the row and plays optimally from then
/// on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRows {
    /// The number of rows that explain the takes.
    pub rows: RowCount,
    /// The first row, in lexicographic order, that explains the takes; `None` if no row explains them.
    pub example: Option<Row>,
    /// Number of matches left out because they would take too long; they might rule out further rows.
    pub left_out: u64,
}

/// The running tally of explained rows.
///
/// Each match is examined alone, so which matches are left out does not depend on the order of the matches.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ExplainedRowsTally {
    /// The rows that explain the takes of every match, in lexicographic order.
    rows: Vec<Row>,
    left_out: u64,
}

impl ExplainedRowsTally {
    /// Creates a tally of matches with at most [`MAX_EXPLAINED_SEATS`] seats.
    pub(super) fn new(seats: SeatCount) -> Self {
        let mut rows: Vec<_> = RowSet::full(seats).rows().collect();
        rows.sort();
        Self { rows, left_out: 0 }
    }

    pub(super) fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat) {
        // Further matches can only remove rows.
        if self.rows.is_empty() {
            return;
        }
        let seats = game.bots.seats();
        let plies = game.audit.plies.iter();
        let takes: Vec<_> = plies.map(|ply| PlayedTake { take: ply.take, mover: ply.mover }).collect();
        let mut explained = RationalisableRows::new(seats, KnowledgeReading::CommonKnowledge);
        let added = explained.add_game(game.game, seat, &takes, &mut Budget::of_steps(MAX_STEPS_PER_MATCH));
        match added.expect("the match has this seat, and all takes are legal") {
            AddGameOutcome::Counted => self.retain_rows(|row| explained.rows().contains(row)),
            _ => self.left_out += 1,
        }
    }

    /// Adds other matches of the same bot; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: &Self) -> Option<()> {
        add_fields!(self, other; left_out);
        self.retain_rows(|row| other.rows.binary_search(row).is_ok());
        Some(())
    }

    fn retain_rows(&mut self, is_kept: impl Fn(&Row) -> bool) {
        self.rows.retain(is_kept);
        // Once no row explains the takes, the matches that were left out no longer matter.
        if self.rows.is_empty() {
            self.left_out = 0;
        }
    }

    /// Returns whether the tally can belong to matches with this many seats.
    pub(super) fn is_possible(&self, seats: SeatCount) -> bool {
        self.rows.iter().all(|row| row.seats() == seats) && self.rows.is_sorted_by(|one, next| one < next)
    }

    pub(super) fn explained_rows(&self) -> ExplainedRows {
        ExplainedRows {
            rows: RowCount::Exactly(self.rows.len() as u128),
            example: self.rows.first().cloned(),
            left_out: self.left_out,
        }
    }
}
