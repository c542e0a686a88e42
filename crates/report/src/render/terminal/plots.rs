//! Plots as text.

use crate::{MarkShape, Plot, PlotMark};
use std::fmt::Write as _;

/// The width of the plot in characters.
const PLOT_COLUMNS: u32 = 48;

/// Draws a plot, one line per mark.
pub(super) fn write_plot(text: &mut String, plot: &Plot) {
    let Some((low, high)) = plot.range() else { return };
    let labels = plot.marks.iter().map(|mark| mark.label.chars().count()).max().unwrap_or(0);
    let width = PLOT_COLUMNS as usize;
    let scale = PlotScale { low, span: high - low };
    let _ = writeln!(text, "\n  {}", plot.caption);
    for mark in &plot.marks {
        let shape = match plot.shape {
            MarkShape::Bars => draw_bar(mark, scale),
            MarkShape::Intervals => draw_interval(mark, scale),
        };
        let value = plot.format.format_number(mark.value);
        let line = format!("  {:<labels$}  {shape:<width$}  {value}", mark.label);
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// The scale of a plot.
#[derive(Clone, Copy)]
struct PlotScale {
    low: f64,
    span: f64,
}

impl PlotScale {
    fn column_of_value(self, value: f64) -> usize {
        let step = self.span.max(f64::MIN_POSITIVE) / f64::from(PLOT_COLUMNS - 1);
        let is_passed = |column: &u32| value - self.low >= step * (f64::from(*column) - 0.5);
        (1..PLOT_COLUMNS).filter(is_passed).count()
    }
}

fn draw_bar(mark: &PlotMark, scale: PlotScale) -> String {
    let (zero, end) = (scale.column_of_value(0.0), scale.column_of_value(mark.value));
    let (from, to) = (zero.min(end), zero.max(end));
    " ".repeat(from) + &"█".repeat(to - from + usize::from(mark.value != 0.0))
}

fn draw_interval(mark: &PlotMark, scale: PlotScale) -> String {
    let (low, high) = mark.interval.unwrap_or((mark.value, mark.value));
    let (from, to) = (scale.column_of_value(low), scale.column_of_value(high));
    let mut line = vec![' '; from];
    line.resize(to + 1, '─');
    (line[from], line[to]) = ('├', '┤');
    line[scale.column_of_value(mark.value).clamp(from, to)] = '●';
    line.into_iter().collect()
}
