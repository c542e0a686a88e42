//! The printed results of the paper that contradict the paper itself.

use crate::game::{Ending, Game, Row};

/// A row of a table in El-Seidy, El Kady and Nassr (2019) whose printed result contradicts the paper's own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erratum {
    /// The row's name: table and row, as in `3.1`.
    pub row: &'static str,
    /// What is printed, and what contradicts it.
    pub text: &'static str,
    piles: &'static [u64],
    rows: &'static [&'static [u8]],
    first: usize,
}

const STANDARD_3: &[&[u8]] = &[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2]];
const STANDARD_4: &[&[u8]] = &[&[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3]];

static ERRATA: [Erratum; 3] = [
    Erratum {
        row: "1.1",
        text: "table 1, row 1 prints the winner P2: its own value 2 with P2 first means P0",
        piles: &[4, 3],
        rows: STANDARD_4,
        first: 2,
    },
    Erratum {
        row: "3.1",
        text: "table 3, row 1 prints the value 0 and the winner P1: its own formula for the case, d + 1 as x_2 > 1, gives 1 and P2",
        piles: &[1, 2, 3],
        rows: STANDARD_3,
        first: 1,
    },
    Erratum {
        row: "6.5",
        text: "table 6, row 5 prints the value 2: its own winner P0 with P2 first means 1",
        piles: &[1, 2, 3, 2, 1, 2],
        rows: &[&[0, 2, 1], &[2, 1, 0], &[0, 1, 2]],
        first: 2,
    },
];

/// Returns what the paper prints wrongly about a game, if it does.
pub fn find_erratum(game: &Game) -> Option<&'static Erratum> {
    ERRATA.iter().find(|erratum| {
        game.ending == Ending::ToMoveWins
            && game.first_seat().index() == erratum.first
            && game.piles.as_slice() == erratum.piles
            && game.matrix.rows().iter().map(Row::offsets).eq(erratum.rows.iter().copied())
    })
}
