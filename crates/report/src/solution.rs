//! Who wins a game under optimal play.

use super::{
    ReportReader, Section,
    winner_words::{ending_text, optimal_play_sentence, value_text, winners_by_first_seat},
};
use lastnim_analysis::general::OutcomeClass;
use lastnim_core::{
    game::Game,
    oracle::{Solution, find_erratum},
};

/// Reports the winner, the optimal takes, the winners if other seats moved first, and the ending.
pub fn solution_section(game: &Game, reader: ReportReader) -> Section {
    let (solution, position) = (Solution::new(game), game.first_position());
    let (winner, first) = (solution.winner(&position), game.first_seat());
    let value = game.matrix.seats().distance_between(first, winner);
    let winners = solution.winners(&position);
    let section = if position.is_over() {
        let (winner, first) = (reader.number(winner.index()), reader.number(first.index()));
        let value = value_text(value, reader);
        Section::new()
            .paragraph(format!("No counter is left: seat {winner} wins{value}, with seat {first} to move."))
    } else {
        let optimal = solution.optimal_takes(&position);
        let counters = position.counters();
        let noun = if counters == 1 { "counter" } else { "counters" };
        Section::new()
            .paragraph(optimal_play_sentence(winner, value, first, reader))
            .paragraph(format!("Optimal takes: {optimal} ({counters} {noun} in the last pile)."))
    };
    let outcome = OutcomeClass::of_winners(&winners)
        .filter(|_| reader == ReportReader::CommandLine)
        .map(|outcome| format!("Outcome: {outcome}, {}.", outcome.meaning()));
    let erratum = find_erratum(game)
        .map(|found| format!("Erratum in the paper (El-Seidy, El Kady and Nassr 2019): {found}."));
    section
        .paragraph(winners_by_first_seat(&winners, reader))
        .paragraph(ending_text(game.ending, reader))
        .paragraphs(outcome)
        .paragraphs(erratum)
}
