//! The ids of positions, and the rule that splits positions into sets.

use lastnim_core::game::{AllianceMatrix, BySeat, Game};
use lastnim_proto::pb::DatasetSplit;
use std::fmt;

const ID_BYTES: usize = 16;
/// The first line of the hashed text. It must change whenever the rule for ids changes.
const DOMAIN: &str = "lastnim position v1\n";
/// On average, one in this many positions belongs to the benchmark set.
const BENCHMARK_DIVISOR: u64 = 10;

/// Renumbers the seats so that the seat to move becomes seat 0.
pub fn renumber_from_mover(game: &Game) -> Game {
    let (seats, first) = (game.matrix.seats(), game.first_seat());
    let rows =
        BySeat::from_fn(seats, |seat| game.matrix.rows()[seats.seat_at_offset(first, seat.index())].clone());
    let matrix = AllianceMatrix::from_rows(rows).expect("the rows stay valid");
    Game::new(game.piles.clone(), matrix, 0, game.ending).expect("seat 0 exists")
}

/// The id of a position: the first 16 bytes of the BLAKE3 hash of a text that describes the position.
///
/// The text has these lines: `lastnim position v1`, the ending, the rows (starting with that of the seat to move), and
/// the counters of the piles up to the pile in play; for example `to_move_wins`, `0 2 1; 0 1 2; 0 2 1` and `1,2,2`.
/// Rows are relative to their seats, so renumbering the seats does not change the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId([u8; ID_BYTES]);

impl PositionId {
    /// Returns the id of the first position of a game.
    pub fn of_game(game: &Game) -> Self {
        let hash = blake3::hash(describe_position(game).as_bytes());
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash.as_bytes()[..ID_BYTES]);
        Self(id)
    }

    /// Returns the set that the position belongs to. It is the benchmark set if the first 8 bytes of the id, read as a
    /// big-endian number, are a multiple of ten.
    pub fn split(self) -> DatasetSplit {
        let (first, _) = self.0.split_first_chunk().expect("an id has 16 bytes");
        if u64::from_be_bytes(*first).is_multiple_of(BENCHMARK_DIVISOR) {
            DatasetSplit::Benchmark
        } else {
            DatasetSplit::Train
        }
    }
}

impl fmt::Display for PositionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn describe_position(game: &Game) -> String {
    let game = renumber_from_mover(game);
    let rows: Vec<_> = game.matrix.rows().iter().map(ToString::to_string).collect();
    let piles: Vec<_> = game.piles.as_slice().iter().map(ToString::to_string).collect();
    format!("{DOMAIN}{}\n{}\n{}", game.ending, rows.join("; "), piles.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        labelling::label_position,
        position_draw::{PositionDraw, PositionKind},
    };
    use lastnim_core::{game::Ending, oracle::Explanation};
    use std::collections::HashSet;

    fn game(piles: &[u64], rows: &[Vec<u64>], first: usize) -> Game {
        Game::parse(piles, rows, first, Ending::ToMoveWins).unwrap()
    }

    #[test]
    fn a_position_id_is_the_hash_of_a_fixed_text() {
        let game = game(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]], 1);
        let text = describe_position(&game);
        assert_eq!(text, "lastnim position v1\nto_move_wins\n0 1 2; 0 2 1; 0 2 1\n1,2,2");
        // The split must never change: otherwise, models may have been trained on positions of the benchmark set.
        assert_eq!(PositionId::of_game(&game).to_string(), "83e4d5603716358481b2543e1c1a215a");
    }

    #[test]
    fn empty_piles_do_not_change_the_id() {
        let rows = [vec![0, 1], vec![0, 1]];
        assert_eq!(
            PositionId::of_game(&game(&[3, 2], &rows, 0)),
            PositionId::of_game(&game(&[3, 2, 0, 0], &rows, 0))
        );
        assert_ne!(
            PositionId::of_game(&game(&[3, 2], &rows, 0)),
            PositionId::of_game(&game(&[2, 3], &rows, 0))
        );
    }

    #[test]
    fn renumbered_positions_have_the_same_id() {
        let draw = PositionDraw::new(PositionKind::small(), 11);
        for index in 0..200 {
            let game = draw.draw_game(index);
            let seats = game.matrix.seats();
            let next = seats.next(game.first_seat());
            // Each seat's number goes up by one, and its row moves with it.
            let rows = BySeat::from_fn(seats, |seat| {
                let before = seats.seat_at_offset(seat, seats.get() - 1);
                game.matrix.rows()[before].clone()
            });
            let matrix = AllianceMatrix::from_rows(rows).unwrap();
            let turned = Game::new(game.piles.clone(), matrix, next.index(), game.ending).unwrap();
            assert_eq!(PositionId::of_game(&game), PositionId::of_game(&turned));
            let difficulty = |game| label_position(game, &Explanation::of_game(game, 0)).difficulty;
            assert_eq!(difficulty(&game), difficulty(&turned));
        }
    }

    #[test]
    fn one_tenth_of_all_positions_is_reserved_for_benchmarks() {
        let draw = PositionDraw::new(PositionKind { counters: (1, 1_000_000), ..PositionKind::small() }, 5);
        let ids: HashSet<_> = (0..4_000).map(|index| PositionId::of_game(&draw.draw_game(index))).collect();
        let kept = ids.iter().filter(|id| id.split() == DatasetSplit::Benchmark).count();
        // The seed is fixed. The range extends by six standard deviations (114) on each side of 400.
        assert!((286..=514).contains(&kept), "{kept} of {}", ids.len());
    }
}
