//! Who would win under optimal play had a bot declared another row.

use super::{AuditedMatch, group::id_halves};
use lastnim_analysis::can_declare_to_win;
use lastnim_core::game::{AllianceMatrix, BySeat, Row, Seat};
use lastnim_core::oracle::{Budget, solve_winners};
use lastnim_tournament::SeededDraw;

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

/// The steps that the search for a declaration that wins may take: some tens of microseconds.
const DECLARATION_STEPS: u64 = 10_000;

/// Returns whether a bot that does not win under optimal play would have won with another row; none if that takes too long.
pub(super) fn is_win_forgone(game: &AuditedMatch<'_>, mover: Seat) -> Option<bool> {
    if game.audit.predicted_winner == mover {
        return Some(false);
    }
    can_declare_to_win(game.game, mover, &mut Budget::of_steps(DECLARATION_STEPS)).ok()
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
