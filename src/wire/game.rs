//! The game on the wire: endings, rows, matrices, piles, optimal takes.
//!
//! What comes in is parsed by `parse_*` functions, which report what is wrong with a field and return none; what goes out
//! is converted by `From`. Names and ids are words on both sides: parse them with [`FromStr`](std::str::FromStr).

use super::{Field, Violations, pb};
use crate::{
    game::{AllianceMatrix, BySeat, Ending, Game, Piles, Row, RowError, SeatCount},
    oracle::{OptimalTakes, TakeRange},
};

/// Reads the ending of Last Nim; one that is not given is the default.
pub fn parse_ending(number: i32, field: Field<'_>, violations: &mut Violations) -> Option<Ending> {
    parse_ending_or(Ending::default(), number, field, violations)
}

/// Reads an ending, or takes another one where none is given.
pub(super) fn parse_ending_or(
    default: Ending,
    number: i32,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<Ending> {
    Some(match violations.known(field, number)? {
        pb::Ending::Unspecified => default,
        pb::Ending::ToMoveWins => Ending::ToMoveWins,
        pb::Ending::LastMoverWins => Ending::LastMoverWins,
    })
}

/// Reads the row of one seat.
pub fn parse_row(
    row: &pb::Row,
    seats: SeatCount,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<Row> {
    let given = row.offsets.len();
    let parsed = if given == seats.get() {
        let offsets: Vec<u64> = row.offsets.iter().map(|&offset| u64::from(offset)).collect();
        Row::parse(&offsets, seats)
    } else {
        Err(RowError::Length { given, seats })
    };
    violations.keep(field.member("offsets"), parsed)
}

/// Reads the rows of all seats, which say how many there are.
pub fn parse_alliance_matrix(
    matrix: &pb::AllianceMatrix,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<AllianceMatrix> {
    let rows = field.member("rows");
    let seats = violations.keep(rows, SeatCount::new(matrix.rows.len()))?;
    let parsed: Vec<Option<Row>> = matrix
        .rows
        .iter()
        .enumerate()
        .map(|(seat, row)| parse_row(row, seats, rows.element(seat), violations))
        .collect();
    let by_seat: BySeat<Row> = parsed.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()?;
    violations.keep(rows, AllianceMatrix::from_rows(by_seat))
}

/// Reads the piles that a game starts with.
pub fn parse_piles(counters: &[u64], field: Field<'_>, violations: &mut Violations) -> Option<Piles> {
    violations.keep(field, Piles::parse(counters))
}

/// Reads a game, which may be under way or over.
pub fn parse_game(game: &pb::Game, field: Field<'_>, violations: &mut Violations) -> Option<Game> {
    let piles = violations.keep(field.member("piles"), Piles::parse_partly_emptied(&game.piles));
    let at_matrix = field.member("alliance_matrix");
    let matrix = violations
        .require(at_matrix, game.alliance_matrix.as_ref())
        .and_then(|matrix| parse_alliance_matrix(matrix, at_matrix, violations));
    let ending = parse_ending(game.ending, field.member("ending"), violations);
    let matrix = matrix?;
    let first = game.first as usize;
    violations.keep(field.member("first"), matrix.seats().seat(first))?;
    Game::new(piles?, matrix, first, ending?).ok()
}

impl From<Ending> for pb::Ending {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::ToMoveWins => Self::ToMoveWins,
            Ending::LastMoverWins => Self::LastMoverWins,
        }
    }
}

impl From<&Row> for pb::Row {
    fn from(row: &Row) -> Self {
        Self { offsets: row.offsets().iter().map(|&offset| u32::from(offset)).collect() }
    }
}

impl From<&AllianceMatrix> for pb::AllianceMatrix {
    fn from(matrix: &AllianceMatrix) -> Self {
        Self { rows: matrix.rows().iter().map(pb::Row::from).collect() }
    }
}

impl From<&Piles> for pb::Piles {
    /// Writes the piles; where no counter is left, one emptied pile, for there is no position without a pile.
    fn from(piles: &Piles) -> Self {
        Self { counters: if piles.is_empty() { vec![0] } else { piles.as_slice().to_vec() } }
    }
}

impl From<&Game> for pb::Game {
    fn from(game: &Game) -> Self {
        Self {
            piles: pb::Piles::from(&game.piles).counters,
            alliance_matrix: Some((&game.matrix).into()),
            first: game.first().into(),
            ending: pb::Ending::from(game.ending).into(),
        }
    }
}

impl From<&TakeRange> for pb::TakeRange {
    fn from(&TakeRange { lo, hi }: &TakeRange) -> Self {
        Self { lo, hi }
    }
}

/// Writes the optimal takes as disjoint ranges in rising order.
pub fn take_ranges(takes: &OptimalTakes) -> Vec<pb::TakeRange> {
    takes.iter().map(pb::TakeRange::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::testing;
    use proptest::prelude::*;

    fn parse(game: &pb::Game) -> Result<Game, Violations> {
        let mut violations = Violations::default();
        let parsed = parse_game(game, Field::root("game"), &mut violations);
        violations.finish(parsed)
    }

    fn row(offsets: &[u32]) -> pb::Row {
        pb::Row { offsets: offsets.to_vec() }
    }

    #[test]
    fn every_mistake_of_a_game_is_named() {
        let game = pb::Game {
            piles: vec![3, 0, 2],
            alliance_matrix: Some(pb::AllianceMatrix {
                rows: vec![row(&[0, 0]), row(&[0, 1]), row(&[0, 1, 7])],
            }),
            first: 3,
            ending: 9,
        };
        let fields = |refused: &Violations| -> Vec<String> {
            refused.as_slice().iter().map(|violation| violation.field.clone()).collect()
        };
        let refused = parse(&game).unwrap_err();
        assert_eq!(
            fields(&refused),
            [
                "game.piles",
                "game.alliance_matrix.rows[0].offsets",
                "game.alliance_matrix.rows[1].offsets",
                "game.alliance_matrix.rows[2].offsets",
                "game.ending"
            ]
        );
        let refused = parse(&pb::Game::default()).unwrap_err();
        assert_eq!(fields(&refused), ["game.piles", "game.alliance_matrix"]);
        let two = Some((&AllianceMatrix::standard(SeatCount::new(2).unwrap())).into());
        let refused = parse(&pb::Game { first: 2, alliance_matrix: two, ..pb::Game::default() }).unwrap_err();
        assert_eq!(fields(&refused), ["game.piles", "game.first"]);
    }

    #[test]
    fn a_matrix_of_many_rows_is_refused_by_its_length() {
        let matrix = pb::AllianceMatrix { rows: vec![pb::Row::default(); 100_000] };
        let mut violations = Violations::default();
        assert_eq!(parse_alliance_matrix(&matrix, Field::root("matrix"), &mut violations), None);
        assert_eq!(violations.to_string(), "matrix.rows: 100000 seats: a game has 2 to 32");
    }

    #[test]
    fn an_ending_that_is_not_given_is_the_default() {
        let mut violations = Violations::default();
        assert_eq!(parse_ending(0, Field::root("ending"), &mut violations), Some(Ending::default()));
        for ending in Ending::ALL {
            let number = pb::Ending::from(ending).into();
            assert_eq!(parse_ending(number, Field::root("ending"), &mut violations), Some(ending));
        }
        assert!(violations.is_empty());
    }

    proptest! {
        #[test]
        fn a_game_survives_the_wire(game in testing::game()) {
            prop_assert_eq!(parse(&pb::Game::from(&game)), Ok(game));
        }

        #[test]
        fn garbage_is_refused_with_the_name_of_its_field(
            piles in prop::collection::vec(prop_oneof![0..3_u64, any::<u64>()], 0..4),
            rows in prop::option::of(prop::collection::vec(prop::collection::vec(0..4_u32, 0..4), 0..4)),
            first in 0..4_u32,
            ending in -1..4_i32,
        ) {
            let alliance_matrix = rows.map(|rows| pb::AllianceMatrix { rows: rows.iter().map(|r| row(r)).collect() });
            let game = pb::Game { piles, alliance_matrix, first, ending };
            match parse(&game) {
                Ok(parsed) => prop_assert_eq!(parse(&pb::Game::from(&parsed)), Ok(parsed)),
                Err(refused) => {
                    let ours = |violation: &super::super::Violation| violation.field.starts_with("game.");
                    prop_assert!(refused.as_slice().iter().all(ours));
                }
            }
        }
    }
}
