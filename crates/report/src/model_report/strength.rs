//! How well models played.

use super::figures::{RANKS, SHARE, figure_column, interval_cell, interval_column, value_cell};
use crate::{Column, NumberFormat, Section, Table};
use lastnim_proto::pb;

const SIGNED_RANKS: NumberFormat = NumberFormat { is_signed: true, ..RANKS };

/// Reports accuracy and regret: of the takes that models decided themselves, and of all takes.
pub(super) fn strength_section(models: &[pb::ModelFindings]) -> Section {
    let lines: Vec<_> = models
        .iter()
        .flat_map(|model| {
            [("own", &model.answered), ("all", &model.overall)].map(|(which, takes)| (model, which, takes))
        })
        .filter_map(|(model, which, takes)| Some((model, which, takes.as_ref()?)))
        .collect();
    let saved = |takes: &pb::TakeFigures| takes.saved_per_ply;
    let table: Table = Table::of_items(&lines)
        .column(Column::text("bot"), |(model, ..)| model.bot.clone())
        .column(Column::text("takes").with_key("which"), |&(_, which, _)| which)
        .column(Column::integer("plies"), |(.., takes)| takes.plies)
        .column(figure_column("accuracy", SHARE), |(.., takes)| value_cell(takes.accuracy.as_ref()))
        .column(interval_column("accuracy", SHARE), |(.., takes)| interval_cell(takes.accuracy.as_ref()))
        .column(figure_column("regret/ply", RANKS), |(.., takes)| value_cell(takes.regret_per_ply.as_ref()))
        .column(interval_column("regret_per_ply", RANKS), |(.., takes)| {
            interval_cell(takes.regret_per_ply.as_ref())
        })
        .column(figure_column("saved/ply", SIGNED_RANKS), |(.., takes)| value_cell(saved(takes).as_ref()))
        .column(interval_column("saved_per_ply", SIGNED_RANKS), |(.., takes)| {
            interval_cell(saved(takes).as_ref())
        })
        .into_table();
    Section::with_heading("Strength: takes that the models decided themselves (own), and all takes by their bots")
        .table(table)
        .paragraph(
            "Intervals are over duplicate groups. Saved: the ranks that a random take would have cost in the same position, minus those \
             that the take cost.",
        )
}
