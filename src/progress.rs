//! The progress of a command, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// Creates a bar that counts matches, with a total if known. It is hidden if standard error is not a terminal.
pub fn matches_bar(expected: Option<u64>) -> ProgressBar {
    let (bar, template) = match expected {
        Some(expected) => {
            (ProgressBar::new(expected), "{msg} {bar:32} {pos}/{len} matches {eta_precise} left")
        }
        None => (ProgressBar::new_spinner(), "{msg} {spinner} {pos} matches {per_sec}"),
    };
    bar.with_style(bar_style(template))
}

/// Makes a bar over the bytes of files; its message says how many matches there were so far. It shows nothing if
/// standard error is not a terminal.
pub fn bytes_bar(bytes: u64) -> ProgressBar {
    ProgressBar::new(bytes).with_style(bar_style("{msg} {bar:32} {percent}% {eta_precise} left"))
}

/// Returns the style of a bar.
pub fn bar_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
