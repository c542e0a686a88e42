//! Charts as SVG.

use super::{Escaped, Html};
use crate::{Chart, ChartFrame};
use std::fmt::Write as _;

/// The width of what is drawn.
const WIDTH: f64 = 640.0;
/// The height of what is drawn.
const HEIGHT: f64 = 260.0;
/// Where the numbers end, and the lines begin.
const LEFT: f64 = 62.0;
/// The room for what is said at the right.
const RIGHT: f64 = 14.0;
/// The room above.
const TOP: f64 = 14.0;
/// The room below.
const BOTTOM: f64 = 36.0;
/// Lines that are told apart by their colours and dashes; of more the first ones are drawn.
const MAX_LINES: usize = 8;

impl Html<'_> {
    /// Draws a chart, with a legend below it that says where each line ends, and its numbers in a table to be opened; nothing without two points.
    pub(super) fn chart_html(self, chart: &Chart) -> String {
        let Some(frame) = chart.frame() else { return String::new() };
        let drawn = Chart { lines: chart.lines.iter().take(MAX_LINES).cloned().collect(), ..chart.clone() };
        let (svg, numbers) = (chart_svg(chart, frame), self.table_html(&drawn.number_table()));
        format!("{svg}<details><summary>The same as numbers</summary>{numbers}</details>\n")
    }
}

fn chart_svg(chart: &Chart, ChartFrame { across, up }: ChartFrame) -> String {
    let at_x = |x: f64| LEFT + (x - across.0) / (across.1 - across.0) * (WIDTH - LEFT - RIGHT);
    let at_y = |y: f64| HEIGHT - BOTTOM - (y.max(up.0) - up.0) / (up.1 - up.0) * (HEIGHT - TOP - BOTTOM);
    let caption = Escaped(&chart.caption);
    let mut svg = format!(
        "<figure class=\"plot chart\"><figcaption>{caption}</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{caption}\">\n"
    );
    for number in [up.0, up.1] {
        write_level(&mut svg, "axis", at_y(number));
        let words = chart.format.format_number(number);
        let (x, y) = (LEFT - 6.0, at_y(number) + 4.0);
        let words = Escaped(&words);
        // Writing to a text does not fail.
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"{y:.1}\" text-anchor=\"end\">{words}</text>");
    }
    for (place, level) in chart.levels.iter().enumerate() {
        let y = at_y(level.value);
        write_level(&mut svg, "level", y);
        let words = format!("{} {}", level.label, chart.format.format_number(level.value));
        // What stands above a level at the top would not be seen.
        let y = if y < TOP + 16.0 { y + 15.0 } else { y - 5.0 };
        // Two levels may be close to each other: their words stand at different sides.
        let (x, anchor) = if place % 2 == 0 { (LEFT + 6.0, "start") } else { (WIDTH - RIGHT - 6.0, "end") };
        let words = Escaped(&words);
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
    }
    for (place, line) in chart.lines.iter().take(MAX_LINES).enumerate() {
        let points: Vec<_> =
            line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", at_x(x), at_y(y))).collect();
        let _ = writeln!(svg, "<polyline class=\"line-{place}\" points=\"{}\"/>", points.join(" "));
    }
    let y = HEIGHT - BOTTOM + 18.0;
    for (place, anchor) in [(across.0, "start"), (across.1, "end")] {
        let x = at_x(place);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{place:.0}</text>");
    }
    let (middle, words) = (f64::midpoint(LEFT, WIDTH - RIGHT), Escaped(&chart.axis));
    let _ = writeln!(svg, "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{words}</text>");
    svg + "</svg>\n" + &legend_html(chart) + "</figure>\n"
}

fn write_level(svg: &mut String, class: &str, y: f64) {
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.0}\" y2=\"{y:.1}\"/>",
        WIDTH - RIGHT
    );
}

fn legend_html(chart: &Chart) -> String {
    let items = chart.lines.iter().take(MAX_LINES).enumerate().map(|(place, line)| {
        let last = line.points.last().map(|&(_, number)| chart.format.format_number(number));
        format!(
            "<li><svg class=\"key\" viewBox=\"0 0 24 8\" aria-hidden=\"true\"><polyline class=\"line-{place}\" points=\"0,4 24,4\"/></svg> {} {}</li>",
            Escaped(&line.label),
            Escaped(&last.unwrap_or_default())
        )
    });
    let items: String = items.collect();
    let left_out = chart.lines.len().saturating_sub(MAX_LINES);
    let left_out = if left_out > 0 { format!("<li>and {left_out} more</li>") } else { String::new() };
    format!("<ul class=\"legend\">{items}{left_out}</ul>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartLevel, ChartLine, NumberFormat};

    #[test]
    fn lines_and_levels_are_drawn_to_one_scale() {
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
