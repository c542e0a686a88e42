//! Tables of bots' figures with intervals.

use crate::{
    Cell, CellParts, Column, MarkShape, NumberFormat, NumberUnit, Plot, PlotMark, Table,
    words::count_with_noun,
};
use lastnim_auditing::{BotFigures, BotFindings, CircumstanceFigures, Estimate, EstimateInterval};

/// The format of shares.
pub(super) const SHARE: NumberFormat = NumberFormat::new(NumberUnit::Share, 1);
/// The format of ranks and of satisfaction.
pub(super) const RANKS: NumberFormat = NumberFormat::new(NumberUnit::Ranks, 3);

/// Returns the cell for the value of a figure.
pub(super) fn value_cell(estimate: Option<Estimate>) -> Cell {
    estimate.map(|estimate| estimate.value).into()
}

/// Returns the cell for the interval of a figure.
pub(super) fn interval_cell(estimate: Option<Estimate>) -> Cell {
    match estimate.map(|estimate| estimate.interval) {
        None => Cell::NONE,
        Some(EstimateInterval::Between { low, high }) => Cell::Interval { low, high },
        Some(EstimateInterval::TooFewGroups { groups }) => {
            Cell::Missing(Some(format!("too few: {}", count_with_noun(groups, "group", "groups"))))
        }
    }
}

/// Formats a figure with its interval.
pub(super) fn figure_with_interval(format: NumberFormat, estimate: Option<Estimate>) -> String {
    format!(
        "{} (95%: {})",
        value_cell(estimate).display_text(format),
        interval_cell(estimate).display_text(format)
    )
}

pub(super) fn figure_column(label: &str, format: NumberFormat) -> Column {
    Column::number(label, format.unit, format.precision)
}

pub(super) fn interval_column(key: &str, format: NumberFormat) -> Column {
    figure_column("95% interval", format).with_key(key).with_parts(CellParts::Interval)
}

/// Tabulates a bot's figures.
pub(super) fn figure_table(figures: &BotFigures) -> Table {
    let columns = [Column::text("figure"), figure_column("value", RANKS), interval_column("value", RANKS)];
    let mut table = Table::new(columns);
    for (name, format, estimate) in [
        ("accuracy", SHARE, figures.accuracy),
        ("regret per ply", RANKS, figures.regret_per_ply),
        ("regret per match", RANKS, figures.regret_per_match),
        ("luck per match", RANKS, figures.luck_per_match),
        ("satisfaction", RANKS, figures.satisfaction),
        ("wins", SHARE, figures.win_share),
        ("forfeits", SHARE, figures.forfeit_share),
    ] {
        table.push_row([name.into(), value_cell(estimate), interval_cell(estimate)]).format = Some(format);
    }
    table
}

/// Tabulates a bot's takes by circumstance, without circumstances that never occurred.
pub(super) fn circumstance_table<'a, C: Copy + 'a>(
    title: &str,
    slices: impl IntoIterator<Item = &'a CircumstanceFigures<C>>,
    name: impl Fn(C) -> &'static str,
) -> Table {
    let slices: Vec<_> = slices.into_iter().filter(|slice| slice.plies > 0).collect();
    Table::of_items(&slices)
        .column(Column::text(title), |slice| name(slice.circumstance))
        .column(Column::integer("plies"), |slice| slice.plies)
        .column(figure_column("accuracy", SHARE), |slice| value_cell(slice.accuracy))
        .column(interval_column("accuracy", SHARE), |slice| interval_cell(slice.accuracy))
        .column(figure_column("regret per ply", RANKS), |slice| value_cell(slice.regret_per_ply))
        .column(interval_column("regret_per_ply", RANKS), |slice| interval_cell(slice.regret_per_ply))
        .into_table()
}

/// Plots the regret of a bot's takes by circumstance.
pub(super) fn circumstance_regret_plot<'a, C: Copy + 'a>(
    slices: impl IntoIterator<Item = &'a CircumstanceFigures<C>>,
    name: impl Fn(C) -> &'static str,
) -> Plot {
    let mark = |slice: &CircumstanceFigures<C>| {
        let value = slice.regret_per_ply?.value;
        Some(PlotMark { label: name(slice.circumstance).to_owned(), value, interval: None })
    };
    let marks = slices.into_iter().filter_map(mark).collect();
    Plot { caption: "Regret per ply".to_owned(), shape: MarkShape::Bars, format: RANKS, marks }
}

/// Tabulates a field, a row for each bot.
pub(super) fn field_table(bots: &[BotFindings]) -> Table {
    Table::of_items(bots)
        .column(Column::text("bot"), |found| found.bot.to_string())
        .column(Column::integer("matches"), |found| found.figures.matches)
        .column(Column::integer("plies"), |found| found.figures.plies)
        .column(figure_column("accuracy", SHARE), |found| value_cell(found.figures.accuracy))
        .column(interval_column("accuracy", SHARE), |found| interval_cell(found.figures.accuracy))
        .column(figure_column("regret per match", RANKS), |found| value_cell(found.figures.regret_per_match))
        .column(interval_column("regret_per_match", RANKS), |found| {
            interval_cell(found.figures.regret_per_match)
        })
        .column(figure_column("luck per match", RANKS), |found| value_cell(found.figures.luck_per_match))
        .column(figure_column("satisfaction", RANKS), |found| value_cell(found.figures.satisfaction))
        .column(Column::integer("wins"), |found| found.figures.wins)
        .column(Column::integer("forfeits"), |found| found.figures.forfeits)
        .column(Column::integer("kingmaking"), |found| found.kingmaking.plies)
        .column(Column::integer("risky takes"), |found| found.safety.risky)
        .column(Column::integer("safe errors"), |found| found.safety.safe_errors)
        .into_table()
}
