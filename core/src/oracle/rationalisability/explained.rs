//! The rows that explain takes, if everybody knows the row.

use super::rationalisable_rows::Added;
use crate::{
    game::{Game, Seat},
    oracle::{
        Budget, PartialRow,
        lazy::{Branch, Branching, Check, Course, Progress, merge_leaves},
    },
};

/// Which rows of some leaves explain takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Explained {
    /// All of them.
    All,
    /// Those of these leaves.
    Only(Vec<PartialRow>),
}

impl Explained {
    /// Finds the rows of leaves under which takes of a seat were optimal.
    ///
    /// # Errors
    /// Says why that is not settled.
    pub(super) fn of(
        leaves: &[PartialRow],
        game: &Game,
        seat: Seat,
        checks: &[Check],
        most_leaves: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Added> {
        let course = Course::to_takes(game, seat, checks);
        let branching = Branching::new(course, game, &[seat], seat);
        let mut search = ExplainedRowSearch { branching, kept: Vec::new(), most: 2 * most_leaves };
        let mut has_narrowed = false;
        for &leaf in leaves {
            let branch = search.branching.start(vec![leaf]);
            has_narrowed |= search.keep(branch, budget)? == KeptRows::Some;
        }
        let mut kept = search.kept;
        if kept.len() > leaves.len() {
            merge_leaves(&mut kept, budget).map_err(Added::Halted)?;
        }
        if kept.len() > most_leaves {
            return Err(Added::TooManyLeaves);
        }
        Ok(if has_narrowed { Self::Only(kept) } else { Self::All })
    }
}

struct ExplainedRowSearch {
    branching: Branching,
    kept: Vec<PartialRow>,
    most: usize,
}

#[derive(PartialEq, Eq)]
enum KeptRows {
    All,
    Some,
}

impl ExplainedRowSearch {
    /// Keeps the rows of a branch that explain the takes: as one leaf, if all do.
    ///
    /// It goes as deep as a row has pairs of offsets, at most.
    fn keep(&mut self, mut branch: Branch, budget: &mut Budget<'_>) -> Result<KeptRows, Added> {
        let leaf = branch.known[0];
        let kept_before = self.kept.len();
        let kept = match self.branching.advance(&mut branch, budget).map_err(Added::Halted)? {
            Progress::Refuted => KeptRows::Some,
            Progress::Done => KeptRows::All,
            Progress::Fork(fork) => {
                let [one, other] = branch.split(fork);
                let (one, other) = (self.keep(one, budget)?, self.keep(other, budget)?);
                if one == KeptRows::All && other == KeptRows::All { KeptRows::All } else { KeptRows::Some }
            }
        };
        if kept == KeptRows::All {
            self.kept.truncate(kept_before);
            self.kept.push(leaf);
        }
        if self.kept.len() > self.most { Err(Added::TooManyLeaves) } else { Ok(kept) }
    }
}
