//! The rows that explain every take of a bot, its row being common knowledge.

use super::AuditedMatch;
use lastnim_analysis::{AddedGame, KeptGameLimits, KnowledgeReading, RationalisableRows, RowCount};
use lastnim_core::game::{Row, Seat, SeatCount};
use lastnim_core::oracle::{Budget, PlayedTake};

/// The steps that one match may take: a millisecond or less.
const STEPS_A_MATCH: u64 = 50_000;
/// The steps that counting the rows in the end may take.
const STEPS_TO_COUNT: u64 = 10_000_000;
/// What is kept of many matches of a bot: less than a megabyte.
const LIMITS: KeptGameLimits = KeptGameLimits { most_leaves: 512, most_takes: 512 };
/// The most rows among which the first in lexicographic order is looked for.
const MAX_LISTED: usize = 50_000;

/// The rows of a bot under which each of its takes was optimal, if everybody knew that row and played optimally for it from
/// there on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRows {
    /// How many of the n! rows there are.
    pub rows: RowCount,
    /// The first of them in lexicographic order; none if there is none, or too many to look.
    pub example: Option<Row>,
    /// Matches that are not counted in, as they would have taken too long: with them the rows might be fewer.
    pub left_out: u64,
}

/// The same, as it comes together.
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
        // Once no row is left, none comes back.
        if self.rows.rows().is_empty() {
            return;
        }
        let plies = game.audit.plies.iter();
        let takes: Vec<_> = plies.map(|ply| PlayedTake { take: ply.take, mover: ply.mover }).collect();
        let added = self.rows.add_game(game.game, seat, &takes, &mut Budget::of_steps(STEPS_A_MATCH));
        let added = added.expect("an audited match of as many seats can be added");
        self.left_out += u64::from(added != AddedGame::Counted);
    }

    pub(super) fn explained_rows(&self) -> ExplainedRows {
        let rows = self.rows.rows();
        let count = rows.count_rows(&mut Budget::of_steps(STEPS_TO_COUNT));
        let few = count.is_exact() && count.at_least() <= MAX_LISTED as u128;
        let first = || rows.rows().min_by(|one, other| one.offsets().cmp(other.offsets()));
        let left_out = if rows.is_empty() { 0 } else { self.left_out };
        ExplainedRows { rows: count, example: few.then(first).flatten(), left_out }
    }
}
