//! Plots.

use super::NumberFormat;

/// The shape of a plot's marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkShape {
    /// Bars that start at zero.
    Bars,
    /// Points with intervals.
    Intervals,
}

/// A number in a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotMark {
    /// The label of the number.
    pub label: String,
    /// The number.
    pub value: f64,
    /// The two ends of the interval of the number, if it has one.
    pub interval: Option<(f64, f64)>,
}

/// A plot of numbers of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The caption.
    pub caption: String,
    /// The shape of the marks.
    pub shape: MarkShape,
    /// The format of the numbers.
    pub format: NumberFormat,
    /// The numbers, from top to bottom.
    pub marks: Vec<PlotMark>,
}

impl Plot {
    /// Returns the ends of the scale: the smallest and the largest number of the marks and their intervals. Bars begin at
    /// zero, so their scale includes it. `None` without marks.
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
    fn the_range_contains_all_marks() {
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
