//! Marks of seats: a shape and a colour, beside the number.

use std::fmt;

/// The number of different marks.
const COLOURS: usize = 8;
/// The number of seats with marks; others have only numbers.
const MARKED_SEATS: usize = 8;

/// The mark of a seat. Colours are classes of the style sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SeatMark {
    pub seat: usize,
    /// The x coordinate of its centre.
    pub x: f64,
    /// The y coordinate of its centre.
    pub y: f64,
    /// Half its size.
    pub radius: f64,
}

impl SeatMark {
    /// Returns the colour class of a seat.
    pub(super) fn class(seat: usize) -> String {
        format!("seat-{}", seat % COLOURS)
    }

    /// Draws a mark for use in text; empty for seats without one.
    pub(super) fn beside_number(seat: usize) -> String {
        if seat >= MARKED_SEATS {
            return String::new();
        }
        let mark = Self { seat, x: 8.0, y: 8.0, radius: 6.5 };
        format!("<svg class=\"seat-mark\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">{mark}</svg>")
    }
}

impl fmt::Display for SeatMark {
    /// Draws a circle, a square, a triangle or a diamond; after these, the same shapes with a hole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seat, x, y, radius } = *self;
        let class = Self::class(seat);
        let (left, right, top, bottom) = (x - radius, x + radius, y - radius, y + radius);
        match seat % 4 {
            0 => write!(f, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>")?,
            1 => {
                let (size, left, top) = (radius * 1.7, x - radius * 0.85, y - radius * 0.85);
                write!(
                    f,
                    "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{size:.1}\" height=\"{size:.1}\"/>"
                )?;
            }
            2 => write!(
                f,
                "<polygon class=\"{class}\" points=\"{x:.1},{top:.1} {right:.1},{bottom:.1} {left:.1},{bottom:.1}\"/>"
            )?,
            _ => write!(
                f,
                "<polygon class=\"{class}\" points=\"{x:.1},{top:.1} {right:.1},{y:.1} {x:.1},{bottom:.1} {left:.1},{y:.1}\"/>"
            )?,
        }
        if seat % COLOURS >= 4 {
            write!(f, "<circle class=\"hole\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>", radius * 0.35)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn eight_seats_are_told_apart_by_shape_alone() {
        let shapes = (0..8).map(|seat| {
            let drawn = SeatMark::beside_number(seat);
            drawn.replace(&SeatMark::class(seat), "seat")
        });
        assert_eq!(shapes.collect::<BTreeSet<_>>().len(), 8);
    }
}
