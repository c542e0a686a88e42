//! Renderings of reports.

mod benchmark_svg;
mod csv;
mod html;
mod terminal;

pub use benchmark_svg::draw_benchmark_card;
pub use csv::csv_text;
pub use html::{CellLinks, Escaped, Html, Time};
pub use terminal::Terminal;
