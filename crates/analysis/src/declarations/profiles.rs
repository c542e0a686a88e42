//! Sets of profiles, each of which has one declared row for each seat.

use crate::{PartialRow, RowCount};
use lastnim_core::game::{AllianceMatrix, BySeat, Row, Seat};

/// A set of profiles that all lead to the same winner: every combination of rows in which each row agrees with the
/// partial row of its seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProfiles {
    /// The partial row of each seat.
    pub rows: BySeat<PartialRow>,
    /// The winner under optimal play, which is the same for all profiles of the set.
    pub winner: Seat,
    /// The number of profiles.
    pub count: RowCount,
}

impl RowProfiles {
    /// Returns whether the set contains this matrix of declared rows.
    pub fn contains(&self, declared: &AllianceMatrix) -> bool {
        self.rows.enumerate().all(|(seat, known)| known.admits(&declared[seat]))
    }

    /// Returns the first profile, in lexicographic order.
    ///
    /// # Panics
    /// Never: all rows have the same number of seats.
    pub fn example(&self) -> AllianceMatrix {
        AllianceMatrix::from_rows(self.rows.map(PartialRow::first_row))
            .expect("all rows have the same length")
    }

    /// Iterates over the profiles; the last seat's row changes fastest.
    ///
    /// # Panics
    /// Never: all rows have the same number of seats.
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
            let matrix = AllianceMatrix::from_rows(rows).expect("all rows have the same length");
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
