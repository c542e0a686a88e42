//! Who wins, in words.

use super::words::join_words;
use lastnim_core::game::{BySeat, Ending, Seat};

/// Says who wins.
pub fn optimal_play_words(winner: Seat, value: usize, first: Seat) -> String {
    format!("Seat {winner} wins under optimal play (value {value}), with seat {first} to move.")
}

/// Says who wins, whichever seat moves first.
pub fn winner_by_first_words(winners: &BySeat<Seat>) -> String {
    let by_first = winners.enumerate().map(|(first, winner)| format!("{first} -> {winner}"));
    format!("Winner by first seat: {}", join_words(by_first, ", "))
}

/// Says who wins at the end.
pub fn ending_words(ending: Ending) -> String {
    match ending {
        Ending::ToMoveWins => format!("Ending: {ending}, a seat that has no move left wins."),
        Ending::LastMoverWins => format!("Ending: {ending}, the seat that made the last move wins."),
    }
}
