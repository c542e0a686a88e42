//! Renderings of reports.

mod csv;
mod html;
#[cfg(feature = "cli")]
mod terminal;

pub use csv::csv_text;
pub use html::{CellLinks, Escaped, Html};
#[cfg(feature = "cli")]
pub use terminal::Terminal;
