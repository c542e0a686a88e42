//! Errata of the paper by El-Seidy, El Kady and Nassr (2019).

use crate::game::{Ending, Game, Row};
use std::fmt;

/// A misprint in El-Seidy, El Kady and Nassr (2019) that contradicts the paper's own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erratum {
    /// The place of the misprint: a table and its row, such as `3.1`, or `figure 1`.
    pub row: &'static str,
    /// The printed value, and what contradicts it.
    pub text: &'static str,
    piles: &'static [u64],
    rows: &'static [&'static [u8]],
    first: usize,
}

const STANDARD_ROWS_OF_3: &[&[u8]] = &[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2]];
const STANDARD_ROWS_OF_4: &[&[u8]] = &[&[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3]];

/// An erratum that was found for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErratumMatch {
    /// The erratum.
    pub erratum: &'static Erratum,
    /// The number of seats n, if the paper prints an equivalent game and not this very game. Two games are equivalent
    /// if their piles are the same once each pile of x counters is replaced by one of min(x, n).
    pub equivalent_for: Option<usize>,
}

static ERRATA: [Erratum; 4] = [
    Erratum {
        row: "1.1",
        text: "table 1, row 1 prints the winner P2, but its value 2 with P2 moving first means that P0 wins",
        piles: &[4, 3],
        rows: STANDARD_ROWS_OF_4,
        first: 2,
    },
    Erratum {
        row: "3.1",
        text: "table 3, row 1 prints the value 0 and the winner P1, but its formula for this case (d + 1 because x_2 > 1) gives the value 1 and the winner P2",
        piles: &[1, 2, 3],
        rows: STANDARD_ROWS_OF_3,
        first: 1,
    },
    Erratum {
        row: "6.5",
        text: "table 6, row 5 prints the value 2, but its winner P0 with P2 moving first means the value 1",
        piles: &[1, 2, 3, 2, 1, 2],
        rows: &[&[0, 2, 1], &[2, 1, 0], &[0, 1, 2]],
        first: 2,
    },
    Erratum {
        row: "figure 1",
        text: "the example of figure 1 prints the piles 2,2,1, but its tree and its line of play are those of 1,2,2",
        piles: &[2, 2, 1],
        rows: &[&[0, 2, 1], &[0, 1, 2], &[0, 2, 1]],
        first: 0,
    },
];

/// Returns the erratum about `game` or about an equivalent game with the same rows and first seat, if there is one.
pub fn find_erratum(game: &Game) -> Option<ErratumMatch> {
    let seats = game.matrix.seats().get();
    let worth = |piles: &[u64]| piles.iter().map(|&counters| counters.min(seats as u64)).collect::<Vec<_>>();
    let erratum = ERRATA.iter().find(|erratum| {
        game.ending == Ending::ToMoveWins
            && game.first_seat().index() == erratum.first
            && game.matrix.rows().iter().map(Row::offsets).eq(erratum.rows.iter().copied())
            && worth(game.piles.as_slice()) == worth(erratum.piles)
    })?;
    let is_printed = game.piles.as_slice() == erratum.piles;
    Some(ErratumMatch { erratum, equivalent_for: (!is_printed).then_some(seats) })
}

impl fmt::Display for ErratumMatch {
    /// Writes the misprint and, if it is in an equivalent position, why it also applies to this one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Erratum { text, piles, .. } = self.erratum;
        f.write_str(text)?;
        if let Some(seats) = self.equivalent_for {
            let piles: Vec<_> = piles.iter().map(u64::to_string).collect();
            write!(
                f,
                " (in the equivalent position with piles {}: a pile of x counters is equivalent to one of min(x, {seats}))",
                piles.join(",")
            )?;
        }
        Ok(())
    }
}
