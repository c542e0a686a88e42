//! Table columns and cells for models' figures.

use crate::{Cell, CellParts, Column, NumberFormat, NumberUnit, words::count_with_noun};
use lastnim_proto::pb;

/// The format of shares.
pub(super) const SHARE: NumberFormat = NumberFormat::new(NumberUnit::Share, 1);
/// The format of ranks.
pub(super) const RANKS: NumberFormat = NumberFormat::new(NumberUnit::Ranks, 3);
/// The format of forecast scores.
pub(super) const SCORE: NumberFormat = NumberFormat::new(NumberUnit::Points, 3);

/// Creates a column of numbers.
pub(super) fn figure_column(label: &str, format: NumberFormat) -> Column {
    Column { format, ..Column::integer(label) }
}

/// Makes the column for the interval of a figure.
pub(super) fn interval_column(key: &str, format: NumberFormat) -> Column {
    figure_column("95% interval", format).with_key(key).with_parts(CellParts::Interval)
}

/// Returns the cell for the value of a figure.
pub(super) fn value_cell(estimate: Option<&pb::Estimate>) -> Cell {
    estimate.map(|estimate| estimate.value).into()
}

/// Returns the cell for the interval of a figure.
pub(super) fn interval_cell(estimate: Option<&pb::Estimate>) -> Cell {
    match estimate {
        Some(pb::Estimate { low: Some(low), high: Some(high), .. }) => {
            Cell::Interval { low: *low, high: *high }
        }
        Some(pb::Estimate { too_few_groups: Some(groups), .. }) => {
            Cell::Missing(Some(format!("too few: {}", count_with_noun(*groups, "group", "groups"))))
        }
        _ => Cell::NONE,
    }
}

/// Formats a part of a whole, with its share.
pub(super) fn share_text(part: u64, whole: u64) -> String {
    let fraction = |part, whole| Cell::Fraction { part, whole }.display_text(SHARE);
    match (u32::try_from(part), u32::try_from(whole)) {
        (Ok(part), Ok(whole)) if whole > 0 => fraction(part, whole),
        _ => format!("{part} of {whole}"),
    }
}
