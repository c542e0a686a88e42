//! Lazy branching: games in which some rows are not known, or known in part only.
//!
//! A row that is not known is carried as a partial order of its winners, and the solver forks only where a seat
//! compares two winners that its order leaves undecided. The leaves of the forks are disjoint and cover all n! rows,
//! and there are far fewer of them than rows.

mod branching;
mod course;
mod linear_extensions;
mod merging;
mod partial_row;
mod row_set;

pub(super) use branching::{BranchProgress, BranchingSolver, OpenBranch, UndecidedPair};
pub(super) use course::{OptimalityCheck, SolvingPlan};
pub(super) use merging::merge_leaves;
pub use partial_row::{LinearExtensions, PartialRow};
pub(super) use row_set::count_all_rows;
pub use row_set::{RowCount, RowSet};
