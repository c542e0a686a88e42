//! Rows in observations.

use lastnim_core::game::{AllianceMatrix, Seat};

/// The rows of a game as numbers, stored so that each seat's view is contiguous.
pub struct ObservedRows {
    pub matrix: AllianceMatrix,
    /// All rows, from that of seat 0 on, twice in succession.
    twice: Box<[i16]>,
}

impl ObservedRows {
    pub fn new(matrix: AllianceMatrix) -> Self {
        let rows = matrix.rows().iter().flat_map(|row| row.offsets().iter().map(|&offset| i16::from(offset)));
        let once: Vec<i16> = rows.collect();
        let twice = [once.as_slice(), once.as_slice()].concat().into_boxed_slice();
        Self { matrix, twice }
    }

    /// Returns all rows in seat order, from the observer's on.
    pub fn rows_from(&self, observer: Seat) -> &[i16] {
        let seats = self.matrix.seats().get();
        &self.twice[observer.index() * seats..][..seats * seats]
    }
}
