//! Plots.

use super::NumberFormat;

/// How the marks of a plot are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkShape {
    /// As bars that begin at zero.
    Bars,
    /// As points, each in its interval.
    Intervals,
}

/// A number in a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotMark {
    /// What it is of.
    pub label: String,
    /// The number.
    pub value: f64,
    /// The two ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
}

/// Numbers of one kind side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What is seen.
    pub caption: String,
    /// How it is drawn.
    pub shape: MarkShape,
    /// How its numbers are written.
    pub format: NumberFormat,
    /// The numbers, from the top.
    pub marks: Vec<PlotMark>,
}

impl Plot {
    /// Returns the least and the greatest number that have to find room.
    pub fn range(&self) -> Option<(f64, f64)> {
        let ends = self.marks.iter().flat_map(|mark| {
            let (low, high) = mark.interval.unwrap_or((mark.value, mark.value));
            [low, mark.value, high]
        });
        let zero = (self.shape == MarkShape::Bars).then_some(0.0);
        ends.chain(zero).map(|end| (end, end)).reduce(|(low, high), (end, _)| (low.min(end), high.max(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_marks_find_room() {
        let mark = |value, interval| PlotMark { label: String::new(), value, interval };
        let marks = vec![mark(2.0, Some((1.0, 3.0))), mark(4.0, None)];
        let plot = Plot {
            caption: String::new(),
            shape: MarkShape::Intervals,
            format: NumberFormat::default(),
            marks,
        };
        assert_eq!(plot.range(), Some((1.0, 4.0)));
        assert_eq!(Plot { shape: MarkShape::Bars, ..plot.clone() }.range(), Some((0.0, 4.0)));
        assert_eq!(Plot { marks: Vec::new(), ..plot }.range(), None);
    }
}
