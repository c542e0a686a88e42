//! Renderings of reports.

mod csv;
#[cfg(feature = "cli")]
mod terminal;

pub use csv::csv_text;
#[cfg(feature = "cli")]
pub use terminal::Terminal;
