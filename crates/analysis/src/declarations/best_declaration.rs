//! The best declaration of one seat.

use super::Completeness;
use crate::{
    PartialRow, RowCount, RowSet,
    lazy::{BranchProgress, BranchingSolver, SolvingPlan, count_all_rows},
};
use lastnim_core::{
    game::{Game, Row, Seat},
    oracle::{Budget, HaltReason, solve_winners},
};
use std::ops::ControlFlow;

/// The maximum number of leaves in an answer. Rows in further leaves are counted but not returned.
pub const MAX_LEAVES: usize = 1 << 16;

/// The outcome of a declaration, as one seat sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclarationProspect {
    /// The winner if play is optimal for the declared rows.
    pub winner: Seat,
    /// The winner's place in the seat's true row, 0 (best) to n-1.
    pub rank: usize,
}

impl DeclarationProspect {
    /// Creates the outcome with this winner, ranked by the seat's true row.
    pub(super) fn of_winner(game: &Game, seat: Seat, winner: Seat) -> Self {
        Self { winner, rank: game.matrix.rank(seat, winner) }
    }

    /// Returns the outcome if every seat declares its true row.
    pub(super) fn of_truth(game: &Game, seat: Seat) -> Self {
        Self::of_winner(game, seat, solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()])
    }
}

/// The best rows that a seat can declare, given the others' rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestDeclaration {
    /// The declaring seat.
    pub seat: Seat,
    /// The outcome if the seat declares its true row.
    pub truthful: DeclarationProspect,
    /// The best outcome of all rows examined.
    pub best: DeclarationProspect,
    /// The rows with the best outcome, as up to [`MAX_LEAVES`] disjoint leaves, each of which is a partial row.
    pub rows: RowSet,
    /// The number of rows with the best outcome; exact only if all rows were examined.
    pub count: RowCount,
    /// The number of leaves examined, whatever their outcome.
    pub leaves: u64,
    /// Whether all n! rows were examined and the best ones counted.
    pub settled: Completeness,
    /// Whether all n! rows were examined.
    is_searched: bool,
}

impl BestDeclaration {
    /// Finds the best declarations of a seat. In each leaf, each level of a pile costs one step of the budget. So does
    /// each set of offsets whose orders are counted.
    ///
    /// ```
    /// use lastnim_analysis::BestDeclaration;
    /// use lastnim_core::{game::{Ending, Game}, oracle::Budget};
    ///
    /// let rows = [vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
    /// let game = Game::parse(&[1, 2, 2], &rows, 0, Ending::ToMoveWins).unwrap();
    /// let seat = game.first_seat();
    /// let best = BestDeclaration::find(&game, seat, &mut Budget::unbounded());
    /// assert!(best.settled.is_complete() && best.best.rank <= best.truthful.rank);
    /// ```
    pub fn find(game: &Game, seat: Seat, budget: &mut Budget<'_>) -> Self {
        let truthful = DeclarationProspect::of_truth(game, seat);
        let seats = game.matrix.seats();
        let mut search = BestRowSearch {
            game,
            found: Self {
                seat,
                truthful,
                best: truthful,
                rows: RowSet::empty(seats),
                count: RowCount::Exactly(0),
                leaves: 0,
                settled: Completeness::Complete,
                is_searched: true,
            },
            examined_count: RowCount::Exactly(0),
            count_halt: None,
            has_truth: false,
        };
        let halted = visit_leaves(game, seat, PartialRow::unknown(seats), budget, |leaf, winner, budget| {
            search.add_leaf(leaf, winner, budget);
            ControlFlow::Continue(())
        });
        if let Err(halt) = halted {
            search.add_truth();
            // The true row may have been the only row that was not examined.
            if search.examined_count.at_least() < count_all_rows(seats) {
                search.found.is_searched = false;
                search.found.count = search.found.count.as_lower_bound();
                search.count_halt = Some(halt);
            }
        }
        search.finish()
    }

    /// Returns whether no examined row leads to a better winner than the true one.
    pub fn is_truth_best(&self) -> bool {
        self.truthful == self.best
    }

    /// Returns whether no row, examined or not, can lead to a better winner.
    pub fn is_best_certain(&self) -> bool {
        self.best.rank == 0 || self.is_searched
    }

    /// Returns up to `limit` of the best rows, the true one first if it is one of them.
    pub fn examples(&self, game: &Game, limit: usize) -> Vec<Row> {
        self.rows.examples(&game.matrix[self.seat], limit)
    }
}

/// Returns whether a seat can win by declaring some row, given the others' rows. In each leaf, each level of a pile
/// costs one step of the budget.
///
/// # Errors
/// If the budget runs out.
pub fn can_declare_to_win(game: &Game, seat: Seat, budget: &mut Budget<'_>) -> Result<bool, HaltReason> {
    let mut can_win = false;
    let unknown = PartialRow::unknown(game.matrix.seats());
    visit_leaves(game, seat, unknown, budget, |_, winner, _| {
        can_win = winner == seat;
        if can_win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(can_win)
}

/// Returns the best rank, 0 to n-1, that a seat can reach with a row that agrees with `known`, given the others' rows.
/// Ranks are places in the seat's row of the game. In each leaf, each level of a pile costs one step of the budget.
pub(crate) fn best_rank_among(
    game: &Game,
    seat: Seat,
    known: PartialRow,
    budget: &mut Budget<'_>,
) -> Result<usize, HaltReason> {
    let mut best = game.matrix.seats().get() - 1;
    visit_leaves(game, seat, known, budget, |_, winner, _| {
        best = best.min(game.matrix.rank(seat, winner));
        if best == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(best)
}

struct BestRowSearch<'a> {
    game: &'a Game,
    found: BestDeclaration,
    examined_count: RowCount,
    /// Why some of the best rows could not be counted.
    count_halt: Option<HaltReason>,
    /// Whether the true row has been examined.
    has_truth: bool,
}

impl BestRowSearch<'_> {
    fn add_leaf(&mut self, leaf: PartialRow, winner: Seat, budget: &mut Budget<'_>) {
        let (rows, count_halt) = match RowCount::count(&leaf, budget) {
            Ok(rows) => (RowCount::Exactly(rows), None),
            Err(halt) => (RowCount::AtLeast(1), Some(halt)),
        };
        self.examined_count = self.examined_count + rows;
        let found = &mut self.found;
        let is_truth = leaf.admits(&self.game.matrix[found.seat]);
        self.has_truth |= is_truth;
        let prospect = DeclarationProspect::of_winner(self.game, found.seat, winner);
        found.leaves += 1;
        if prospect.rank < found.best.rank {
            found.best = prospect;
            found.rows = RowSet::empty(leaf.seats());
            found.count = RowCount::Exactly(0);
            self.count_halt = None;
        }
        if prospect == found.best {
            found.count = found.count + rows;
            self.count_halt = count_halt.or(self.count_halt);
            if is_truth || found.rows.leaves().len() < MAX_LEAVES {
                found.rows.push_disjoint(leaf);
            }
        }
    }

    fn finish(self) -> BestDeclaration {
        let Self { mut found, examined_count, count_halt, .. } = self;
        if let Some(halt) = count_halt {
            let (settled, all) = (examined_count.at_least(), count_all_rows(found.rows.seats()));
            found.settled = Completeness::Partial { settled, all, halt };
        }
        found.rows.merge_leaves();
        found
    }

    /// Counts the true row, whose outcome is known, if the search did not reach it.
    fn add_truth(&mut self) {
        if self.has_truth {
            return;
        }
        let (found, count) = (&mut self.found, RowCount::Exactly(1));
        self.examined_count = self.examined_count + count;
        if found.is_truth_best() {
            found.count = found.count + count;
            found.rows.push_disjoint(PartialRow::from(&self.game.matrix[found.seat]));
        }
    }
}

/// Calls `found` on each leaf of the rows of a seat that agree with `known`, with the winner that the rows in this leaf
/// lead to, until it breaks.
fn visit_leaves(
    game: &Game,
    seat: Seat,
    known: PartialRow,
    budget: &mut Budget<'_>,
    mut found: impl FnMut(PartialRow, Seat, &mut Budget<'_>) -> ControlFlow<()>,
) -> Result<(), HaltReason> {
    let seats = game.matrix.seats();
    let branching = BranchingSolver::new(SolvingPlan::for_winner(game), game, &[seat], seat);
    let mut branches = vec![branching.start(vec![known])];
    while let Some(mut branch) = branches.pop() {
        match branching.advance(&mut branch, budget)? {
            BranchProgress::Fork(fork) => branches.extend(branch.split(fork)),
            BranchProgress::Refuted => {}
            BranchProgress::Done => {
                let winner = seats.seat(branch.winner(game.first_seat())).expect("a winner is a seat");
                if found(branch.known[0], winner, budget).is_break() {
                    break;
                }
            }
        }
    }
    Ok(())
}
