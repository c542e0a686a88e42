//! Cells of tables.

use super::words::{format_time, shortened_list};

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum NumberUnit {
    /// A plain count.
    #[default]
    Count,
    /// A share of a whole, from 0 to 1, shown in percent.
    Share,
    /// Places in a seat's row.
    Ranks,
    /// Points of a score or of a rating.
    Points,
}

/// The format of numbers for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberFormat {
    /// The unit.
    pub unit: NumberUnit,
    /// The digits after the decimal point; for a share, the digits of its percentage.
    pub precision: usize,
    /// Whether positive numbers have a plus sign.
    pub is_signed: bool,
}

impl NumberFormat {
    /// Creates an unsigned format.
    pub const fn new(unit: NumberUnit, precision: usize) -> Self {
        Self { unit, precision, is_signed: false }
    }

    /// Formats a number; one that rounds to zero has no sign.
    pub fn format_number(self, value: f64) -> String {
        let (value, mark) = match self.unit {
            NumberUnit::Share => (100.0 * value, "%"),
            _ => (value, ""),
        };
        let digits = format!("{:.*}", self.precision, value.abs());
        let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let sign = match value {
            _ if is_zero => "",
            value if value < 0.0 => "-",
            _ if self.is_signed => "+",
            _ => "",
        };
        format!("{sign}{digits}{mark}")
    }
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// A text.
    Text(String),
    /// Several texts; people see the first ones and a count if there are many.
    List {
        /// The items.
        items: Vec<String>,
        /// The text between two items.
        separator: &'static str,
    },
    /// A time, in microseconds since 1970-01-01 UTC.
    Time(u64),
    /// A whole number.
    Integer(i128),
    /// Any number.
    Number(f64),
    /// A part of a whole.
    Fraction {
        /// The size of the part.
        part: u32,
        /// The size of the whole; 0 if the share is unknown.
        whole: u32,
    },
    /// The two ends of an interval.
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A number and its interval.
    Estimate {
        /// The number.
        value: f64,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// No value, with the reason if it is known.
    Missing(Option<String>),
}

impl Cell {
    /// No value, without a reason.
    pub const NONE: Self = Self::Missing(None);

    /// Creates a list.
    pub fn list(items: &[impl ToString], separator: &'static str) -> Self {
        Self::List { items: items.iter().map(ToString::to_string).collect(), separator }
    }

    /// Returns the number by which the cell is sorted; `None` for texts and missing values.
    pub fn order_value(&self) -> Option<f64> {
        match *self {
            #[expect(clippy::cast_precision_loss, reason = "it is only used to sort a table's numbers")]
            Self::Integer(number) => Some(number as f64),
            #[expect(clippy::cast_precision_loss, reason = "it is only used to sort times")]
            Self::Time(micros) => Some(micros as f64),
            Self::Number(number) | Self::Estimate { value: number, .. } => Some(number),
            Self::Fraction { part, whole } => (whole > 0).then(|| f64::from(part) / f64::from(whole)),
            Self::Interval { low, high } => Some(f64::midpoint(low, high)),
            Self::Text(_) | Self::List { .. } | Self::Missing(_) => None,
        }
    }

    /// Returns the value, if the cell has one, and the ends of the interval; `None` for a cell without an interval.
    pub fn interval(&self) -> Option<(Option<f64>, f64, f64)> {
        match *self {
            Self::Estimate { value, low, high } => Some((Some(value), low, high)),
            Self::Interval { low, high } => Some((None, low, high)),
            _ => None,
        }
    }

    /// Formats the cell for people.
    pub fn display_text(&self, format: NumberFormat) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List { items, separator } => shortened_list(items, separator),
            Self::Time(micros) => format_time(*micros),
            Self::Integer(number) if format.is_signed && *number > 0 => format!("+{number}"),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => format.format_number(*number),
            Self::Missing(None) | Self::Fraction { whole: 0, .. } => "-".to_owned(),
            Self::Missing(Some(why)) => why.clone(),
            Self::Fraction { part, whole } if format.unit == NumberUnit::Share => {
                let share = f64::from(*part) / f64::from(*whole);
                format!("{} ({part} of {whole})", format.format_number(share))
            }
            Self::Fraction { part, whole } => format!("{part}/{whole}"),
            Self::Interval { low, high } => {
                format!("{} to {}", format.format_number(*low), format.format_number(*high))
            }
            Self::Estimate { value, low, high } => {
                let half = NumberFormat { is_signed: false, ..format }.format_number((high - low) / 2.0);
                format!("{} ±{half}", format.format_number(*value))
            }
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Integer(number as i128)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Cell {
            fn from(number: $integer) -> Self {
                Self::Integer(number.into())
            }
        })*
    };
}

from_integers!(u8, u16, u32, u64, i32, i64);

impl<C: Into<Cell>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or(Self::NONE, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_in_their_unit() {
        let ranks = NumberFormat::new(NumberUnit::Ranks, 3);
        assert_eq!(
            [0.0, 1.5, -0.0004, -0.0006].map(|number| ranks.format_number(number)),
            ["0.000", "1.500", "0.000", "-0.001"]
        );
        let signed = NumberFormat { is_signed: true, ..NumberFormat::new(NumberUnit::Ranks, 2) };
        assert_eq!(
            [0.0, 0.125, 0.004, -3.0].map(|number| signed.format_number(number)),
            ["0.00", "+0.12", "0.00", "-3.00"]
        );
        assert_eq!(NumberFormat::new(NumberUnit::Share, 1).format_number(0.5893), "58.9%");
        assert_eq!(NumberFormat::new(NumberUnit::Share, 0).format_number(1.0), "100%");
    }

    #[test]
    fn cells_are_ordered_by_their_numbers() {
        let interval = Cell::Interval { low: 0.25, high: 0.75 };
        let estimate = Cell::Estimate { value: 0.1, low: 0.0, high: 0.4 };
        let cells = [7.into(), Cell::Fraction { part: 1, whole: 4 }, interval.clone(), estimate.clone()];
        assert_eq!(cells.map(|cell| cell.order_value()), [7.0, 0.25, 0.5, 0.1].map(Some));
        let wordy = ["x".into(), Cell::NONE, Cell::Fraction { part: 0, whole: 0 }];
        assert_eq!(wordy.map(|cell| cell.order_value()), [None; 3]);
        assert_eq!(
            [interval, estimate].map(|cell| cell.interval()),
            [Some((None, 0.25, 0.75)), Some((Some(0.1), 0.0, 0.4))]
        );
        assert_eq!(Cell::from(1.0).interval(), None);
    }

    #[test]
    fn every_kind_of_cell_is_shown() {
        let count = NumberFormat::default();
        let share = NumberFormat::new(NumberUnit::Share, 0);
        let shown_text = |cell: Cell| cell.display_text(count);
        assert_eq!(shown_text("x".into()), "x");
        assert_eq!(shown_text(Cell::list(&[1, 2], ",")), "1,2");
        assert_eq!(shown_text(u64::MAX.into()), "18446744073709551615");
        assert_eq!(shown_text((-3).into()), "-3");
        assert_eq!(Cell::from(3).display_text(NumberFormat { is_signed: true, ..count }), "+3");
        assert_eq!(Cell::from(0).display_text(NumberFormat { is_signed: true, ..count }), "0");
        assert_eq!(shown_text(None::<f64>.into()), "-");
        assert_eq!(shown_text(Cell::Missing(Some("too few".into()))), "too few");
        assert_eq!(shown_text(Cell::Fraction { part: 3, whole: 6 }), "3/6");
        assert_eq!(shown_text(Cell::Fraction { part: 0, whole: 0 }), "-");
        assert_eq!(Cell::Fraction { part: 1, whole: 2 }.display_text(share), "50% (1 of 2)");
        assert_eq!(Cell::Interval { low: 0.25, high: 0.5 }.display_text(share), "25% to 50%");
        assert_eq!(shown_text(Cell::Estimate { value: 1601.2, low: 1571.0, high: 1631.4 }), "1601 ±30");
    }
}
