//! Sets of possible rows for one seat.

use super::{PartialRow, linear_extensions::count_extensions, merge_leaves};
use lastnim_core::{
    game::{Row, SeatCount},
    oracle::{Budget, HaltReason},
};
use std::fmt;

/// Maximum number of steps spent on counting one leaf's rows.
const MAX_STEPS_PER_LEAF: u64 = 1 << 16;
/// Maximum number of steps spent on merging leaves, which is enough for a thousand leaves.
const MAX_MERGING_STEPS: u64 = 1 << 20;

/// A set of possible rows for one seat, stored as a union of disjoint partial rows, called leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSet {
    seats: SeatCount,
    leaves: Vec<PartialRow>,
}

impl RowSet {
    /// Creates the set of all n! rows.
    pub fn full(seats: SeatCount) -> Self {
        Self { seats, leaves: vec![PartialRow::unknown(seats)] }
    }

    /// Creates the empty set.
    pub fn empty(seats: SeatCount) -> Self {
        Self { seats, leaves: Vec::new() }
    }

    /// Creates a set from disjoint leaves.
    pub(crate) fn of_disjoint(seats: SeatCount, leaves: Vec<PartialRow>) -> Self {
        Self { seats, leaves }
    }

    /// Adds a leaf that is disjoint from the others.
    pub(crate) fn push_disjoint(&mut self, leaf: PartialRow) {
        self.leaves.push(leaf);
    }

    /// Merges leaves that together form one partial order, unless that takes too long.
    pub(crate) fn merge_leaves(&mut self) {
        // An error is ignored: if merging stops early, the set is the same but has more leaves.
        let _ = merge_leaves(&mut self.leaves, &mut Budget::of_steps(MAX_MERGING_STEPS));
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns the disjoint leaves.
    pub fn leaves(&self) -> &[PartialRow] {
        &self.leaves
    }

    /// Returns whether the set contains no row.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Returns whether the set contains `row`.
    pub fn contains(&self, row: &Row) -> bool {
        self.leaves.iter().any(|leaf| leaf.admits(row))
    }

    /// Iterates over the rows of the set, leaf by leaf.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.leaves.iter().flat_map(PartialRow::rows)
    }

    /// Returns up to `limit` rows, beginning with `first` if the set contains it.
    pub fn examples(&self, first: &Row, limit: usize) -> Vec<Row> {
        let first = self.contains(first).then_some(first);
        let others = self.rows().filter(|row| Some(row) != first);
        first.cloned().into_iter().chain(others).take(limit).collect()
    }

    /// Counts the rows of the set, as far as the budget allows.
    pub fn count_rows(&self, budget: &mut Budget<'_>) -> RowCount {
        self.leaves.iter().fold(RowCount::Exactly(0), |count, leaf| count + RowCount::of_leaf(leaf, budget))
    }
}

/// A number of rows, perhaps only a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowCount {
    /// The exact number.
    Exactly(u128),
    /// A lower bound: counting all would take too long.
    AtLeast(u128),
}

impl RowCount {
    /// Counts the rows of a leaf; if that is too expensive, returns 1 as a lower bound.
    pub(crate) fn of_leaf(leaf: &PartialRow, budget: &mut Budget<'_>) -> Self {
        Self::count(leaf, budget).map_or(Self::AtLeast(1), Self::Exactly)
    }

    /// Counts the rows of a leaf. A leaf with a single row costs no steps, so that it is counted exactly even without
    /// any budget.
    ///
    /// # Errors
    /// If the count exceeds the budget or the maximum number of steps for one leaf.
    pub(crate) fn count(leaf: &PartialRow, budget: &mut Budget<'_>) -> Result<u128, HaltReason> {
        if leaf.is_one_row() {
            return Ok(1);
        }
        budget.spend(1)?;
        let mut steps = Budget::of_steps(MAX_STEPS_PER_LEAF.min(budget.steps_left()));
        let counted = count_extensions(leaf.below(), &mut steps);
        // The steps of a failed count are spent as well.
        budget.spend(steps.steps_spent())?;
        // If the caller's budget ran out, this returns its reason and not that of the inner budget.
        counted.or_else(|halt| budget.spend(1).and(Err(halt)))
    }

    /// Returns the exact number, or the lower bound if that is all that is known.
    pub fn at_least(self) -> u128 {
        match self {
            Self::Exactly(rows) | Self::AtLeast(rows) => rows,
        }
    }

    /// Returns the same number as a lower bound.
    pub(crate) fn as_lower_bound(self) -> Self {
        Self::AtLeast(self.at_least())
    }

    /// Returns whether the number is exact.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exactly(_))
    }

    /// Returns the number as a share of all n! rows, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "the 53 bits of a float are precise enough for a share")]
    pub fn share_of_all_rows(self, seats: SeatCount) -> f64 {
        self.at_least() as f64 / count_all_rows(seats) as f64
    }
}

/// Returns n!, the number of all rows.
pub(crate) fn count_all_rows(seats: SeatCount) -> u128 {
    (1..=seats.get() as u128).product()
}

impl std::ops::Add for RowCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let rows = self.at_least().saturating_add(other.at_least());
        if self.is_exact() && other.is_exact() { Self::Exactly(rows) } else { Self::AtLeast(rows) }
    }
}

impl std::ops::Mul for RowCount {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let rows = self.at_least().saturating_mul(other.at_least());
        if self.is_exact() && other.is_exact() { Self::Exactly(rows) } else { Self::AtLeast(rows) }
    }
}

impl fmt::Display for RowCount {
    /// Writes the number: `12` or `at least 12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(rows) => rows.fmt(f),
            Self::AtLeast(rows) => write!(f, "at least {rows}"),
        }
    }
}
