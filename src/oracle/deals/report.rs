//! Reports on deals as text.

use super::command::MeasuredDeal;
use crate::text::row_sets;
use lastnim_analysis::deals::{
    Deal, DealMeasures, DealtPlay, GroupPacts, Incentives, PactMeasures, TakeFaithfulness, WhatPays,
};
use lastnim_core::{
    game::{BySeat, Game, Seat, SeatSet},
    oracle::HaltReason,
    shown_number::shown_number,
};
use lastnim_report::{
    Cell, Column, ItemTable, Report, Section, Table, talk_audit::double_dealing_section, words::join_items,
};

/// Reports what pays in a position and, if a deal was measured, its measures.
pub fn deals_report(
    game: &Game,
    found: &Incentives,
    measured: Option<&MeasuredDeal>,
    examples: usize,
) -> Report {
    let mut sections =
        vec![verdict_section(found), lies_section(game, found, examples), pacts_section(found)];
    if let Some(MeasuredDeal { deal, measures, play }) = measured {
        sections.push(declarations_section(deal, measures));
        let pacts = deal.pacts().iter().zip(&measures.pacts).enumerate();
        sections.extend(pacts.map(|(index, (pact, measured))| {
            let heading = format!(
                "Pact {index} ({pact}): if it is kept and all others tell the truth, seat {} wins",
                measured.winner_if_kept
            );
            pact_section(&heading, measured)
        }));
        let double_dealing: Vec<_> = measures.double_dealing.iter().map(Into::into).collect();
        sections.extend(double_dealing_section(&double_dealing));
        if let Some(play) = play {
            sections.extend(play_sections(play));
        }
    }
    sections.into_iter().collect()
}

fn verdict_section(found: &Incentives) -> Section {
    let verdict = match found.what_pays() {
        Some(WhatPays::Lie) => "A lie pays: some seat gains by declaring another row.",
        Some(WhatPays::OnlyPact) => {
            "Only a pact pays: no seat alone gains by a lie, but a group gains if all its members keep a pact."
        }
        Some(WhatPays::Nothing) => {
            "Nothing pays: neither a lie by a single seat nor a pact of any group searched."
        }
        None => "It is not known what pays, because the search was stopped; --max-time allows more time.",
    };
    Section::new()
        .paragraph(format!("If every seat declares its dealt row, seat {} wins.", found.truthful_winner))
        .paragraph(verdict)
}

fn lies_section(game: &Game, found: &Incentives, examples: usize) -> Section {
    let liars: Vec<_> = found.best_declarations.iter().filter(|lie| !lie.is_truth_best()).collect();
    let unsettled =
        found.best_declarations.iter().find_map(|lie| row_sets::incompleteness_note(lie.settled, "rows"));
    let section = Section::with_heading("Lies that pay, if all other seats tell the truth:");
    let section = if liars.is_empty() {
        section.paragraph(nothing_found_text(unsettled.is_some()))
    } else {
        let table = Table::of_items(&liars)
            .column(Column::integer("seat"), |lie| lie.seat.index())
            .column(Column::integer("gain"), |lie| lie.truthful.rank - lie.best.rank)
            .column(Column::integer("winner"), |lie| lie.best.winner.index())
            .column(Column::integer("rows"), |lie| lie.count.to_string())
            .column(Column::text("for example"), |lie| join_items(lie.examples(game, examples), "; "))
            .into_table();
        section.table(table)
    };
    section.paragraphs(unsettled)
}

fn pacts_section(found: &Incentives) -> Section {
    let section =
        Section::with_heading("Pacts that are good for all members, if all other seats tell the truth:");
    let outcomes: Vec<_> = found.groups.iter().flat_map(|group| &group.outcomes).collect();
    let halted: Vec<&GroupPacts> = found.groups.iter().filter(|group| group.halt.is_some()).collect();
    let stopped = halted.first().map(|first| {
        format!(
            "This is incomplete: {} of {} groups were not fully examined, the first with seats {}; --max-time allows more time.",
            halted.len(),
            found.groups.len(),
            seat_words(first.members)
        )
    });
    let section = if outcomes.is_empty() {
        section.paragraph(nothing_found_text(stopped.is_some()))
    } else {
        let table = Table::of_items(&outcomes)
            .column(Column::text("pact"), |outcome| outcome.pact.to_string())
            .column(Column::integer("winner"), |outcome| outcome.winner.index());
        let seats = found.best_declarations.seats();
        let table = seats.iter().fold(table, |table, seat| {
            table.column(Column::integer(format!("seat {seat}")).with_sign(), move |outcome| {
                outcome.values[seat]
            })
        });
        let table = table
            .column(Column::text("tempted"), |outcome| seat_words(outcome.tempted))
            .column(Column::integer("combinations"), |outcome| outcome.count.to_string())
            .into_table();
        section.table(table).paragraph(
            "The seat columns show how many ranks each seat gains. A tempted member would gain by breaking the pact. \
             Other pacts may have the same effect: combinations counts the combinations of the members' rows that have it.",
        )
    };
    section.paragraphs(stopped)
}

fn declarations_section(deal: &Deal, measures: &DealMeasures) -> Section {
    let declarations: Vec<_> = measures.declarations.iter().collect();
    let table = Table::of_items(&declarations)
        .column(Column::integer("seat"), |one| one.seat.index())
        .column(Column::text("dealt"), |one| deal.dealt()[one.seat].to_string())
        .column(Column::text("declared"), |one| deal.declared()[one.seat].to_string())
        .column(Column::integer("distance"), |one| one.distance)
        .column(Column::integer("gain").with_sign(), |one| one.gain())
        .column(Column::integer("missed"), |one| found_cell(one.missed));
    let table = cost_columns(table, "cost to", |one| &one.costs, deal.dealt().seats().iter());
    Section::with_heading(format!("With the declared rows, seat {} wins:", measures.declared_winner))
        .table(table.into_table())
        .paragraph(
            "distance: pairs of winners that the two rows put in different orders. gain: ranks gained by not telling the \
             truth. missed: ranks lost by not declaring the best row. cost: ranks lost because this seat did not tell the truth.",
        )
}

fn pact_section(heading: &str, measured: &PactMeasures) -> Section {
    let members: Vec<_> = measured.members.iter().collect();
    let table = Table::of_items(&members)
        .column(Column::integer("member"), |member| member.seat.index())
        .column(Column::text("kept"), |member| if member.is_kept { "yes" } else { "no" })
        .column(Column::integer("value").with_sign(), |member| measured.values[member.seat])
        .column(Column::integer("temptation"), |member| found_cell(member.temptation));
    let table = cost_columns(table, "harm to", |member| &member.harms, measured.values.seats().iter());
    Section::with_heading(format!("{heading}:")).table(table.into_table())
}

/// Returns the text for a search that found nothing.
fn nothing_found_text(is_stopped: bool) -> &'static str {
    if is_stopped { "none found so far" } else { "none" }
}

/// Adds a column for each seat with the ranks that it loses.
fn cost_columns<'a, T>(
    table: ItemTable<'a, &'a T>,
    what: &str,
    costs: impl Fn(&T) -> &BySeat<i32> + Copy,
    seats: impl Iterator<Item = Seat>,
) -> ItemTable<'a, &'a T> {
    seats.fold(table, |table, seat| {
        table.column(Column::integer(format!("{what} {seat}")).with_sign(), move |item| costs(item)[seat])
    })
}

fn play_sections(play: &DealtPlay) -> [Section; 2] {
    let seats: Vec<_> = play.seats.enumerate().collect();
    let parts = Table::of_items(&seats)
        .column(Column::integer("seat"), |(seat, _)| seat.index())
        .column(Column::integer("if all were truthful"), |(_, parts)| parts.rank_truthful)
        .column(Column::integer("declarations").with_sign(), |(_, parts)| parts.declarations);
    let parts = play.seats.seats().iter().fold(parts, |table, mover| {
        let column = Column::integer(format!("takes of {mover}")).with_sign();
        table.column(column, move |(_, parts)| parts.play[mover])
    });
    let parts = parts.column(Column::integer("at the end"), |(_, parts)| parts.rank_actual).into_table();
    let takes = Table::of_items(&play.takes)
        .column(Column::integer("take"), |take| shown_number(take.ply))
        .column(Column::integer("seat"), |take| take.seat.index())
        .column(Column::integer("regret if known"), |take| take.regret_if_known)
        .column(Column::integer("regret if believed"), |take| take.regret_if_believed)
        .column(Column::text("word"), |take| word_of_take(take.word))
        .into_table();
    [
        Section::with_heading("How declarations and takes changed each seat's rank:").table(parts),
        Section::with_heading("Takes, judged by the mover's dealt row:").table(takes).paragraph(
            "known: the others know the dealt row of the mover. believed: they believe its declared row. word: whether \
             the take is optimal for the declared row alone (kept) or for the dealt row alone (broken).",
        ),
    ]
}

/// Returns the word that a report shows for whether a take keeps the mover's declared row.
pub fn word_of_take(word: TakeFaithfulness) -> &'static str {
    match word {
        TakeFaithfulness::Kept => "kept",
        TakeFaithfulness::Broken => "broken",
        TakeFaithfulness::Error => "error",
        TakeFaithfulness::SaysNothing => "says nothing",
    }
}

fn seat_words(seats: SeatSet) -> String {
    if seats.is_empty() { "none".to_owned() } else { join_items(seats.iter(), ", ") }
}

fn found_cell(found: Result<u32, HaltReason>) -> Cell {
    found.map_or_else(|_| "unknown".into(), Cell::from)
}
