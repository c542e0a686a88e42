//! Sets of declarations of all seats.

use crate::{
    game::{AllianceMatrix, BySeat, Seat},
    oracle::{PartialRow, RowCount},
};

/// Declarations of all seats that lead to one winner: any row of each seat that agrees with its partial row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiles {
    /// What each seat's row agrees with.
    pub rows: BySeat<PartialRow>,
    /// The winner under optimal play of any of them.
    pub winner: Seat,
    /// How many there are.
    pub count: RowCount,
}

impl Profiles {
    /// Returns whether a matrix of declared rows is one of them.
    pub fn contains(&self, declared: &AllianceMatrix) -> bool {
        self.rows.enumerate().all(|(seat, known)| known.admits(&declared[seat]))
    }

    /// Returns the first of them, in lexicographic order.
    ///
    /// # Panics
    /// Never: all its rows are for the same seats.
    pub fn example(&self) -> AllianceMatrix {
        AllianceMatrix::from_rows(self.rows.map(PartialRow::first_row)).expect("the rows are for one game")
    }
}
