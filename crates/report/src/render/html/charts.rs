//! Charts as SVG.

use super::{Html, write_template};
use crate::{Chart, ChartFrame};
use askama::Template;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
/// The left margin, with the numbers.
const LEFT: f64 = 62.0;
/// The right margin.
const RIGHT: f64 = 14.0;
/// The top margin.
const TOP: f64 = 14.0;
/// The bottom margin.
const BOTTOM: f64 = 36.0;
/// The y coordinate of the axis labels.
const AXIS_LABELS_Y: f64 = HEIGHT - BOTTOM + 18.0;
/// The maximum number of lines, which differ by colour and dashes; the first ones are drawn.
const MAX_LINES: usize = 8;

#[derive(Template)]
#[template(path = "chart.html")]
struct ChartTemplate<'a> {
    caption: &'a str,
    axis: &'a str,
    /// The smallest and the largest number, and reference values.
    levels: Vec<LevelView>,
    lines: Vec<LineView<'a>>,
    /// The first and the last position: x coordinate, number and alignment.
    places: [(f64, f64, &'static str); 2],
    /// The number of lines that are not drawn.
    left_out: usize,
    /// The same numbers as a table.
    numbers: String,
}

struct LevelView {
    class: &'static str,
    y: f64,
    text_x: f64,
    text_y: f64,
    anchor: &'static str,
    words: String,
}

struct LineView<'a> {
    label: &'a str,
    points: String,
    /// The last value of the line.
    last: String,
}

impl Html<'_> {
    /// Draws a chart, with a legend that has the last value of each line, and a table of its numbers; empty without two
    /// points.
    pub(super) fn chart_html(self, chart: &Chart) -> String {
        let Some(ChartFrame { x_range, y_range }) = chart.frame() else { return String::new() };
        let chart_x = |x: f64| LEFT + (x - x_range.0) / (x_range.1 - x_range.0) * (WIDTH - LEFT - RIGHT);
        let chart_y = |y: f64| {
            HEIGHT
                - BOTTOM
                - (y.max(y_range.0) - y_range.0) / (y_range.1 - y_range.0) * (HEIGHT - TOP - BOTTOM)
        };
        let format_number = |number: f64| chart.format.format_number(number);
        let ends = [y_range.0, y_range.1].map(|number| {
            let (y, words) = (chart_y(number), format_number(number));
            LevelView { class: "axis", y, text_x: LEFT - 6.0, text_y: y + 4.0, anchor: "end", words }
        });
        let levels = chart.levels.iter().enumerate().map(|(place, level)| {
            let y = chart_y(level.value);
            let label = format!("{} {}", level.label, format_number(level.value));
            // The label of a level near the top is below the line, since it would be cut off above it.
            let text_y = if y < TOP + 16.0 { y + 15.0 } else { y - 5.0 };
            // Labels alternate between left and right, so that those of close levels do not overlap.
            let (text_x, anchor) =
                if place % 2 == 0 { (LEFT + 6.0, "start") } else { (WIDTH - RIGHT - 6.0, "end") };
            LevelView { class: "level", y, text_x, text_y, anchor, words: label }
        });
        let shown = Chart { lines: chart.lines.iter().take(MAX_LINES).cloned().collect(), ..chart.clone() };
        let lines = shown.lines.iter().map(|line| {
            let points = line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", chart_x(x), chart_y(y)));
            let last = line.points.last().map(|&(_, number)| format_number(number)).unwrap_or_default();
            LineView { label: &line.label, points: points.collect::<Vec<_>>().join(" "), last }
        });
        write_template(&ChartTemplate {
            caption: &chart.caption,
            axis: &chart.axis,
            levels: ends.into_iter().chain(levels).collect(),
            lines: lines.collect(),
            places: [(chart_x(x_range.0), x_range.0, "start"), (chart_x(x_range.1), x_range.1, "end")],
            left_out: chart.lines.len() - shown.lines.len(),
            numbers: self.table_html(&shown.value_table()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartLevel, ChartLine, NumberFormat};

    #[test]
    fn lines_and_levels_share_a_scale() {
        let line =
            |label: &str, points: &[(f64, f64)]| ChartLine { label: label.into(), points: points.into() };
        let chart = Chart {
            caption: "How it went".into(),
            axis: "matches".into(),
            format: NumberFormat::default(),
            lines: vec![line("ann", &[(0.0, 0.0), (10.0, 2.0)]), line("bob", &[(0.0, 1.0), (10.0, 1.0)])],
            levels: vec![ChartLevel { label: "bound".into(), value: 4.0 }],
            floor: None,
        };
        let html = Html::with_links(&|_, _| None);
        let svg = html.chart_html(&chart);
        for part in [
            "<polyline class=\"line-0\" points=\"62.0,224.0 626.0,119.0\"/>",
            "<polyline class=\"line-1\" points=\"62.0,171.5 626.0,171.5\"/>",
            "<line class=\"level\" x1=\"62\" y1=\"14.0\" x2=\"626\" y2=\"14.0\"/>",
            ">bound 4</text>",
            "> ann 2</li>",
            "<th scope=\"col\" class=\"number\">bob</th>",
            "<td class=\"number\">10</td><td class=\"number\" data-v=\"2\">2</td>",
        ] {
            assert!(svg.contains(part), "{part:?} is missing:\n{svg}");
        }
        assert_eq!(html.chart_html(&Chart { lines: Vec::new(), ..chart.clone() }), "");
        let low = Chart {
            lines: vec![line("low", &[(0.0, 1.0), (10.0, -99.0)])],
            floor: Some(0.0),
            ..chart.clone()
        };
        let low = html.chart_html(&low);
        assert!(low.contains(" 626.0,224.0\"/>") && low.contains("> low -99</li>"), "{low}");
        let many = html.chart_html(&Chart { lines: vec![line("x", &[(0.0, 0.0), (1.0, 1.0)]); 10], ..chart });
        assert_eq!(many.matches("<polyline").count(), 2 * MAX_LINES);
        assert!(many.contains("and 2 more"));
    }
}
