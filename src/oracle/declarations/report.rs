//! Reports on declarations as text.

use crate::text::row_sets;
use lastnim_analysis::{BestDeclaration, DeclarationProspect, Deviation, Equilibria, RowCount, TruthCheck};
use lastnim_core::game::{Game, Seat};
use lastnim_report::{Column, Report, Section, Table};

/// Reports the best declarations of a seat.
pub fn best_report(game: &Game, found: &BestDeclaration, examples: usize) -> Report {
    let BestDeclaration { seat, truthful, best, count, .. } = found;
    let all = row_sets::count_all_rows(game.matrix.seats());
    let judged = match (found.is_truth_best(), found.is_best_certain()) {
        (true, true) => "No row does better: the truth is a best declaration.".to_owned(),
        (true, false) => "No better row has been found yet.".to_owned(),
        (false, true) => {
            format!("The best declaration is another row; with it, {}.", prospect_text(best, *seat))
        }
        (false, false) => {
            format!("The best row found so far is another one; with it, {}.", prospect_text(best, *seat))
        }
    };
    let section = Section::new()
        .paragraph(format!(
            "Seat {seat}: with its true row {}, {}.",
            game.matrix[*seat],
            prospect_text(truthful, *seat)
        ))
        .paragraph(judged)
        .paragraph(format!("Rows that lead to this winner: {count} of {all}."));
    row_sets::with_example_rows(section, &found.rows, &found.examples(game, examples))
        .paragraphs(row_sets::incompleteness_note(found.settled, "rows"))
        .into()
}

/// Reports whether the truth is an equilibrium, and lists the equilibria.
pub fn equilibria_report(game: &Game, found: &Equilibria, examples: usize) -> Report {
    let truth = match &found.truth {
        TruthCheck::Equilibrium => {
            "The truth is an equilibrium: no seat alone gains by declaring another row.".to_owned()
        }
        TruthCheck::Refuted(Deviation { seat, row, truthful, deviating }) => format!(
            "The truth is not an equilibrium. Seat {seat} should declare {row} instead of its true row {}: then {}; \
             with the truth, {}.",
            game.matrix[*seat],
            prospect_text(deviating, *seat),
            prospect_text(truthful, *seat)
        ),
        TruthCheck::Unsettled { seat, halt } => format!(
            "It is not known whether the truth is an equilibrium: no better row was found, but not all rows of seat {seat} were examined, because {halt}."
        ),
    };
    let profiles = row_sets::count_all_rows(game.matrix.seats());
    let profiles = game.matrix.seats().iter().fold(RowCount::Exactly(1), |all, _| all * profiles);
    let count = found.count();
    let section = Section::new()
        .paragraph(truth)
        .paragraph(format!("Pure Nash equilibria: {count} of {profiles} profiles of declared rows."))
        .paragraphs(row_sets::incompleteness_note(found.settled, "profiles"));
    if found.regions.is_empty() {
        return section.into();
    }
    let mut by_winner =
        Table::new([Column::text("winner").right_aligned(), Column::text("equilibria").right_aligned()]);
    for (winner, count) in found.by_winner.enumerate() {
        by_winner.push_row([format!("seat {winner}").into(), count.to_string().into()]);
    }
    let examples = found.examples(&game.matrix, examples).into_iter().map(|(declared, winner)| {
        let truth = if declared == game.matrix { " (the truth)" } else { "" };
        format!("for example {declared}{truth}: seat {winner} wins")
    });
    section.table(by_winner).list(examples).into()
}

fn prospect_text(DeclarationProspect { winner, rank }: &DeclarationProspect, seat: Seat) -> String {
    format!("seat {winner} wins (rank {rank} for seat {seat})")
}
