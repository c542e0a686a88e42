//! The parts of a tournament's page that are drawn: standings, cross-table and bracket.

mod bracket;
mod drawn_standings;
mod head_to_head;

pub(super) use bracket::bracket_html;
pub(super) use drawn_standings::drawn_standings_html;
pub(super) use head_to_head::{MAX_COMPARED_BOTS, head_to_head_html};
