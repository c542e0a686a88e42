//! Plots in characters.

use crate::report::{Mark, Plot, Shape};
use std::fmt::Write as _;

/// The columns that the plot itself has.
const PLOT_COLUMNS: u32 = 48;

/// Draws a plot, a line for each of its marks.
pub(super) fn write_plot(text: &mut String, plot: &Plot) {
    let Some((low, high)) = plot.range() else { return };
    let labels = plot.marks.iter().map(|mark| mark.label.chars().count()).max().unwrap_or(0);
    let width = PLOT_COLUMNS as usize;
    let scale = Scale { low, span: high - low };
    let _ = writeln!(text, "\n  {}", plot.caption);
    for mark in &plot.marks {
        let drawn = match plot.shape {
            Shape::Bars => draw_bar(mark, scale),
            Shape::Intervals => draw_interval(mark, scale),
        };
        let value = plot.format.number(mark.value);
        let line = format!("  {:<labels$}  {drawn:<width$}  {value}", mark.label);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// Where numbers lie in the plot.
#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    span: f64,
}

impl Scale {
    fn column(self, value: f64) -> usize {
        let step = self.span.max(f64::MIN_POSITIVE) / f64::from(PLOT_COLUMNS - 1);
        let is_passed = |column: &u32| value - self.low >= step * (f64::from(*column) - 0.5);
        (1..PLOT_COLUMNS).filter(is_passed).count()
    }
}

fn draw_bar(mark: &Mark, scale: Scale) -> String {
    let (zero, end) = (scale.column(0.0), scale.column(mark.value));
    let (from, to) = (zero.min(end), zero.max(end));
    " ".repeat(from) + &"█".repeat(to - from + usize::from(mark.value != 0.0))
}

fn draw_interval(mark: &Mark, scale: Scale) -> String {
    let (low, high) = mark.interval.unwrap_or((mark.value, mark.value));
    let (from, to) = (scale.column(low), scale.column(high));
    let mut drawn = vec![' '; from];
    drawn.resize(to + 1, '─');
    (drawn[from], drawn[to]) = ('├', '┤');
    drawn[scale.column(mark.value).clamp(from, to)] = '●';
    drawn.into_iter().collect()
}
