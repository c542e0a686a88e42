//! Shows the progress of a command on standard error.

use indicatif::{ProgressBar, ProgressStyle};
use std::{borrow::Cow, time::Duration};

/// How long a command runs before a [`StatusLine`] appears.
const SHOW_DELAY: Duration = Duration::from_secs(1);

/// A line that shows what a command is doing and for how long. Dropping this value clears the line. Nothing is shown if
/// standard error is not a terminal.
#[derive(Debug)]
#[must_use = "the line is cleared when it is dropped"]
pub struct StatusLine(ProgressBar);

impl StatusLine {
    /// Creates a line that appears at the first [`tick`](Self::tick) after one second.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        let bar = ProgressBar::new_spinner().with_style(bar_style("{spinner} {msg}: {elapsed}"));
        Self(bar.with_message(what))
    }

    /// Creates a line that appears at once and needs no ticks.
    pub fn show(what: impl Into<Cow<'static, str>>) -> Self {
        let line = Self::new(what);
        line.0.enable_steady_tick(SHOW_DELAY);
        line
    }

    /// Draws the line if the command has been running for at least a second.
    pub fn tick(&self) {
        if self.0.elapsed() >= SHOW_DELAY {
            self.0.tick();
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Creates a bar that counts positions. It is hidden if standard error is not a terminal.
pub fn positions_bar(expected: u64) -> ProgressBar {
    let bar = ProgressBar::new(expected);
    let bar = bar.with_style(bar_style("{bar:32} {pos}/{len} positions {eta_precise} left"));
    // Matching positions may be rare, so the bar is redrawn every second even if its count does not change.
    bar.enable_steady_tick(SHOW_DELAY);
    bar
}

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

/// Creates a bar that counts the bytes read from files; its message says how many matches have been found so far. It is
/// hidden if standard error is not a terminal.
pub fn bytes_bar(bytes: u64) -> ProgressBar {
    ProgressBar::new(bytes).with_style(bar_style("{msg} {bar:32} {percent}% {eta_precise} left"))
}

/// Returns the style of a bar.
pub fn bar_style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
