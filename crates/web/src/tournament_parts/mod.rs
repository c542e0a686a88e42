//! The parts of a tournament's page that are drawn.

mod bracket;

pub(super) use bracket::bracket_html;
