//! Draws random positions.

use lastnim_core::game::{Ending, Game, SeatCount};
use lastnim_tournament::{Positions, PositionsError, SeededDraw, draw_matrix};

/// A number that keeps these draws independent of other draws with the same seed and index.
const DATASET_DRAW_DOMAIN: u64 = 0x0000_6461_7461_7365;

/// The kind of positions to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionKind {
    /// The possible numbers of seats, all equally likely. There must be at least one.
    pub seats: Vec<SeatCount>,
    /// The minimum and the maximum number of piles.
    pub piles: (usize, usize),
    /// The minimum and the maximum number of counters in a pile.
    pub counters: (u64, u64),
    /// The ending.
    pub ending: Ending,
}

impl PositionKind {
    /// Checks the numbers of piles and counters.
    ///
    /// # Errors
    /// Names the first number that is out of range.
    pub fn check(&self) -> Result<(), PositionsError> {
        Positions::drawn(1, self.piles, self.counters).map(|_| ())
    }
}

#[cfg(test)]
impl PositionKind {
    /// Returns a kind of small positions with two to four seats.
    pub fn small() -> Self {
        let seats = [2, 3, 4].map(|seats| SeatCount::new(seats).expect("the numbers of seats are valid"));
        Self { seats: seats.to_vec(), piles: (1, 4), counters: (1, 9), ending: Ending::ToMoveWins }
    }
}

/// Random positions of one kind, each with an index. Piles, rows and the seat to move are drawn uniformly.
#[derive(Debug, Clone)]
pub struct PositionDraw {
    kind: PositionKind,
    seed: u64,
}

impl PositionDraw {
    /// Creates the sequence of positions that a seed determines.
    ///
    /// # Panics
    /// If the kind lists no number of seats.
    pub fn new(kind: PositionKind, seed: u64) -> Self {
        assert!(!kind.seats.is_empty(), "expected at least one number of seats");
        Self { kind, seed }
    }

    /// Returns the position with this index, as the start of a game.
    ///
    /// # Panics
    /// If the kind fails its [check](PositionKind::check).
    pub fn draw_game(&self, index: u64) -> Game {
        let PositionKind { seats, piles, counters, ending } = &self.kind;
        let mut draw = SeededDraw::from_numbers([self.seed, DATASET_DRAW_DOMAIN, index]);
        let seats = *draw.choose(seats).expect("the list is not empty");
        let matrix = draw_matrix(seats, draw.next_bits(), 0);
        let first = draw.number_below(seats.get() as u64) as usize;
        let positions = Positions::drawn(1, *piles, *counters).expect("the numbers were checked");
        let piles = positions.piles(draw.next_bits(), 0).expect("there is one position");
        Game::new(piles, matrix, first, *ending).expect("the first seat is in range")
    }
}
