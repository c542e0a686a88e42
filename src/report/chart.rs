//! Charts: how numbers went on.

use super::NumberFormat;

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// What it is of.
    pub label: String,
    /// Its points from the left to the right: how far along, and the number there.
    pub points: Vec<(f64, f64)>,
}

/// A number that means something by itself, such as a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLevel {
    /// What it means.
    pub label: String,
    /// The number.
    pub value: f64,
}

/// Numbers that change, side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What is seen.
    pub caption: String,
    /// What is counted from the left to the right.
    pub axis: String,
    /// How its numbers are written.
    pub format: NumberFormat,
    /// The lines, the most important one first.
    pub lines: Vec<ChartLine>,
    /// Where lines lead to, or must not lead.
    pub levels: Vec<ChartLevel>,
}

/// Which part of the plane a chart shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartFrame {
    /// The least and the greatest place along the axis.
    pub across: (f64, f64),
    /// The least and the greatest number.
    pub up: (f64, f64),
}

impl Chart {
    /// Returns what finds room for all points and levels; none without two different places along the axis, or with a number that is not finite.
    pub fn frame(&self) -> Option<ChartFrame> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let across = value_range(points().map(|point| point.0))?;
        let levels = self.levels.iter().map(|level| level.value);
        let (low, high) = value_range(points().map(|point| point.1).chain(levels))?;
        let is_drawn =
            across.1 > across.0 && [across.0, across.1, low, high].iter().all(|end| end.is_finite());
        // A line that stays where it is lies in the middle.
        let up = if high > low { (low, high) } else { (low - 1.0, high + 1.0) };
        is_drawn.then_some(ChartFrame { across, up })
    }
}

fn value_range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.map(|value| (value, value)).reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_points_and_levels_find_room() {
        let line = ChartLine { label: String::new(), points: vec![(1.0, 5.0), (3.0, 4.0)] };
        let level = ChartLevel { label: String::new(), value: 9.0 };
        let format = NumberFormat::default();
        let (caption, axis) = (String::new(), String::new());
        let chart = Chart { caption, axis, format, lines: vec![line], levels: vec![level] };
        assert_eq!(chart.frame(), Some(ChartFrame { across: (1.0, 3.0), up: (4.0, 9.0) }));
        let mut flat = Chart { levels: Vec::new(), ..chart };
        flat.lines[0].points = vec![(0.0, 2.0), (1.0, 2.0)];
        assert_eq!(flat.frame().unwrap().up, (1.0, 3.0));
        flat.lines[0].points[0].1 = f64::NAN;
        flat.lines[0].points[1].1 = f64::INFINITY;
        assert_eq!(flat.frame(), None);
        flat.lines[0].points.pop();
        assert_eq!(flat.frame(), None);
    }
}
