//! What a position is known by, and which set it belongs to.

use lastnim_core::game::{AllianceMatrix, BySeat, Game};
use lastnim_proto::pb::DatasetSplit;
use std::fmt;

/// The bytes of an id.
const ID_BYTES: usize = 16;
/// What the hash of a position begins with: another rule for ids would begin with another line.
const DOMAIN: &str = "lastnim position v1\n";
/// Of so many positions one is kept for benchmarks.
const BENCHMARK_INTERVAL: u64 = 10;

/// Returns the same position with the seats numbered from the one to move.
pub fn number_from_mover(game: &Game) -> Game {
    let (seats, first) = (game.matrix.seats(), game.first_seat());
    let rows =
        BySeat::from_fn(seats, |seat| game.matrix.rows()[seats.seat_at_offset(first, seat.index())].clone());
    let matrix = AllianceMatrix::from_rows(rows).expect("rows count from their own seats");
    Game::new(game.piles.clone(), matrix, 0, game.ending).expect("every match has a seat 0")
}

/// What a position is known by: the first 16 bytes of the BLAKE3 hash of a text of it.
///
/// The text is the line `lastnim position v1`, the ending, the rows from that of the seat to move on, and the counters of the piles from the first
/// to the pile in play, each on a line of its own, such as `to_move_wins`, `0 2 1; 0 1 2; 0 2 1` and `1,2,2`. As rows count from their own
/// seats, positions that differ in nothing but the numbers of their seats have the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId([u8; ID_BYTES]);

impl PositionId {
    /// Returns the id of the position that a game starts from.
    pub fn of_game(game: &Game) -> Self {
        let hash = blake3::hash(describe_position(game).as_bytes());
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash.as_bytes()[..ID_BYTES]);
        Self(id)
    }

    /// Returns the set that the position belongs to: that for benchmarks if the first 8 bytes of its id, the first of them the
    /// highest, are a multiple of ten.
    pub fn split(self) -> DatasetSplit {
        let (first, _) = self.0.split_first_chunk().expect("an id has 16 bytes");
        if u64::from_be_bytes(*first).is_multiple_of(BENCHMARK_INTERVAL) {
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
    let game = number_from_mover(game);
    let rows: Vec<_> = game.matrix.rows().iter().map(ToString::to_string).collect();
    let piles: Vec<_> = game.piles.as_slice().iter().map(ToString::to_string).collect();
    format!("{DOMAIN}{}\n{}\n{}", game.ending, rows.join("; "), piles.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        labelling::label_position,
        position_draw::{DrawnKind, PositionDraw},
    };
    use lastnim_core::{game::Ending, oracle::Explanation};
    use std::collections::HashSet;

    fn game(piles: &[u64], rows: &[Vec<u64>], first: usize) -> Game {
        Game::parse(piles, rows, first, Ending::ToMoveWins).unwrap()
    }

    #[test]
    fn an_id_is_that_of_a_text_that_anybody_can_write() {
        let game = game(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]], 1);
        let text = describe_position(&game);
        assert_eq!(text, "lastnim position v1\nto_move_wins\n0 1 2; 0 2 1; 0 2 1\n1,2,2");
        // It never changes: whoever trained before the change would meet positions of a benchmark.
        assert_eq!(PositionId::of_game(&game).to_string(), "83e4d5603716358481b2543e1c1a215a");
    }

    #[test]
    fn emptied_piles_change_nothing() {
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
    fn positions_that_differ_in_the_numbers_of_their_seats_have_the_same_id() {
        let draw = PositionDraw::new(DrawnKind::small(), 11);
        for index in 0..200 {
            let game = draw.draw_game(index);
            let seats = game.matrix.seats();
            let next = seats.next(game.first_seat());
            // Each seat has the number of the next one, and so has its row.
            let rows = BySeat::from_fn(seats, |seat| {
                let before = seats.seat_at_offset(seat, seats.get() - 1);
                game.matrix.rows()[before].clone()
            });
            let matrix = AllianceMatrix::from_rows(rows).unwrap();
            let turned = Game::new(game.piles.clone(), matrix, next.index(), game.ending).unwrap();
            assert_eq!(PositionId::of_game(&game), PositionId::of_game(&turned));
            let difficulty = |game| label_position(game, &Explanation::of(game, 0)).difficulty;
            assert_eq!(difficulty(&game), difficulty(&turned));
        }
    }

    #[test]
    fn one_of_ten_positions_is_kept_for_benchmarks() {
        let draw = PositionDraw::new(DrawnKind { counters: (1, 1_000_000), ..DrawnKind::small() }, 5);
        let ids: HashSet<_> = (0..4_000).map(|index| PositionId::of_game(&draw.draw_game(index))).collect();
        let kept = ids.iter().filter(|id| id.split() == DatasetSplit::Benchmark).count();
        // The seed is fixed, and six standard deviations are 114.
        assert!((286..=514).contains(&kept), "{kept} of {}", ids.len());
    }
}
