//! Lazy branching: solving games in which some rows are unknown or partly known.
//!
//! An unknown row is represented by a partial order of winners. The solver forks only if a seat compares two winners
//! whose order is undecided. The leaves of the search are disjoint and together cover all n! rows, but there are far
//! fewer of them.

mod branching;
mod linear_extensions;
mod merging;
mod row_set;
mod solving_plan;

pub(super) use branching::{BranchProgress, BranchingSolver, OpenBranch, UndecidedPair};
pub use lastnim_core::game::PartialRow;
pub(super) use merging::merge_leaves;
pub(super) use row_set::count_all_rows;
pub use row_set::{RowCount, RowSet};
pub(super) use solving_plan::{OptimalityCheck, SolvingPlan};
