//! Who would rather see whom win, drawn.

use super::seat_mark::SeatMark;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::fmt::Write as _;

/// The most seats that are drawn: of more the arrows could not be told apart.
const MAX_SEATS: usize = 8;
/// The width and the height of the drawing.
const SIZE: f64 = 220.0;
/// The distance of the seats from the middle.
const RADIUS: f64 = 78.0;
/// The distance between a seat and the ends of its arrows.
const CLEARANCE: f64 = 21.0;
/// How far arrows bend, so that two between the same seats lie apart.
const BEND: f64 = 16.0;

/// What an arrow says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// The seat would rather see the other win than itself.
    BeforeItself,
    /// Of the others, the seat would like to see this one win most.
    BestOther,
}

/// Draws an arrow from each seat to those that it would rather see win than itself, and to the one of the others that it likes best; none of fewer
/// than two seats, or of more than can be told apart. `wanted` has the seats by rows, the most wanted winner first.
pub(super) fn draw_row_graph(wanted: &[Vec<usize>]) -> Option<String> {
    let seats = wanted.len();
    if !(2..=MAX_SEATS).contains(&seats) || wanted.iter().flatten().any(|&other| other >= seats) {
        return None;
    }
    let mut svg = format!(
        "<svg class=\"row-graph\" viewBox=\"0 0 {SIZE} {SIZE}\" role=\"img\" aria-label=\"Whom each seat would like to see win, as the list of seats says\">\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>"
    );
    for (seat, row) in wanted.iter().enumerate() {
        for (other, wish) in wishes_of_row(seat, row) {
            write_arrow(&mut svg, place_of_seat(seat, seats), place_of_seat(other, seats), wish);
        }
    }
    for seat in 0..seats {
        let (x, y) = place_of_seat(seat, seats);
        let mark = SeatMark { seat, x, y: y - 5.0, radius: 8.0 };
        // Writing to a text does not fail.
        let _ = write!(
            svg,
            "{mark}<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{seat}</text>",
            y + 17.0
        );
    }
    Some(svg + "</svg>")
}

/// Returns whom the arrows of a seat lead to.
fn wishes_of_row(seat: usize, row: &[usize]) -> Vec<(usize, Wish)> {
    let before = row.iter().take_while(|&&other| other != seat).map(|&other| (other, Wish::BeforeItself));
    let before: Vec<_> = before.collect();
    if before.is_empty() {
        row.iter().find(|&&other| other != seat).map(|&other| (other, Wish::BestOther)).into_iter().collect()
    } else {
        before
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are few seats")]
fn place_of_seat(seat: usize, seats: usize) -> (f64, f64) {
    let angle = TAU * seat as f64 / seats as f64 - FRAC_PI_2;
    (SIZE / 2.0 + RADIUS * angle.cos(), SIZE / 2.0 + RADIUS * angle.sin())
}

fn write_arrow(svg: &mut String, from: (f64, f64), to: (f64, f64), wish: Wish) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let (ux, uy) = (dx / length, dy / length);
    let (x1, y1) = (from.0 + CLEARANCE * ux, from.1 + CLEARANCE * uy);
    let (x2, y2) = (to.0 - CLEARANCE * ux, to.1 - CLEARANCE * uy);
    let (mx, my) = (f64::midpoint(x1, x2) - BEND * uy, f64::midpoint(y1, y2) + BEND * ux);
    let class = if wish == Wish::BeforeItself { "before-itself" } else { "best-other" };
    let _ = write!(
        svg,
        "<path class=\"{class}\" marker-end=\"url(#arrow)\" d=\"M{x1:.1} {y1:.1}Q{mx:.1} {my:.1} {x2:.1} {y2:.1}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_to_those_that_are_wanted() {
        let wanted = [vec![0, 2, 1], vec![2, 0, 1], vec![2, 1, 0]];
        let wishes: Vec<_> = wanted.iter().enumerate().map(|(seat, row)| wishes_of_row(seat, row)).collect();
        assert_eq!(wishes[0], [(2, Wish::BestOther)]);
        assert_eq!(wishes[1], [(2, Wish::BeforeItself), (0, Wish::BeforeItself)]);
        assert_eq!(wishes[2], [(1, Wish::BestOther)]);
        let svg = draw_row_graph(&wanted).unwrap();
        assert_eq!((svg.matches("before-itself").count(), svg.matches("best-other").count()), (2, 2));
        assert_eq!(draw_row_graph(&wanted[..1]), None);
        assert_eq!(draw_row_graph(&[vec![0, 7], vec![1, 0]]), None);
        let many = vec![(0..9).collect::<Vec<_>>(); 9];
        assert_eq!(draw_row_graph(&many), None);
    }
}
