//! How the figures of models stand in tables.

use crate::{Cell, CellParts, Column, NumberFormat, NumberUnit, words::count_words};
use lastnim_proto::pb;

/// How shares are shown.
pub(super) const SHARE: NumberFormat = NumberFormat::new(NumberUnit::Share, 1);
/// How ranks are shown.
pub(super) const RANKS: NumberFormat = NumberFormat::new(NumberUnit::Ranks, 3);
/// How scores of forecasts are shown.
pub(super) const SCORE: NumberFormat = NumberFormat::new(NumberUnit::Points, 3);

/// Makes a column of numbers of a format.
pub(super) fn figure_column(label: &str, format: NumberFormat) -> Column {
    Column { format, ..Column::integer(label) }
}

/// Makes the column of the intervals of a figure.
pub(super) fn interval_column(key: &str, format: NumberFormat) -> Column {
    figure_column("95% interval", format).with_key(key).with_parts(CellParts::Interval)
}

/// Makes the cell of a figure by itself.
pub(super) fn value_cell(estimate: Option<&pb::Estimate>) -> Cell {
    estimate.map(|estimate| estimate.value).into()
}

/// Makes the cell of its interval.
pub(super) fn interval_cell(estimate: Option<&pb::Estimate>) -> Cell {
    match estimate {
        Some(pb::Estimate { low: Some(low), high: Some(high), .. }) => {
            Cell::Interval { low: *low, high: *high }
        }
        Some(pb::Estimate { too_few_groups: Some(groups), .. }) => {
            Cell::Missing(Some(format!("too few: {}", count_words(*groups, "group", "groups"))))
        }
        _ => Cell::NONE,
    }
}

/// Writes so many of so many, with their share.
pub(super) fn share_words(part: u64, whole: u64) -> String {
    let fraction = |part, whole| Cell::Fraction { part, whole }.display_text(SHARE);
    match (u32::try_from(part), u32::try_from(whole)) {
        (Ok(part), Ok(whole)) if whole > 0 => fraction(part, whole),
        _ => format!("{part} of {whole}"),
    }
}
