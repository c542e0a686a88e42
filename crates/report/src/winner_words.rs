//! The winner, as text.

use super::ReportReader;
use super::words::join_items;
use lastnim_core::game::{BySeat, Ending, Seat};
use std::fmt::Display;

/// Says who wins under optimal play.
pub fn optimal_play_sentence(winner: Seat, value: usize, first: Seat, reader: ReportReader) -> String {
    let value = value_text(value, reader);
    let [winner, first] = [winner, first].map(|seat| reader.number(seat.index()));
    format!("Seat {winner} wins under optimal play{value}, with seat {first} to move.")
}

/// Writes the value of a position on the command line: ` (value 2)`; pages leave it out.
pub(super) fn value_text(value: usize, reader: ReportReader) -> String {
    match reader {
        ReportReader::CommandLine => format!(" (value {value})"),
        ReportReader::Page => String::new(),
    }
}

/// Names the winner for each seat that could move first.
pub fn winners_by_first_seat(winners: &BySeat<Seat>, reader: ReportReader) -> String {
    list_by_first_seat("Winner", winners.iter().map(|winner| reader.number(winner.index())), reader)
}

/// Lists the winners by the seat that moves first: `Winner by the seat that moves first: 0 -> 2, 1 -> 0`, or on a page
/// `Winner if seat 1 moves first: 3; if seat 2 moves first: 1`. `what` names what wins, such as a seat or an alliance.
pub fn list_by_first_seat(
    what: &str,
    winners: impl IntoIterator<Item: Display>,
    reader: ReportReader,
) -> String {
    let by_first = winners.into_iter().enumerate();
    let by_first = by_first.map(|(first, winner)| (reader.number(first), winner));
    match reader {
        ReportReader::CommandLine => {
            let by_first = by_first.map(|(first, winner)| format!("{first} -> {winner}"));
            format!("{what} by the seat that moves first: {}", join_items(by_first, ", "))
        }
        ReportReader::Page => {
            let by_first = by_first.map(|(first, winner)| format!("if seat {first} moves first: {winner}"));
            format!("{what} {}", join_items(by_first, "; "))
        }
    }
}

/// Says who wins at the end of a game.
pub fn ending_rule(ending: Ending) -> &'static str {
    match ending {
        Ending::ToMoveWins => "When no counter is left, the seat to move wins.",
        Ending::LastMoverWins => "The seat that takes the last counter wins.",
    }
}

/// Describes an ending. For the command line, the text also contains the name of the ending that the flag takes.
pub fn ending_text(ending: Ending, reader: ReportReader) -> String {
    match (reader, ending) {
        (ReportReader::Page, _) => ending_rule(ending).to_owned(),
        (ReportReader::CommandLine, Ending::ToMoveWins) => {
            format!("Ending: {ending} (the seat to move wins when no counter is left).")
        }
        (ReportReader::CommandLine, Ending::LastMoverWins) => {
            format!("Ending: {ending} (the seat that made the last move wins).")
        }
    }
}
