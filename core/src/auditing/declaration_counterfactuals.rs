//! Who would win under optimal play had a bot declared another row.

use super::{AuditedMatch, group::id_halves};
use crate::game::{AllianceMatrix, BySeat, Row, Seat};
use crate::oracle::solve_winners;
use crate::tournament::SeededDraw;

/// Returns who would win under optimal play had a bot put itself first, the others in the order that it declared.
pub(super) fn winner_if_self_first(game: &AuditedMatch<'_>, mover: Seat) -> Seat {
    let row = &game.game.matrix[mover];
    if row.offsets().first() == Some(&0) {
        return game.audit.predicted_winner;
    }
    let others = row.offsets().iter().filter(|&&offset| offset != 0);
    let offsets = [0].into_iter().chain(others.map(|&offset| offset.into()));
    winner_with_row(game, mover, &offsets.collect::<Vec<u64>>())
}

/// Returns who would win under optimal play had a bot exchanged the rank of another with that of a third, which is drawn.
pub(super) fn winner_if_exchanged(game: &AuditedMatch<'_>, mover: Seat, other: Seat) -> Seat {
    let seats = game.bots.seats();
    let thirds: Vec<Seat> = seats.iter().filter(|&seat| seat != mover && seat != other).collect();
    let [high, low] = id_halves(game.id.as_bytes());
    let of = [high, low, mover.index() as u64, other.index() as u64];
    let Some(&third) = SeededDraw::from_numbers(of).choose(&thirds) else {
        return game.audit.predicted_winner;
    };
    let row = &game.game.matrix[mover];
    let mut offsets: Vec<u64> = row.offsets().iter().map(|&offset| offset.into()).collect();
    offsets.swap(row.rank(mover, other), row.rank(mover, third));
    winner_with_row(game, mover, &offsets)
}

fn winner_with_row(game: &AuditedMatch<'_>, mover: Seat, offsets: &[u64]) -> Seat {
    let seats = game.bots.seats();
    let row = Row::parse(offsets, seats).expect("each offset stands once");
    let rows =
        BySeat::from_fn(
            seats,
            |seat| {
                if seat == mover { row.clone() } else { game.game.matrix[seat].clone() }
            },
        );
    let matrix = AllianceMatrix::from_rows(rows).expect("rows for as many seats");
    solve_winners(&game.game.piles, &matrix, game.game.ending)[game.game.first_seat()]
}
