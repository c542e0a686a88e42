//! Declarations in words.

use crate::{
    cli::text::{
        row_sets,
        table::{self, table},
    },
    game::Game,
    oracle::{BestDeclaration, Deviation, Equilibria, Prospect, RowCount, Truth},
};
use std::io::{self, Write};

/// Prints the best declarations of a seat.
pub fn print_best(
    output: &mut impl Write,
    game: &Game,
    found: &BestDeclaration,
    examples: usize,
) -> io::Result<()> {
    let BestDeclaration { seat, truthful, best, count, .. } = found;
    let truth = &game.matrix[*seat];
    writeln!(output, "Seat {seat}: with its true row {truth}, {}.", words(truthful))?;
    match (found.is_truth_best(), found.is_best_certain()) {
        (true, true) => writeln!(output, "No row does better: the truth is a best declaration.")?,
        (true, false) => writeln!(output, "No better row was found yet.")?,
        (false, true) => {
            writeln!(output, "The best that it can declare is another row: then {}.", words(best))?;
        }
        (false, false) => {
            writeln!(output, "The best row that was found yet is another one: then {}.", words(best))?;
        }
    }
    let all = row_sets::all_rows(game.matrix.seats());
    writeln!(output, "Rows that lead there: {count} of {all}.")?;
    row_sets::print(output, &found.rows, &found.examples(game, examples))?;
    row_sets::print_settled(output, found.settled, "rows")
}

/// Prints whether the truth is an equilibrium, and the equilibria.
pub fn print_equilibria(
    output: &mut impl Write,
    game: &Game,
    found: &Equilibria,
    examples: usize,
) -> io::Result<()> {
    match &found.truth {
        Truth::Equilibrium => {
            writeln!(output, "The truth is an equilibrium: no seat alone has a better row.")?;
        }
        Truth::Refuted(Deviation { seat, row, truthful, deviating }) => writeln!(
            output,
            "The truth is no equilibrium. Seat {seat} had better declare {row} than its true row {}: then {}; \
             with the truth, {}.",
            game.matrix[*seat],
            words(deviating),
            words(truthful)
        )?,
        Truth::Unsettled { seat, halt } => writeln!(
            output,
            "Whether the truth is an equilibrium is not settled: nobody was found to have a better row, but the rows of \
             seat {seat} were not all looked at, as {halt}."
        )?,
    }
    let profiles = row_sets::all_rows(game.matrix.seats());
    let profiles = game.matrix.seats().iter().fold(RowCount::Exactly(1), |all, _| all * profiles);
    let count = found.count();
    writeln!(output, "Pure Nash equilibria: {count} of {profiles} profiles of declared rows.")?;
    row_sets::print_settled(output, found.settled, "profiles")?;
    if found.regions.is_empty() {
        return Ok(());
    }
    let mut by_winner = table(&["winner", "equilibria"]);
    for (winner, count) in found.by_winner.enumerate() {
        by_winner.add_row([format!("seat {winner}"), count.to_string()]);
    }
    table::print(output, &by_winner)?;
    for (declared, winner) in found.examples(&game.matrix, examples) {
        let truth = if declared == game.matrix { " (the truth)" } else { "" };
        writeln!(output, "  for example {declared}{truth}: seat {winner} wins")?;
    }
    Ok(())
}

fn words(Prospect { winner, rank }: &Prospect) -> String {
    format!("seat {winner} wins, its rank {rank}")
}
