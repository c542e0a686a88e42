//! An audit in words and tables.

use crate::{
    cli::text::table::{self, table},
    oracle::{Audit, Mover, PlyAudit},
};
use comfy_table::Table;
use std::io::{self, Write};

/// Prints who won and who should have, every ply, the errors explained, every seat, and the ledger.
pub fn print(output: &mut impl Write, audit: &Audit) -> io::Result<()> {
    writeln!(output, "{}", headline(audit))?;
    if !audit.plies.is_empty() {
        section(output, "Plies", &plies(audit))?;
    }
    if audit.first_error.is_some() {
        writeln!(output, "\nErrors")?;
        for error in audit.plies.iter().filter(|ply| !ply.is_optimal()) {
            writeln!(output, "  {error}.")?;
        }
    }
    section(output, "Seats", &seats(audit))?;
    section(output, "Ledger: the ranks that a row's takes cost each seat (negative: gave)", &ledger(audit))?;
    writeln!(output)?;
    match audit.first_error {
        Some(ply) => writeln!(output, "First error: ply {ply}.")?,
        None => writeln!(output, "Every take was optimal.")?,
    }
    match audit.kingmaking_plies.as_slice() {
        [] => writeln!(output, "Kingmaking: none."),
        plies => {
            let plies: Vec<_> = plies.iter().map(u32::to_string).collect();
            let noun = if plies.len() == 1 { "ply" } else { "plies" };
            writeln!(output, "Kingmaking, where an error gave a third seat: {noun} {}.", plies.join(", "))
        }
    }
}

fn headline(audit: &Audit) -> String {
    let Audit { winner, predicted_winner, .. } = audit;
    if winner == predicted_winner {
        format!("Seat {winner} won, as under optimal play.")
    } else {
        format!("Seat {winner} won; under optimal play seat {predicted_winner} would have.")
    }
}

fn section(output: &mut impl Write, title: &str, table: &Table) -> io::Result<()> {
    writeln!(output, "\n{title}")?;
    table::print(output, table)
}

fn plies(audit: &Audit) -> Table {
    let mut table = table(&["ply", "seat", "take", "of", "optimal", "winner", "regret"]);
    for ply in &audit.plies {
        let PlyAudit { predicted_before, predicted_after, .. } = ply;
        let winner = if ply.is_optimal() {
            predicted_after.to_string()
        } else {
            format!("{predicted_before} -> {predicted_after}")
        };
        let seat = match ply.mover {
            Mover::Bot => ply.seat.to_string(),
            Mover::Steward => format!("{} (steward)", ply.seat),
        };
        table.add_row([
            ply.ply.to_string(),
            seat,
            ply.take.to_string(),
            ply.counters.to_string(),
            ply.optimal_takes.to_string(),
            winner,
            ply.regret.to_string(),
        ]);
    }
    table
}

fn seats(audit: &Audit) -> Table {
    let columns = ["seat", "predicted rank", "actual rank", "satisfaction", "regret", "luck", "accuracy"];
    let mut table = table(&columns);
    for (seat, figures) in audit.seats.enumerate() {
        let accuracy = match figures.accuracy {
            Some(share) => format!("{:.0}% ({} of {})", 100.0 * share, figures.optimal_plies, figures.plies),
            None => "-".into(),
        };
        table.add_row([
            seat.to_string(),
            figures.rank_predicted.to_string(),
            figures.rank_actual.to_string(),
            format!("{:.2}", figures.satisfaction),
            figures.regret.to_string(),
            figures.luck.to_string(),
            accuracy,
        ]);
    }
    table
}

fn ledger(audit: &Audit) -> Table {
    let mut columns = vec!["by seat".to_owned()];
    columns.extend(audit.seats.seats().iter().map(|seat| format!("to {seat}")));
    let mut table = table(&columns);
    for (seat, costs) in audit.ledger.enumerate() {
        let mut cells = vec![seat.to_string()];
        cells.extend(costs.iter().map(i32::to_string));
        table.add_row(cells);
    }
    table
}
