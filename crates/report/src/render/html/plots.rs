//! Plots as SVG.

use super::Escaped;
use crate::{MarkShape, Plot, PlotMark};
use std::fmt::Write as _;

/// The height of a line.
const LINE: u32 = 24;
/// The width of the labels.
const LABELS: u32 = 140;
/// The width of the marks.
const MARKS: u32 = 220;
/// The width of the numbers.
const NUMBERS: u32 = 80;
/// The characters of a label that find room, on a narrow page as well.
const MAX_LABEL_CHARS: usize = 15;

/// Draws a plot: a line for each mark, its label before it and its number behind it. Colours come from the page.
pub(super) fn plot_svg(plot: &Plot) -> String {
    let Some((low, high)) = plot.range().filter(|(low, high)| low.is_finite() && high.is_finite()) else {
        return String::new();
    };
    let span = if high > low { high - low } else { 1.0 };
    let at = |value: f64| f64::from(LABELS) + (value - low) / span * f64::from(MARKS);
    let (width, height) = (LABELS + MARKS + NUMBERS, LINE * plot.marks.len() as u32);
    let caption = Escaped(&plot.caption);
    let mut svg = format!(
        "<figure class=\"plot\"><figcaption>{caption}</figcaption>\n\
         <svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{caption}\">\n"
    );
    for (line, mark) in (0..).zip(&plot.marks) {
        let middle = LINE * line + LINE / 2;
        write_mark(&mut svg, plot, mark, middle, &at);
    }
    svg + "</svg></figure>\n"
}

fn write_mark(svg: &mut String, plot: &Plot, mark: &PlotMark, middle: u32, at: &impl Fn(f64) -> f64) {
    let (label, text) = (middle + 4, plot.format.format_number(mark.value));
    // Writing to a text does not fail.
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{label}\" text-anchor=\"end\">{}</text>",
        LABELS - 12,
        Escaped(&shortened_label(&mark.label))
    );
    match plot.shape {
        MarkShape::Bars => {
            let (zero, end) = (at(0.0), at(mark.value));
            let (x, width, y) = (zero.min(end), (end - zero).abs(), middle - 6);
            let _ = writeln!(
                svg,
                "<rect class=\"mark\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"12\"/>"
            );
        }
        MarkShape::Intervals => {
            if let Some((low, high)) = mark.interval {
                let (from, to) = (at(low), at(high));
                let _ = writeln!(
                    svg,
                    "<line class=\"whisker\" x1=\"{from:.1}\" y1=\"{middle}\" x2=\"{to:.1}\" y2=\"{middle}\"/>"
                );
            }
            let _ = writeln!(
                svg,
                "<circle class=\"mark\" cx=\"{:.1}\" cy=\"{middle}\" r=\"4\"/>",
                at(mark.value)
            );
        }
    }
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{label}\">{}</text>", LABELS + MARKS + 12, Escaped(&text));
}

/// Shortens a label that finds no room: it stands in a table as well, as a whole.
fn shortened_label(label: &str) -> String {
    if label.chars().count() <= MAX_LABEL_CHARS {
        return label.to_owned();
    }
    label.chars().take(MAX_LABEL_CHARS - 1).chain(['\u{2026}']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberFormat;

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
