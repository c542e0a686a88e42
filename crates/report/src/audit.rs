//! The audit of one match.

use super::{Cell, CellParts, Column, NumberFormat, NumberUnit, Report, Section, Table, words::join_items};
use lastnim_core::{
    oracle::{Audit, DealtAudit, Mover, PlyAudit, TakeGuarantee, TakeSafety},
    shown_number::shown_number,
};
use lastnim_proto::pb;

/// Reports the winner, every take, the errors, the seats, the ledger, and, if rows were dealt, what the seats wanted.
pub fn audit_report(audit: &Audit) -> Report {
    let errors = || audit.plies.iter().filter(|ply| !ply.is_optimal());
    let plies = Section::with_heading("Takes").table(ply_table(&audit.plies));
    let seats = seat_table(&pb::Audit::from(audit).seats, &[]).without_columns(&["bot"]);
    let kingmaking = match audit.kingmaking_plies.as_slice() {
        [] => "No kingmaking.".to_owned(),
        plies => {
            let noun = if plies.len() == 1 { "take" } else { "takes" };
            format!(
                "Kingmaking (an error that improved a third seat's rank): {noun} {}.",
                join_items(plies.iter().map(|&ply| shown_number(ply)), ", ")
            )
        }
    };
    let first_error = match audit.first_error {
        Some(ply) => format!("First error: take {}.", shown_number(ply)),
        None => "Every take was optimal.".to_owned(),
    };
    let notable = audit.plies.iter().any(|ply| notable_safety(ply).is_some());
    let plies = plies
        .paragraph("Guaranteed rank: the rank that the mover can force against all others together.")
        .paragraphs(notable.then_some(
            "A risky take is optimal but worsens the guaranteed rank; a safe error worsens the predicted rank but keeps the guaranteed one.",
        ));
    let sections = [
        Some(Section::new().paragraph(audit_headline(audit))),
        (!audit.plies.is_empty()).then_some(plies),
        errors()
            .next()
            .map(|_| Section::with_heading("Errors").list(errors().map(|error| format!("{error}.")))),
        Some(Section::with_heading("Seats").table(seats)),
        Some(
            Section::with_heading(
                "Ledger: the ranks that each seat's takes cost every seat (negative: gained)",
            )
            .table(ledger_table(audit)),
        ),
        audit.dealt.as_deref().map(dealt_section),
        Some(Section::new().paragraph(first_error).paragraph(kingmaking)),
    ];
    sections.into_iter().flatten().collect()
}

/// Reports what the seats really wanted and what the declarations and the takes of all seats cost them.
fn dealt_section(dealt: &DealtAudit) -> Section {
    let columns = ["honest rank", "by declarations", "by takes", "actual rank"].map(Column::integer);
    let head = [Column::integer("seat"), Column::text("really wanted")];
    let mut table = Table::new(head.into_iter().chain(columns));
    for (seat, ranks) in dealt.seats.enumerate() {
        let take_cost = ranks.rank_actual.cast_signed() - ranks.rank_declared.cast_signed();
        table.push_row([
            Cell::from(seat.index()),
            Cell::from(dealt.matrix.rows()[seat].to_string()),
            Cell::from(ranks.rank_honest),
            Cell::from(ranks.cost_of_declarations()),
            Cell::from(take_cost),
            Cell::from(ranks.rank_actual),
        ]);
    }
    Section::with_heading("What the seats really wanted: ranks in their dealt rows").table(table).paragraph(format!(
        "If every seat had declared its dealt row, seat {} would have won under optimal play. The declarations and takes account for the difference.",
        dealt.honest_winner
    ))
}

fn audit_headline(audit: &Audit) -> String {
    let Audit { winner, predicted_winner, .. } = audit;
    if winner == predicted_winner {
        format!("Seat {winner} won, as under optimal play.")
    } else {
        format!("Seat {winner} won. Under optimal play, seat {predicted_winner} would have won.")
    }
}

fn ply_table(plies: &[PlyAudit]) -> Table {
    let seat = |ply: &PlyAudit| match ply.mover {
        Mover::Bot => ply.seat.to_string(),
        Mover::Steward => format!("{} (steward)", ply.seat),
    };
    let winner = |ply: &PlyAudit| {
        let PlyAudit { predicted_before, predicted_after, .. } = ply;
        if ply.is_optimal() {
            predicted_after.to_string()
        } else {
            format!("{predicted_before} -> {predicted_after}")
        }
    };
    let guaranteed = |ply: &PlyAudit| match ply.guarantee {
        TakeGuarantee { before, after, .. } if before == after => after.to_string(),
        TakeGuarantee { before, after, .. } => format!("{before} -> {after}"),
    };
    Table::of_items(plies)
        .column(Column::integer("take"), |ply| shown_number(ply.ply))
        .column(Column::text("seat").right_aligned(), seat)
        .column(Column::integer("took"), |ply| ply.take)
        .column(Column::integer("of"), |ply| ply.counters)
        .column(Column::text("optimal").right_aligned(), |ply| ply.optimal_takes.to_string())
        .column(Column::text("winner").right_aligned(), winner)
        .column(Column::number("regret", NumberUnit::Ranks, 0), |ply| ply.regret)
        .column(Column::text("guaranteed").right_aligned(), guaranteed)
        .column(Column::text("safety"), |ply| notable_safety(ply))
        .alert_where(|ply| !ply.is_optimal())
        .into_table()
}

/// Returns the safety of a risky take or a safe error, as text; `None` for other takes.
fn notable_safety(ply: &PlyAudit) -> Option<&'static str> {
    matches!(ply.safety, TakeSafety::Risky | TakeSafety::SafeError).then(|| ply.safety.name())
}

/// Tabulates the seats of a match, a row for each. `bots` has the bot in each seat; without it, the names are missing.
pub(super) fn seat_table(seats: &[pb::SeatAudit], bots: &[String]) -> Table {
    let optimal = |seat: &pb::SeatAudit| {
        let &pb::SeatAudit { plies, optimal_plies, .. } = seat;
        Cell::Fraction { part: optimal_plies, whole: plies }
    };
    Table::of_items(seats)
        .column(Column::integer("seat"), |seat| seat.seat)
        .column(Column::text("bot"), move |seat| bots.get(seat.seat as usize).cloned())
        .column(Column::integer("predicted rank"), |seat| seat.rank_predicted)
        .column(Column::integer("actual rank"), |seat| seat.rank_actual)
        .column(Column::number("satisfaction", NumberUnit::Points, 2), |seat| seat.satisfaction)
        .column(Column::number("regret", NumberUnit::Ranks, 0), |seat| seat.regret)
        .column(Column::number("luck", NumberUnit::Ranks, 0), |seat| seat.luck)
        .column(
            Column {
                format: NumberFormat::new(NumberUnit::Share, 0),
                ..Column::integer("accuracy").with_parts(CellParts::Fraction)
            },
            optimal,
        )
        .column(Column::integer("risky"), |seat| seat.safety.map(|safety| safety.risky))
        .column(Column::integer("safe errors"), |seat| seat.safety.map(|safety| safety.safe_errors))
        .into_table()
}

fn ledger_table(audit: &Audit) -> Table {
    let others = audit.seats.seats().iter().map(|seat| Column::integer(format!("to {seat}")));
    let mut table = Table::new([Column::integer("by seat")].into_iter().chain(others));
    for (seat, costs) in audit.ledger.enumerate() {
        table.push_row([seat.index().into()].into_iter().chain(costs.iter().map(|&cost| cost.into())));
    }
    table
}
