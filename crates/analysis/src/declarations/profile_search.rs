//! A search over profiles: the rows that all seats declare.

use crate::{
    PartialRow,
    lazy::{BranchProgress, BranchingSolver, OpenBranch, SolvingPlan, UndecidedPair},
};
use lastnim_core::{
    game::{Game, Seat},
    oracle::{Budget, HaltReason},
};
use std::ops::ControlFlow;

/// Finds the winners of profiles, and the seats that can get a better winner by changing their row. The rows of the
/// game are the seats' true preferences.
#[derive(Debug)]
pub(crate) struct ProfileSearch<'a> {
    game: &'a Game,
    branching: BranchingSolver,
}

/// Whether a seat can get a better winner by changing its row, in the profiles of a set that all lead to the same
/// winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviationVerdict {
    Always,
    Never,
    /// The answer depends on how another seat ranks two winners.
    Depends(UndecidedPair),
}

impl<'a> ProfileSearch<'a> {
    pub(crate) fn new(game: &'a Game) -> Self {
        let open: Vec<_> = game.matrix.seats().iter().collect();
        Self {
            game,
            branching: BranchingSolver::new(SolvingPlan::for_winner(game), game, &open, Seat::FIRST),
        }
    }

    /// Splits the profiles in `rows`, which holds a partial row for each seat, into sets that lead to the same winner.
    /// Calls `found` with each set until it breaks. Each level of a pile costs one step of the budget.
    pub(crate) fn visit_leaves(
        &self,
        rows: Vec<PartialRow>,
        budget: &mut Budget<'_>,
        mut found: impl FnMut(Vec<PartialRow>, Seat, &mut Budget<'_>) -> Result<ControlFlow<()>, HaltReason>,
    ) -> Result<(), HaltReason> {
        let mut branches = vec![self.branching.start(rows)];
        while let Some(mut branch) = branches.pop() {
            match self.branching.advance(&mut branch, budget)? {
                BranchProgress::Fork(fork) => branches.extend(branch.split(fork)),
                BranchProgress::Refuted => {}
                BranchProgress::Done => {
                    let winner = self.winner(&branch);
                    if found(branch.known, winner, budget)?.is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks for a row with which a seat does better while the other seats declare their rows of a set. All profiles
    /// of the set lead to `winner`.
    pub(crate) fn find_deviation(
        &self,
        rows: &[PartialRow],
        winner: Seat,
        seat: Seat,
        budget: &mut Budget<'_>,
    ) -> Result<DeviationVerdict, HaltReason> {
        let rank = |winner| self.game.matrix.rank(seat, winner);
        if rank(winner) == 0 {
            return Ok(DeviationVerdict::Never);
        }
        let mut rows = rows.to_vec();
        rows[seat.index()] = PartialRow::unknown(self.game.matrix.seats());
        let (mut branches, mut depends) = (vec![self.branching.start(rows)], None);
        while let Some(mut branch) = branches.pop() {
            match self.branching.advance(&mut branch, budget)? {
                BranchProgress::Fork(fork) if fork.open_seat == seat.index() => {
                    branches.extend(branch.split(fork));
                }
                BranchProgress::Fork(fork) => depends = depends.or(Some(fork)),
                BranchProgress::Done if rank(self.winner(&branch)) < rank(winner) => {
                    return Ok(DeviationVerdict::Always);
                }
                BranchProgress::Done | BranchProgress::Refuted => {}
            }
        }
        Ok(depends.map_or(DeviationVerdict::Never, DeviationVerdict::Depends))
    }

    fn winner(&self, branch: &OpenBranch) -> Seat {
        let winner = branch.winner(self.game.first_seat());
        self.game.matrix.seats().seat(winner).expect("a winner is a seat")
    }
}
