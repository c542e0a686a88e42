//! The parts of a tournament's page that are drawn: standings, cross-table and bracket.

mod bracket;
mod drawn_standings;
mod who_beats_whom;

pub(super) use bracket::bracket_html;
pub(super) use drawn_standings::drawn_standings_html;
pub(super) use who_beats_whom::{MAX_COMPARED_BOTS, who_beats_whom_html};
