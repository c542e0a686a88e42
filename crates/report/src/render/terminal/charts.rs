//! Charts as text.

use crate::Chart;
use std::fmt::Write as _;

/// The width of a line in characters.
const COLUMNS: u32 = 48;
/// The characters for heights, from the lowest.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws a chart, a row of characters for each line.
pub(super) fn write_chart(text: &mut String, chart: &Chart) {
    let Some(frame) = chart.frame() else { return };
    let labels = chart.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\n  {}", chart.caption);
    for line in &chart.lines {
        let step = (frame.x_range.1 - frame.x_range.0) / f64::from(COLUMNS - 1);
        let heights = (0..COLUMNS).map(|column| {
            let place = frame.x_range.0 + f64::from(column) * step;
            let before =
                line.points.iter().take_while(|(position, _)| *position <= place + step / 2.0).last();
            before.map_or(' ', |&(_, number)| {
                height_of_share((number - frame.y_range.0) / (frame.y_range.1 - frame.y_range.0))
            })
        });
        let bars: String = heights.collect();
        let last = line.points.last().map(|&(_, number)| chart.format.format_number(number));
        let _ = writeln!(text, "  {:<labels$}  {bars}  {}", line.label, last.unwrap_or_default());
    }
    for level in &chart.levels {
        let _ = writeln!(text, "  {}: {}", level.label, chart.format.format_number(level.value));
    }
}

fn height_of_share(share: f64) -> char {
    let height = (1..8_u32).filter(|&height| share * 8.0 >= f64::from(height)).count();
    HEIGHTS[height]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartLevel, ChartLine, NumberFormat};

    #[test]
    fn a_line_rises_with_its_values() {
        let mut text = String::new();
        let line = ChartLine { label: "ann".into(), points: vec![(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)] };
        let level = ChartLevel { label: "bound".into(), value: 10.0 };
        let (caption, axis) = ("How it went".into(), "matches".into());
        let chart = Chart {
            caption,
            axis,
            format: NumberFormat::default(),
            lines: vec![line],
            levels: vec![level],
            floor: None,
        };
        write_chart(&mut text, &chart);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines[1], lines[3]), ("  How it went", "  bound: 10"));
        assert!(lines[2].starts_with("  ann  ▁▁") && lines[2].ends_with("▅▅█  10"), "{text}");
    }
}
