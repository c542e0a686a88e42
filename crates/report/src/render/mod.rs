//! Renderings of reports.

mod benchmark_svg;
mod csv;
mod html;
mod terminal;

pub use benchmark_svg::draw_benchmark_card;
pub use csv::{CsvLine, csv_file_text, csv_text};
pub use html::{CellLinks, Html, Time, text_html, write_template};
pub use terminal::Terminal;
