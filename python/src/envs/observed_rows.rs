//! Rows as an observation shows them.

use lastnim_core::game::{AllianceMatrix, Seat};

/// The rows of a game, each offset a number of an observation, so that those that a seat sees lie one after the other.
pub struct ObservedRows {
    pub matrix: AllianceMatrix,
    /// All rows twice, from seat 0 on.
    twice: Box<[i16]>,
}

impl ObservedRows {
    pub fn new(matrix: AllianceMatrix) -> Self {
        let rows = matrix.rows().iter().flat_map(|row| row.offsets().iter().map(|&offset| i16::from(offset)));
        let once: Vec<i16> = rows.collect();
        let twice = [once.as_slice(), once.as_slice()].concat().into_boxed_slice();
        Self { matrix, twice }
    }

    /// Returns the observer's row, then that of the seat after it, and so on.
    pub fn seen_by(&self, observer: Seat) -> &[i16] {
        let seats = self.matrix.seats().get();
        &self.twice[observer.index() * seats..][..seats * seats]
    }
}
