//! The winner under optimal play if a bot had declared another row.

use super::{AuditedMatch, group::id_halves};
use lastnim_analysis::can_declare_to_win;
use lastnim_core::game::{Row, Seat};
use lastnim_core::oracle::{Budget, solve_winners};
use lastnim_tournament::SeededDraw;

/// Returns the winner under optimal play if the bot had ranked itself first and the others in its declared order.
pub(super) fn winner_if_self_first(game: &AuditedMatch<'_>, mover: Seat) -> Seat {
    let row = &game.game.matrix[mover];
    if row.offsets().first() == Some(&0) {
        return game.audit.predicted_winner;
    }
    let others = row.offsets().iter().filter(|&&offset| offset != 0);
    let offsets = [0].into_iter().chain(others.map(|&offset| offset.into()));
    winner_with_row(game, mover, &offsets.collect::<Vec<u64>>())
}

/// Maximum steps of the search for a winning declaration; they take tens of microseconds.
const DECLARATION_STEPS: u64 = 10_000;

/// Returns whether a bot that does not win under optimal play would win with another row; `None` if it would take too
/// long to find out.
pub(super) fn is_win_forgone(game: &AuditedMatch<'_>, mover: Seat) -> Option<bool> {
    if game.audit.predicted_winner == mover {
        return Some(false);
    }
    can_declare_to_win(game.game, mover, &mut Budget::of_steps(DECLARATION_STEPS)).ok()
}

/// Returns the winner under optimal play if the bot had exchanged the ranks of `other` and of a random third bot.
pub(super) fn winner_if_exchanged(game: &AuditedMatch<'_>, mover: Seat, other: Seat) -> Seat {
    let seats = game.bots.seats();
    let thirds: Vec<Seat> = seats.iter().filter(|&seat| seat != mover && seat != other).collect();
    let [high, low] = id_halves(game.id.as_bytes());
    let numbers = [high, low, mover.index() as u64, other.index() as u64];
    let Some(&third) = SeededDraw::from_numbers(numbers).choose(&thirds) else {
        return game.audit.predicted_winner;
    };
    let row = &game.game.matrix[mover];
    let mut offsets: Vec<u64> = row.offsets().iter().map(|&offset| offset.into()).collect();
    offsets.swap(row.rank(mover, other), row.rank(mover, third));
    winner_with_row(game, mover, &offsets)
}

/// Returns the winner under optimal play if the bot had declared this row.
pub(super) fn winner_with_row(game: &AuditedMatch<'_>, mover: Seat, offsets: &[u64]) -> Seat {
    let row = Row::parse(offsets, game.bots.seats()).expect("each offset occurs once");
    let matrix = game.game.matrix.clone().with_row(mover, row);
    solve_winners(&game.game.piles, &matrix, game.game.ending)[game.game.first_seat()]
}
