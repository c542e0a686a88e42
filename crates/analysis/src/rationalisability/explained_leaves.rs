//! Finds the rows that explain a seat's takes if its row is common knowledge.

use super::added_game::AddGameOutcome;
use crate::{
    PartialRow,
    lazy::{BranchProgress, BranchingSolver, OpenBranch, OptimalityCheck, SolvingPlan, merge_leaves},
};
use lastnim_core::{
    game::{Game, Seat},
    oracle::Budget,
};

/// Which rows of the given leaves explain a seat's takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExplainedLeaves {
    /// All rows of the leaves.
    All,
    /// Only the rows of these leaves.
    Only(Vec<PartialRow>),
}

impl ExplainedLeaves {
    /// Finds the rows of `leaves` under which the checked takes of a seat are optimal.
    ///
    /// # Errors
    /// If the budget runs out or there are too many leaves.
    pub(super) fn find(
        leaves: &[PartialRow],
        game: &Game,
        seat: Seat,
        checks: &[OptimalityCheck],
        max_leaves: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Self, AddGameOutcome> {
        let plan = SolvingPlan::for_takes(game, seat, checks);
        let branching = BranchingSolver::new(plan, game, &[seat], seat);
        let mut search = ExplainedRowSearch { branching, kept: Vec::new(), max_kept: 2 * max_leaves };
        let mut has_narrowed = false;
        for &leaf in leaves {
            let branch = search.branching.start(vec![leaf]);
            has_narrowed |= search.keep_branch(branch, budget)? == KeptRows::Some;
        }
        let mut kept = search.kept;
        if kept.len() > leaves.len() {
            merge_leaves(&mut kept, budget).map_err(AddGameOutcome::Halted)?;
        }
        if kept.len() > max_leaves {
            return Err(AddGameOutcome::TooManyLeaves);
        }
        Ok(if has_narrowed { Self::Only(kept) } else { Self::All })
    }
}

struct ExplainedRowSearch {
    branching: BranchingSolver,
    kept: Vec<PartialRow>,
    max_kept: usize,
}

#[derive(PartialEq, Eq)]
enum KeptRows {
    All,
    Some,
}

impl ExplainedRowSearch {
    /// Keeps the rows of a branch that explain the takes. If every row of the branch does, they are kept as one leaf.
    ///
    /// The depth of the recursion is at most the number of pairs of offsets in a row.
    fn keep_branch(
        &mut self,
        mut branch: OpenBranch,
        budget: &mut Budget<'_>,
    ) -> Result<KeptRows, AddGameOutcome> {
        let leaf = branch.known[0];
        let kept_before = self.kept.len();
        let kept = match self.branching.advance(&mut branch, budget).map_err(AddGameOutcome::Halted)? {
            BranchProgress::Refuted => KeptRows::Some,
            BranchProgress::Done => KeptRows::All,
            BranchProgress::Fork(fork) => {
                let [one, other] = branch.split(fork);
                let (one, other) = (self.keep_branch(one, budget)?, self.keep_branch(other, budget)?);
                if one == KeptRows::All && other == KeptRows::All { KeptRows::All } else { KeptRows::Some }
            }
        };
        if kept == KeptRows::All {
            self.kept.truncate(kept_before);
            self.kept.push(leaf);
        }
        if self.kept.len() > self.max_kept { Err(AddGameOutcome::TooManyLeaves) } else { Ok(kept) }
    }
}
