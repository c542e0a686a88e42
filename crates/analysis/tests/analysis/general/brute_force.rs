//! The definition of optimal play, word by word: no memory, no canonical form, no theorem.

use lastnim_analysis::general::{Mover, Rules};
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Seat};

/// Returns the winners by first seat.
pub(super) fn brute_force<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
) -> BySeat<Seat> {
    BySeat::from_fn(matrix.seats(), |seat| winner(rules, position, matrix, ending, seat))
}

fn winner<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
    seat: Seat,
) -> Seat {
    let seats = matrix.seats();
    rules
        .moves(position.clone(), R::MoverKind::of_seat(seat))
        .map(|(_, after)| winner(rules, &after, matrix, ending, seats.next(seat)))
        .min_by_key(|&winner| matrix.rank(seat, winner))
        .unwrap_or_else(|| ending.winner(seat, seats))
}
