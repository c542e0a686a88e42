//! Charts of numbers over time.

use super::{Cell, Column, NumberFormat, Table};

/// The maximum number of rows in the table of a chart.
const MAX_TABLE_ROWS: usize = 20;

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// The label of the line.
    pub label: String,
    /// The points from left to right, each with its position and its value.
    pub points: Vec<(f64, f64)>,
}

/// A reference value, such as a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLevel {
    /// The meaning of the value.
    pub label: String,
    /// The number.
    pub value: f64,
}

/// Lines over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The caption.
    pub caption: String,
    /// The label of the axis.
    pub axis: String,
    /// The format of the values.
    pub format: NumberFormat,
    /// The lines, the most important one first.
    pub lines: Vec<ChartLine>,
    /// Reference values.
    pub levels: Vec<ChartLevel>,
    /// Values below this are drawn at this value; `None` draws all values.
    pub floor: Option<f64>,
}

/// The ranges that a chart shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChartFrame {
    /// The smallest and the largest position.
    pub x_range: (f64, f64),
    /// The smallest and the largest value.
    pub y_range: (f64, f64),
}

impl Chart {
    /// Returns the ranges of all points and levels; `None` with fewer than two positions, or with a number that is not
    /// finite.
    pub fn frame(&self) -> Option<ChartFrame> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x_range = value_range(points().map(|point| point.0))?;
        let levels = self.levels.iter().map(|level| level.value);
        let numbers = points().map(|point| point.1.max(self.floor.unwrap_or(f64::NEG_INFINITY)));
        let (low, high) = value_range(numbers.chain(levels))?;
        let is_drawn =
            x_range.1 > x_range.0 && [x_range.0, x_range.1, low, high].iter().all(|end| end.is_finite());
        // A constant line is drawn in the middle.
        let y_range = if high > low { (low, high) } else { (low - 1.0, high + 1.0) };
        is_drawn.then_some(ChartFrame { x_range, y_range })
    }

    /// Tabulates the lines at some positions, including the first and the last, for people who cannot see the chart.
    pub fn value_table(&self) -> Table {
        let numbers = self
            .lines
            .iter()
            .map(|line| Column { format: self.format, ..Column::integer(line.label.as_str()) });
        let mut table = Table::new(std::iter::once(Column::integer(self.axis.as_str())).chain(numbers));
        let mut places: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let last = places.len().saturating_sub(1);
        let rows = places.len().min(MAX_TABLE_ROWS);
        for row in 0..rows {
            let place = places[(row * last).div_ceil(rows.saturating_sub(1).max(1))];
            let number = |line: &ChartLine| {
                let before = line.points.iter().take_while(|point| point.0 <= place).last();
                before.map_or(Cell::NONE, |point| point.1.into())
            };
            let cells = std::iter::once(position_cell(place)).chain(self.lines.iter().map(number));
            table.push_row(cells);
        }
        table
    }
}

#[expect(clippy::cast_possible_truncation, reason = "positions are counts")]
fn position_cell(place: f64) -> Cell {
    Cell::Integer(place as i128)
}

fn value_range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.map(|value| (value, value)).reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_contains_all_points_and_levels() {
        let line = ChartLine { label: String::new(), points: vec![(1.0, 5.0), (3.0, 4.0)] };
        let level = ChartLevel { label: String::new(), value: 9.0 };
        let format = NumberFormat::default();
        let (caption, axis) = (String::new(), String::new());
        let mut chart = Chart { caption, axis, format, lines: vec![line], levels: vec![level], floor: None };
        assert_eq!(chart.frame(), Some(ChartFrame { x_range: (1.0, 3.0), y_range: (4.0, 9.0) }));
        chart.floor = Some(4.5);
        assert_eq!(chart.frame(), Some(ChartFrame { x_range: (1.0, 3.0), y_range: (4.5, 9.0) }));
        chart.floor = Some(-1.0);
        assert_eq!(chart.frame(), Some(ChartFrame { x_range: (1.0, 3.0), y_range: (4.0, 9.0) }));
        let mut flat = Chart { levels: Vec::new(), ..chart };
        flat.lines[0].points = vec![(0.0, 2.0), (1.0, 2.0)];
        assert_eq!(flat.frame().unwrap().y_range, (1.0, 3.0));
        flat.lines[0].points[0].1 = f64::NAN;
        flat.lines[0].points[1].1 = f64::INFINITY;
        assert_eq!(flat.frame(), None);
        flat.lines[0].points.pop();
        assert_eq!(flat.frame(), None);
    }

    #[test]
    fn the_table_has_the_first_and_the_last_position() {
        let points = |from: u32, to: u32| (from..=to).map(|place| (f64::from(place), f64::from(2 * place)));
        let line =
            |label: &str, from, to| ChartLine { label: label.into(), points: points(from, to).collect() };
        let chart = |lines| Chart {
            caption: String::new(),
            axis: "groups".into(),
            format: NumberFormat::default(),
            lines,
            levels: Vec::new(),
            floor: Some(10.0),
        };
        let table = chart(vec![line("ann", 0, 100), line("bob", 50, 60)]).value_table();
        assert_eq!(table.rows.len(), MAX_TABLE_ROWS);
        assert_eq!(table.rows[0].cells, [Cell::Integer(0), 0.0.into(), Cell::NONE]);
        let last = &table.rows[MAX_TABLE_ROWS - 1];
        assert_eq!(
            last.cells,
            [Cell::Integer(100), 200.0.into(), 120.0.into()],
            "a line keeps its last value"
        );
        let table = chart(vec![line("ann", 1, 3)]).value_table();
        let groups: Vec<_> = table.rows.iter().map(|row| row.cells[0].clone()).collect();
        assert_eq!(groups, [1, 2, 3].map(Cell::Integer));
        assert!(chart(Vec::new()).value_table().rows.is_empty());
    }
}
