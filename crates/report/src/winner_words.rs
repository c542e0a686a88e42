//! The winner, as text.

use super::robustness::ReportReader;
use super::words::join_items;
use lastnim_core::game::{BySeat, Ending, Seat};
use std::fmt::Display;

/// Says who wins under optimal play.
pub fn optimal_play_sentence(winner: Seat, value: usize, first: Seat) -> String {
    format!("Seat {winner} wins under optimal play (value {value}), with seat {first} to move.")
}

/// Names the winner for each seat that could move first.
pub fn winners_by_first_seat(winners: &BySeat<Seat>) -> String {
    list_by_first_seat("Winner", winners)
}

/// Lists the winners by the seat that moves first; `what` names what wins, such as a seat or an alliance.
pub fn list_by_first_seat(what: &str, winners: impl IntoIterator<Item: Display>) -> String {
    let by_first = winners.into_iter().enumerate().map(|(first, winner)| format!("{first} -> {winner}"));
    format!("{what} for each seat that moves first: {}", join_items(by_first, ", "))
}

/// Says who wins at the end of a game.
pub fn ending_rule(ending: Ending) -> &'static str {
    match ending {
        Ending::ToMoveWins => "When no counter is left, the seat to move wins.",
        Ending::LastMoverWins => "The seat that takes the last counter wins.",
    }
}

/// Describes an ending. The word of the flag is only for the command line.
pub fn ending_text(ending: Ending, reader: ReportReader) -> String {
    match (reader, ending) {
        (ReportReader::Page, _) => ending_rule(ending).to_owned(),
        (ReportReader::CommandLine, Ending::ToMoveWins) => {
            format!("Ending: {ending}, the seat to move wins when no counter is left.")
        }
        (ReportReader::CommandLine, Ending::LastMoverWins) => {
            format!("Ending: {ending}, the seat that made the last move wins.")
        }
    }
}
