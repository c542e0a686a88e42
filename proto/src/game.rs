//! Converts games and their parts to and from messages: endings, rows, matrices, piles and optimal takes.
//!
//! The `parse_*` functions read messages: they report each mistake with its field, and then return `None`. The `From`
//! implementations write messages. Names and ids are strings in both directions: parse them with
//! [`FromStr`](std::str::FromStr).

use super::{RequestField, pb};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Game, Piles, Row, RowError, SeatCount},
    oracle::{OptimalTakes, TakeRange},
};

/// Reads an ending; the default is that of Last Nim.
pub fn parse_ending(number: i32, field: RequestField<'_>) -> Option<Ending> {
    parse_ending_or(Ending::default(), number, field)
}

/// Reads an ending; `default` is returned if it is unspecified.
pub(super) fn parse_ending_or(default: Ending, number: i32, field: RequestField<'_>) -> Option<Ending> {
    field.optional_enum(number).map(|ending| ending.unwrap_or(default))
}

/// Reads the row of one seat.
pub fn parse_row(row: &pb::Row, seats: SeatCount, field: RequestField<'_>) -> Option<Row> {
    let given = row.offsets.len();
    let parsed = if given == seats.get() {
        let offsets: Vec<u64> = row.offsets.iter().map(|&offset| u64::from(offset)).collect();
        Row::parse(&offsets, seats)
    } else {
        Err(RowError::Length { given, seats })
    };
    field.member("offsets").ok_or_report(parsed)
}

/// Reads the rows of all seats. The number of rows determines the number of seats.
pub fn parse_alliance_matrix(matrix: &pb::AllianceMatrix, field: RequestField<'_>) -> Option<AllianceMatrix> {
    let rows = field.member("rows");
    let seats = rows.ok_or_report(SeatCount::new(matrix.rows.len()))?;
    let parsed = rows.parse_each(&matrix.rows, |row, at| parse_row(row, seats, at))?;
    let by_seat: BySeat<Row> = parsed.try_into().ok()?;
    rows.ok_or_report(AllianceMatrix::from_rows(by_seat))
}

/// Reads the initial piles.
pub fn parse_piles(counters: &[u64], field: RequestField<'_>) -> Option<Piles> {
    field.ok_or_report(Piles::parse(counters))
}

/// Reads a game. It may have begun or ended, so that its last piles may be empty.
pub fn parse_game(game: &pb::Game, field: RequestField<'_>) -> Option<Game> {
    let piles = field.member("piles").ok_or_report(Piles::parse_partly_emptied(&game.piles));
    let matrix = game.alliance_matrix.as_ref();
    let matrix = field.member("alliance_matrix").parse_required(matrix, parse_alliance_matrix);
    let ending = parse_ending(game.ending, field.member("ending"));
    let matrix = matrix?;
    let first = game.first as usize;
    field.member("first").ok_or_report(matrix.seats().seat(first))?;
    Game::new(piles?, matrix, first, ending?).ok()
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
    /// Writes the piles. If no counters are left, writes one empty pile, since a position has at least one pile.
    fn from(piles: &Piles) -> Self {
        Self { counters: if piles.is_empty() { vec![0] } else { piles.as_slice().to_vec() } }
    }
}

impl From<&Game> for pb::Game {
    fn from(game: &Game) -> Self {
        Self {
            piles: pb::Piles::from(&game.piles).counters,
            alliance_matrix: Some((&game.matrix).into()),
            first: game.first_seat().into(),
            ending: pb::Ending::from(game.ending).into(),
        }
    }
}

impl From<&TakeRange> for pb::TakeRange {
    fn from(&TakeRange { lo, hi }: &TakeRange) -> Self {
        Self { lo, hi }
    }
}

/// Writes the optimal takes as disjoint ranges in ascending order.
pub fn take_range_messages(takes: &OptimalTakes) -> Vec<pb::TakeRange> {
    takes.iter().map(pb::TakeRange::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Violations, parse_request, testing};
    use proptest::prelude::*;

    fn parse(game: &pb::Game) -> Result<Game, Violations> {
        parse_request(|request| parse_game(game, request.member("game")))
    }

    fn row(offsets: &[u32]) -> pb::Row {
        pb::Row { offsets: offsets.to_vec() }
    }

    #[test]
    fn every_mistake_in_a_game_is_named() {
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
    fn too_long_matrix_is_refused_before_its_rows_are_read() {
        let matrix = pb::AllianceMatrix { rows: vec![pb::Row::default(); 100_000] };
        let parsed = parse_request(|request| parse_alliance_matrix(&matrix, request.member("matrix")));
        assert_eq!(parsed.unwrap_err().to_string(), "matrix.rows: 100000 seats: expected 2 to 32");
    }

    #[test]
    fn missing_ending_is_the_default() {
        let parse = |number| parse_request(|request| parse_ending(number, request.member("ending")));
        assert_eq!(parse(0), Ok(Ending::default()));
        for ending in Ending::ALL {
            assert_eq!(parse(pb::Ending::from(ending).into()), Ok(ending));
        }
    }

    proptest! {
        #[test]
        fn game_reads_back(game in testing::game()) {
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
                    let is_ours = |violation: &super::super::Violation| violation.field.starts_with("game.");
                    prop_assert!(refused.as_slice().iter().all(is_ours));
                }
            }
        }
    }
}
