//! Finds winners by the literal definition of optimal play: no memoisation, no canonical form, no theorem.

use lastnim_analysis::general::{Mover, Rules};
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Seat};

/// Returns the winners by first seat.
pub(super) fn winners_by_brute_force<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
) -> BySeat<Seat> {
    BySeat::from_fn(matrix.seats(), |seat| winner_by_search(rules, position, matrix, ending, seat))
}

fn winner_by_search<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
    seat: Seat,
) -> Seat {
    let seats = matrix.seats();
    rules
        .moves(position.clone(), R::MoverKind::of_seat(seat))
        .map(|(_, after)| winner_by_search(rules, &after, matrix, ending, seats.next(seat)))
        .min_by_key(|&winner| matrix.rank(seat, winner))
        .unwrap_or_else(|| ending.winner(seat, seats))
}
