//! Plots as SVG.

use super::write_template;
use crate::{MarkShape, Plot};
use askama::Template;

const LINE_HEIGHT: u32 = 24;
const LABELS_WIDTH: u32 = 140;
const MARKS_WIDTH: u32 = 220;
const NUMBERS_WIDTH: u32 = 80;
/// The maximum length of a label.
const MAX_LABEL_CHARS: usize = 15;

#[derive(Template)]
#[template(path = "plot.html")]
struct PlotTemplate<'a> {
    caption: &'a str,
    height: u32,
    marks: Vec<MarkView>,
}

struct MarkView {
    /// The y coordinate of the line that shows the mark.
    middle: u32,
    label: String,
    shape: ShapeView,
    number: String,
}

enum ShapeView {
    Bar { x: f64, width: f64 },
    Point { at: f64, interval: Option<(f64, f64)> },
}

/// Draws a plot, one line per mark, with the label on the left and the number on the right. The style sheet sets the
/// colours.
pub(super) fn plot_svg(plot: &Plot) -> String {
    let Some((low, high)) = plot.range().filter(|(low, high)| low.is_finite() && high.is_finite()) else {
        return String::new();
    };
    let span = if high > low { high - low } else { 1.0 };
    let x_of = |value: f64| f64::from(LABELS_WIDTH) + (value - low) / span * f64::from(MARKS_WIDTH);
    let marks = (0..).zip(&plot.marks).map(|(line, mark)| MarkView {
        middle: LINE_HEIGHT * line + LINE_HEIGHT / 2,
        label: shortened_label(&mark.label),
        shape: match plot.shape {
            MarkShape::Bars => {
                let (zero, end) = (x_of(0.0), x_of(mark.value));
                ShapeView::Bar { x: zero.min(end), width: (end - zero).abs() }
            }
            MarkShape::Intervals => ShapeView::Point {
                at: x_of(mark.value),
                interval: mark.interval.map(|(low, high)| (x_of(low), x_of(high))),
            },
        },
        number: plot.format.format_number(mark.value),
    });
    let (caption, height) = (plot.caption.as_str(), LINE_HEIGHT * plot.marks.len() as u32);
    write_template(&PlotTemplate { caption, height, marks: marks.collect() })
}

/// Shortens a long label; a table has it in full.
fn shortened_label(label: &str) -> String {
    if label.chars().count() <= MAX_LABEL_CHARS {
        return label.to_owned();
    }
    label.chars().take(MAX_LABEL_CHARS - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumberFormat, PlotMark};

    #[test]
    fn a_long_label_is_shortened() {
        let mark = |label: &str| PlotMark { label: label.into(), value: 1.0, interval: None };
        let plot = Plot {
            caption: "Wins".into(),
            shape: MarkShape::Bars,
            format: NumberFormat::default(),
            marks: vec![mark("a-bot-of-15-let"), mark("a-bot-of-16-lett")],
        };
        let svg = plot_svg(&plot);
        assert!(
            svg.contains(">a-bot-of-15-let</text>") && svg.contains(">a-bot-of-16-le\u{2026}</text>"),
            "{svg}"
        );
    }
}
