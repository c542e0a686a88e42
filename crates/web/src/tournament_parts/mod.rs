//! The parts of a tournament's page that are drawn: standings, cross-table and bracket.

mod bracket;
mod head_to_head;
mod standings_chart;

pub(super) use bracket::bracket_html;
pub(super) use head_to_head::{MAX_COMPARED_BOTS, head_to_head_html};
pub(super) use standings_chart::standings_chart_html;
