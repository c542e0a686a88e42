//! Positions that are drawn from a seed.

use lastnim_core::game::{Ending, Game, SeatCount};
use lastnim_tournament::{Positions, PositionsError, SeededDraw, draw_matrix};

/// What the draw of a position of a dataset is for, besides its seed and index.
const DATASET_DRAW: u64 = 0x0000_6461_7461_7365;

/// What positions are drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnKind {
    /// The numbers of seats, each equally likely; at least one.
    pub seats: Vec<SeatCount>,
    /// The fewest and the most piles.
    pub piles: (usize, usize),
    /// The fewest and the most counters of a pile.
    pub counters: (u64, u64),
    /// Who wins when no counter is left.
    pub ending: Ending,
}

impl DrawnKind {
    /// Checks the numbers.
    ///
    /// # Errors
    /// Names the first one that is out of its bounds.
    pub fn check(&self) -> Result<(), PositionsError> {
        Positions::drawn(1, self.piles, self.counters).map(|_| ())
    }
}

#[cfg(test)]
impl DrawnKind {
    /// Returns small positions of two to four seats.
    pub fn small() -> Self {
        let seats = [2, 3, 4].map(|seats| SeatCount::new(seats).expect("as many seats as a match has"));
        Self { seats: seats.to_vec(), piles: (1, 4), counters: (1, 9), ending: Ending::ToMoveWins }
    }
}

/// Positions of one kind, by their index: piles, rows and the seat to move are drawn, each equally likely in its range.
#[derive(Debug, Clone)]
pub struct PositionDraw {
    kind: DrawnKind,
    seed: u64,
}

impl PositionDraw {
    /// Draws from a seed.
    ///
    /// # Panics
    /// If the kind has no number of seats, or does not pass its [check](DrawnKind::check).
    pub fn new(kind: DrawnKind, seed: u64) -> Self {
        assert!(!kind.seats.is_empty(), "positions have seats");
        Self { kind, seed }
    }

    /// Returns the position of an index.
    pub fn draw_game(&self, index: u64) -> Game {
        let DrawnKind { seats, piles, counters, ending } = &self.kind;
        let mut draw = SeededDraw::from_numbers([self.seed, DATASET_DRAW, index]);
        let seats = *draw.choose(seats).expect("there are numbers of seats");
        let matrix = draw_matrix(seats, draw.next_bits(), 0);
        let first = draw.number_below(seats.get() as u64) as usize;
        let positions = Positions::drawn(1, *piles, *counters).expect("the numbers were checked");
        let piles = positions.piles(draw.next_bits(), 0).expect("there is one position");
        Game::new(piles, matrix, first, *ending).expect("the first seat is one of the matrix's")
    }
}
