//! Renderings of reports.

mod benchmark_svg;
mod csv;
mod html;
#[cfg(feature = "cli")]
mod terminal;

pub use benchmark_svg::draw_benchmark_card;
pub use csv::csv_text;
pub use html::{CellLinks, Escaped, Html, Time};
#[cfg(feature = "cli")]
pub use terminal::Terminal;
