//! A set of rows of one seat.

use super::{PartialRow, merge_leaves};
use lastnim_core::{
    game::{Row, SeatCount},
    oracle::{Budget, HaltReason},
};
use std::fmt;

/// The most steps that are spent on counting one leaf's rows.
const MAX_STEPS_A_LEAF: u64 = 1 << 16;
/// The most steps that are spent on having fewer leaves: enough for a thousand.
const MAX_STEPS_OF_MERGING: u64 = 1 << 20;

/// A set of rows of one seat, as the union of leaves that have no row in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSet {
    seats: SeatCount,
    leaves: Vec<PartialRow>,
}

impl RowSet {
    /// Holds all n! rows.
    pub fn full(seats: SeatCount) -> Self {
        Self { seats, leaves: vec![PartialRow::unknown(seats)] }
    }

    /// Holds no row.
    pub fn empty(seats: SeatCount) -> Self {
        Self { seats, leaves: Vec::new() }
    }

    /// Holds the rows of leaves that have none in common.
    pub(crate) fn of_disjoint(seats: SeatCount, leaves: Vec<PartialRow>) -> Self {
        Self { seats, leaves }
    }

    /// Adds the rows of a leaf, none of which it holds.
    pub(crate) fn push_disjoint(&mut self, leaf: PartialRow) {
        self.leaves.push(leaf);
    }

    /// Puts leaves together that are all the rows of one partial order, unless that takes too long.
    pub(crate) fn merge_leaves(&mut self) {
        // What is not merged is the same set of rows in more leaves.
        let _ = merge_leaves(&mut self.leaves, &mut Budget::of_steps(MAX_STEPS_OF_MERGING));
    }

    /// Returns how many seats the rows are for.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns the leaves: no row is in two of them.
    pub fn leaves(&self) -> &[PartialRow] {
        &self.leaves
    }

    /// Returns whether it holds no row.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Returns whether it holds a row.
    pub fn contains(&self, row: &Row) -> bool {
        self.leaves.iter().any(|leaf| leaf.admits(row))
    }

    /// Iterates over its rows, leaf by leaf.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.leaves.iter().flat_map(PartialRow::rows)
    }

    /// Returns up to `most` of its rows, `first` first if it is one of them.
    pub fn examples(&self, first: &Row, most: usize) -> Vec<Row> {
        let first = self.contains(first).then_some(first);
        let others = self.rows().filter(|row| Some(row) != first);
        first.cloned().into_iter().chain(others).take(most).collect()
    }

    /// Counts its rows, as far as the budget goes.
    pub fn count_rows(&self, budget: &mut Budget<'_>) -> RowCount {
        self.leaves.iter().fold(RowCount::Exactly(0), |count, leaf| count + RowCount::of_leaf(leaf, budget))
    }
}

/// A number of rows, which may be too expensive to be told exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowCount {
    /// So many.
    Exactly(u128),
    /// So many or more: to count them all would take too long.
    AtLeast(u128),
}

impl RowCount {
    /// Counts the rows of a leaf; one that is too expensive has at least one.
    pub(crate) fn of_leaf(leaf: &PartialRow, budget: &mut Budget<'_>) -> Self {
        Self::count(leaf, budget).map_or(Self::AtLeast(1), Self::Exactly)
    }

    /// Counts the rows of a leaf. A single row costs nothing: so counts whose sum comes to all rows are exact.
    ///
    /// # Errors
    /// If it is too expensive, for the budget or for any leaf.
    pub(crate) fn count(leaf: &PartialRow, budget: &mut Budget<'_>) -> Result<u128, HaltReason> {
        if leaf.is_one_row() {
            return Ok(1);
        }
        budget.spend(1)?;
        let mut steps = Budget::of_steps(MAX_STEPS_A_LEAF.min(budget.steps_left()));
        let counted = leaf.count_rows(&mut steps);
        // What was spent in vain was spent as well.
        budget.spend(steps.steps_spent())?;
        // The reason is the caller's budget, if that is what gave out.
        counted.or_else(|halt| budget.spend(1).and(Err(halt)))
    }

    /// Returns the number that there are at least.
    pub fn at_least(self) -> u128 {
        match self {
            Self::Exactly(rows) | Self::AtLeast(rows) => rows,
        }
    }

    /// Returns the same number, if there may be more of what was not looked at.
    pub(crate) fn as_lower_bound(self) -> Self {
        Self::AtLeast(self.at_least())
    }

    /// Returns whether the number is exact.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exactly(_))
    }

    /// Returns which share of all n! rows that is, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than the 53 bits of a float")]
    pub fn share_of_all(self, seats: SeatCount) -> f64 {
        self.at_least() as f64 / count_all_rows(seats) as f64
    }
}

/// Returns the number of rows that a seat may declare: n!.
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
    /// Writes the number, as in `12` or `at least 12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(rows) => rows.fmt(f),
            Self::AtLeast(rows) => write!(f, "at least {rows}"),
        }
    }
}
