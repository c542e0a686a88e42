//! A drawing of the seats around a table and their preferences.

use super::seat_mark::SeatMark;
use askama::Template;
use lastnim_report::render::write_template;
use std::f64::consts::{FRAC_PI_2, TAU};

/// The maximum number of seats in a drawing; with more, names and arrows overlap.
const MAX_SEATS: usize = 8;
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
/// The distance of the seats from the centre.
const RADIUS: f64 = 78.0;
/// The gap between a seat and its arrows.
const CLEARANCE: f64 = 15.0;
/// The bend of arrows, so that two between the same seats do not overlap.
const BEND: f64 = 16.0;
/// The maximum length of a name.
const MAX_NAME_CHARS: usize = 13;
/// How far off centre a seat must be to have its name at the side.
const SIDE: f64 = 0.3;

/// A seat at the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableSeat<'a> {
    pub bot: &'a str,
    /// The state of the seat.
    pub state: SeatState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatState {
    /// It is not its turn.
    Waits,
    ToMove,
    Won,
}

/// The meaning of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preference {
    /// The seat prefers the other to win over itself.
    BeforeItself,
    /// The seat prefers this one among the others.
    BestOther,
}

impl Preference {
    fn class(self) -> &'static str {
        match self {
            Self::BeforeItself => "before-itself",
            Self::BestOther => "best-other",
        }
    }
}

#[derive(Template)]
#[template(path = "seat_table.html")]
struct SeatTable {
    /// The class and the path of each arrow.
    arrows: Vec<(&'static str, String)>,
    seats: Vec<DrawnSeat>,
}

struct DrawnSeat {
    class: &'static str,
    mark: SeatMark,
    text_x: f64,
    text_y: f64,
    anchor: &'static str,
    name: String,
}

/// Draws the seats. If rows are known, arrows lead from each seat to those that it prefers over itself, or to its
/// preferred other seat. Returns `None` for fewer than two seats or too many. `orders` has the preference order of
/// each seat.
pub(super) fn draw_seat_table(seats: &[TableSeat<'_>], orders: Option<&[Vec<usize>]>) -> Option<String> {
    let count = seats.len();
    if !(2..=MAX_SEATS).contains(&count) {
        return None;
    }
    let rows = orders.unwrap_or_default().iter().enumerate().take(count);
    let arrows =
        rows.flat_map(|(seat, row)| arrows_of_row(seat, row).into_iter().map(move |arrow| (seat, arrow)));
    let arrows = arrows.filter(|(_, (other, _))| *other < count).map(|(seat, (other, preference))| {
        (preference.class(), arrow_path(place_of_seat(seat, count), place_of_seat(other, count)))
    });
    let drawn =
        seats.iter().enumerate().map(|(seat, of_seat)| draw_seat(place_of_seat(seat, count), seat, of_seat));
    Some(write_template(&SeatTable { arrows: arrows.collect(), seats: drawn.collect() }))
}

/// Places a mark with its number and name.
fn draw_seat((x, y): (f64, f64), seat: usize, of_seat: &TableSeat<'_>) -> DrawnSeat {
    let aside = (x - WIDTH / 2.0) / RADIUS;
    let (text_x, text_y, anchor) = if aside > SIDE {
        (x + 16.0, y + 4.5, "start")
    } else if aside < -SIDE {
        (x - 16.0, y + 4.5, "end")
    } else if y < HEIGHT / 2.0 {
        (x, y - 15.0, "middle")
    } else {
        (x, y + 25.0, "middle")
    };
    let class = match of_seat.state {
        SeatState::Waits => "",
        SeatState::ToMove => "turn",
        SeatState::Won => "won",
    };
    let (mark, name) = (SeatMark { seat, x, y, radius: 8.0 }, shortened_name(of_seat.bot));
    DrawnSeat { class, mark, text_x, text_y, anchor, name }
}

fn shortened_name(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME_CHARS - 1).chain(['\u{2026}']).collect()
}

/// Returns the arrows of a seat.
fn arrows_of_row(seat: usize, row: &[usize]) -> Vec<(usize, Preference)> {
    let before =
        row.iter().take_while(|&&other| other != seat).map(|&other| (other, Preference::BeforeItself));
    let before: Vec<_> = before.collect();
    if before.is_empty() {
        row.iter()
            .find(|&&other| other != seat)
            .map(|&other| (other, Preference::BestOther))
            .into_iter()
            .collect()
    } else {
        before
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are few seats")]
fn place_of_seat(seat: usize, seats: usize) -> (f64, f64) {
    let angle = TAU * seat as f64 / seats as f64 - FRAC_PI_2;
    (WIDTH / 2.0 + RADIUS * angle.cos(), HEIGHT / 2.0 + RADIUS * angle.sin())
}

fn arrow_path(from: (f64, f64), to: (f64, f64)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let (ux, uy) = (dx / length, dy / length);
    let (x1, y1) = (from.0 + CLEARANCE * ux, from.1 + CLEARANCE * uy);
    let (x2, y2) = (to.0 - CLEARANCE * ux, to.1 - CLEARANCE * uy);
    let (mx, my) = (f64::midpoint(x1, x2) - BEND * uy, f64::midpoint(y1, y2) + BEND * ux);
    format!("M{x1:.1} {y1:.1}Q{mx:.1} {my:.1} {x2:.1} {y2:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_to_preferred_seats() {
        let orders = [vec![0, 2, 1], vec![2, 0, 1], vec![2, 1, 0]];
        let arrows: Vec<_> = orders.iter().enumerate().map(|(seat, row)| arrows_of_row(seat, row)).collect();
        assert_eq!(arrows[0], [(2, Preference::BestOther)]);
        assert_eq!(arrows[1], [(2, Preference::BeforeItself), (0, Preference::BeforeItself)]);
        assert_eq!(arrows[2], [(1, Preference::BestOther)]);
        let seats =
            ["ann", "bob", "a-name-of-many-characters"].map(|bot| TableSeat { bot, state: SeatState::Waits });
        let svg = draw_seat_table(&seats, Some(&orders)).unwrap();
        assert_eq!((svg.matches("before-itself").count(), svg.matches("best-other").count()), (2, 2));
        assert!(svg.contains(">1 bob</text>") && svg.contains(">2 a-name-of-ma\u{2026}</text>"), "{svg}");
        let before = draw_seat_table(&seats, None).unwrap();
        assert!(!before.contains("url(#arrow)") && before.matches("<text").count() == 3, "{before}");
        let foreign = draw_seat_table(&seats[..2], Some(&[vec![7, 0], vec![1, 0]])).unwrap();
        assert_eq!(foreign.matches("url(#arrow)").count(), 1, "rows name an unknown seat: {foreign}");
        assert_eq!(draw_seat_table(&seats[..1], None), None);
        assert_eq!(draw_seat_table(&vec![seats[0].clone(); 9], None), None);
    }

    #[test]
    fn turn_and_winner_are_marked() {
        let seat = |state| TableSeat { bot: "ann", state };
        let seats = [seat(SeatState::ToMove), seat(SeatState::Won), seat(SeatState::Waits)];
        let svg = draw_seat_table(&seats, None).unwrap();
        for part in ["<g class=\"turn\"><circle class=\"ring\"", "<g class=\"won\"><rect", "<g><polygon"] {
            assert!(svg.contains(part), "{part:?} is missing:\n{svg}");
        }
    }
}
