//! Sets of declarations of all seats.

use crate::{PartialRow, RowCount};
use lastnim_core::game::{AllianceMatrix, BySeat, Row, Seat};

/// Declarations of all seats that lead to one winner: any row of each seat that agrees with its partial row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProfiles {
    /// What each seat's row agrees with.
    pub rows: BySeat<PartialRow>,
    /// The winner under optimal play of any of them.
    pub winner: Seat,
    /// How many there are.
    pub count: RowCount,
}

impl RowProfiles {
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

    /// Iterates over them: the last seat's row changes the fastest.
    ///
    /// # Panics
    /// Never: all its rows are for the same seats.
    pub fn matrices(&self) -> impl Iterator<Item = AllianceMatrix> {
        let mut places: Vec<_> = self.rows.iter().map(PartialRow::rows).collect();
        let mut now: Vec<Row> = self.rows.iter().map(PartialRow::first_row).collect();
        for rows in &mut places {
            rows.next();
        }
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let rows = BySeat::try_from(now.clone()).expect("there is a row for each seat");
            let matrix = AllianceMatrix::from_rows(rows).expect("the rows are for one game");
            is_over = true;
            for (seat, known) in self.rows.enumerate().collect::<Vec<_>>().into_iter().rev() {
                let place = seat.index();
                if let Some(row) = places[place].next() {
                    now[place] = row;
                    is_over = false;
                    break;
                }
                places[place] = known.rows();
                now[place] = places[place].next().expect("a partial order has a linear extension");
            }
            Some(matrix)
        })
    }
}
