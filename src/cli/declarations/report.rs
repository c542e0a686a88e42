//! Declarations in words and in JSON.

use crate::{
    cli::{
        json,
        text::{
            row_sets,
            table::{self, table},
        },
    },
    game::{AllianceMatrix, BySeat, Game},
    oracle::{BestDeclaration, Deviation, Equilibria, Profiles, Prospect, RowCount, Truth},
};
use serde_json::{Value, json};
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

/// Writes the best declarations of a seat.
pub fn best_json(game: &Game, found: &BestDeclaration, examples: usize) -> Value {
    json!({
        "seat": found.seat.index(),
        "truthful": prospect(&found.truthful),
        "best": prospect(&found.best),
        "truth_is_best": found.is_truth_best(),
        "best_is_certain": found.is_best_certain(),
        "rows": row_sets::json(&found.rows, found.count, &found.examples(game, examples)),
        "settled": row_sets::settled_json(found.settled),
    })
}

/// Prints whether the truth is an equilibrium, and the equilibria.
pub fn print_equilibria(
    output: &mut impl Write,
    game: &Game,
    truth: &Truth,
    found: &Equilibria,
    examples: usize,
) -> io::Result<()> {
    match truth {
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
    for profiles in shown(game, found, examples) {
        let declared = declared(game, profiles);
        let truth = if declared == game.matrix { " (the truth)" } else { "" };
        writeln!(output, "  for example {declared}{truth}: seat {} wins", profiles.winner)?;
    }
    Ok(())
}

/// Writes whether the truth is an equilibrium, and the equilibria.
pub fn equilibria_json(game: &Game, truth: &Truth, found: &Equilibria, examples: usize) -> Value {
    let examples = shown(game, found, examples).into_iter().map(|profiles| {
        json!({
            "alliance_matrix": json::matrix(&declared(game, profiles)),
            "winner": profiles.winner.index(),
        })
    });
    let (is_equilibrium, deviation) = match truth {
        Truth::Equilibrium => (Some(true), None),
        Truth::Refuted(deviation) => (Some(false), Some(deviation)),
        Truth::Unsettled { .. } => (None, None),
    };
    let count = found.count();
    json!({
        "truth": {
            "is_equilibrium": is_equilibrium,
            "deviation": deviation.map(|Deviation { seat, row, truthful, deviating }| json!({
                "seat": seat.index(),
                "row": row.offsets(),
                "truthful": prospect(truthful),
                "deviating": prospect(deviating),
            })),
        },
        "count": count.at_least().to_string(),
        "count_is_exact": count.is_exact(),
        "by_winner": found.by_winner.iter().map(|count| count.at_least().to_string()).collect::<Vec<_>>(),
        "examples": examples.collect::<Vec<_>>(),
        "settled": row_sets::settled_json(found.settled),
    })
}

/// Chooses examples: the truth first, if it is an equilibrium, then one for each winner, then others.
fn shown<'a>(game: &Game, found: &'a Equilibria, most: usize) -> Vec<&'a Profiles> {
    let mut is_new = BySeat::filled(game.matrix.seats(), &true);
    let mut examples: Vec<_> = found
        .regions
        .iter()
        .map(|region| {
            let is_first = std::mem::replace(&mut is_new[region.winner], false);
            (!region.contains(&game.matrix), !is_first, region)
        })
        .collect();
    examples.sort_by_key(|&(is_not_truth, is_not_first, _)| (is_not_truth, is_not_first));
    examples.into_iter().map(|(_, _, region)| region).take(most).collect()
}

/// Returns the matrix that stands for some profiles: the true one, if it is among them.
fn declared(game: &Game, profiles: &Profiles) -> AllianceMatrix {
    if profiles.contains(&game.matrix) { game.matrix.clone() } else { profiles.example() }
}

fn words(Prospect { winner, rank }: &Prospect) -> String {
    format!("seat {winner} wins, its rank {rank}")
}

fn prospect(Prospect { winner, rank }: &Prospect) -> Value {
    json!({ "winner": winner.index(), "rank": rank })
}
