//! Collects the rows that explain a seat's takes if its row is common knowledge.

use super::{
    Contradiction,
    added_game::{AddGameOutcome, StoredGameLimits},
    explained_leaves::ExplainedLeaves,
    seat_takes::SeatTakes,
    shortest_contradiction::ContradictingTakes,
};
use crate::RowSet;
use lastnim_core::{game::SeatCount, oracle::Budget};

/// The information that a seat's takes give about its row, if this row is common knowledge.
#[derive(Debug, Clone)]
pub(super) struct CommonKnowledgeRow {
    seats: SeatCount,
    limits: StoredGameLimits,
    rows: RowSet,
    /// The games that narrowed the rows.
    narrowing: StoredGames,
    /// Other games, whose takes may allow a shorter contradiction.
    others: StoredGames,
    dropped_takes: u64,
}

/// Kept games with their numbers, and the total number of their kept takes.
#[derive(Debug, Clone, Default)]
struct StoredGames {
    games: Vec<(u64, SeatTakes)>,
    takes: usize,
}

impl StoredGames {
    fn has_room(&self, takes: &SeatTakes, limits: StoredGameLimits) -> bool {
        self.takes + takes.takes.len() <= limits.max_takes
    }

    fn push(&mut self, number: u64, takes: SeatTakes) {
        self.takes += takes.takes.len();
        self.games.push((number, takes));
    }
}

impl CommonKnowledgeRow {
    pub(super) fn new(seats: SeatCount, limits: StoredGameLimits) -> Self {
        let (narrowing, others) = (StoredGames::default(), StoredGames::default());
        Self { seats, limits, rows: RowSet::full(seats), narrowing, others, dropped_takes: 0 }
    }

    pub(super) fn rows(&self) -> &RowSet {
        &self.rows
    }

    pub(super) fn add_game(
        &mut self,
        number: u64,
        takes: SeatTakes,
        budget: &mut Budget<'_>,
    ) -> AddGameOutcome {
        if takes.takes.is_empty() {
            return AddGameOutcome::Counted;
        }
        let (leaves, max_leaves) = (self.rows.leaves(), self.limits.max_leaves);
        match ExplainedLeaves::find(
            leaves,
            &takes.game,
            takes.seat,
            &takes.optimality_checks(),
            max_leaves,
            budget,
        ) {
            Err(left_out) => return left_out,
            Ok(ExplainedLeaves::Only(_)) if !self.narrowing.has_room(&takes, self.limits) => {
                return AddGameOutcome::TooManyTakes;
            }
            Ok(ExplainedLeaves::Only(leaves)) => {
                self.rows = RowSet::of_disjoint(self.seats, leaves);
                self.narrowing.push(number, takes);
            }
            Ok(ExplainedLeaves::All) if self.others.has_room(&takes, self.limits) => {
                self.others.push(number, takes);
            }
            Ok(ExplainedLeaves::All) => self.dropped_takes += takes.takes.len() as u64,
        }
        AddGameOutcome::Counted
    }

    pub(super) fn contradiction(&self, budget: &mut Budget<'_>) -> Option<Contradiction> {
        self.rows.is_empty().then(|| {
            let [narrowing, others] = [&self.narrowing, &self.others].map(|kept| kept.games.as_slice());
            ContradictingTakes::new(self.seats, narrowing, others)
                .find_contradiction(self.dropped_takes, budget)
        })
    }
}
