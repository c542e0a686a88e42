//! The seats round the table, and who would rather see whom win.

use super::seat_mark::SeatMark;
use askama::Template;
use lastnim_report::render::write_template;
use std::f64::consts::{FRAC_PI_2, TAU};

/// The most seats that are drawn: of more neither names nor arrows could be told apart.
const MAX_SEATS: usize = 8;
/// The width of the drawing.
const WIDTH: f64 = 360.0;
/// The height of the drawing.
const HEIGHT: f64 = 230.0;
/// The distance of the seats from the middle.
const RADIUS: f64 = 78.0;
/// The distance between a seat and the ends of its arrows.
const CLEARANCE: f64 = 15.0;
/// How far arrows bend, so that two between the same seats lie apart.
const BEND: f64 = 16.0;
/// The characters of a name that find room beside its seat.
const MAX_NAME_CHARS: usize = 13;
/// How far to one side a seat stands whose name is written on that side.
const SIDE: f64 = 0.3;

/// Who sits at the table, and what became of the seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableSeat<'a> {
    /// The name of the bot.
    pub bot: &'a str,
    /// What is seen of the seat.
    pub standing: SeatStanding,
}

/// What is seen of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeatStanding {
    /// It waits for its turn.
    Waits,
    /// It is to move.
    ToMove,
    /// It has won.
    Won,
}

/// What an arrow says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// The seat would rather see the other win than itself.
    BeforeItself,
    /// Of the others, the seat would like to see this one win most.
    BestOther,
}

impl Wish {
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

/// Draws the seats with their names, and where rows are known an arrow from each seat to those that it would rather see win than itself, or to the one of
/// the others that it likes best; none of fewer than two seats, or of more than can be told apart. `wanted` has the seats by rows, the most wanted winner first.
pub(super) fn draw_seat_table(seats: &[TableSeat<'_>], wanted: Option<&[Vec<usize>]>) -> Option<String> {
    let count = seats.len();
    if !(2..=MAX_SEATS).contains(&count) {
        return None;
    }
    let rows = wanted.unwrap_or_default().iter().enumerate().take(count);
    let wishes =
        rows.flat_map(|(seat, row)| wishes_of_row(seat, row).into_iter().map(move |wish| (seat, wish)));
    let arrows = wishes.filter(|(_, (other, _))| *other < count).map(|(seat, (other, wish))| {
        (wish.class(), arrow_path(place_of_seat(seat, count), place_of_seat(other, count)))
    });
    let drawn =
        seats.iter().enumerate().map(|(seat, of_seat)| draw_seat(place_of_seat(seat, count), seat, of_seat));
    Some(write_template(&SeatTable { arrows: arrows.collect(), seats: drawn.collect() }))
}

/// Places the mark of a seat, with its number and name at its outer side.
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
    let class = match of_seat.standing {
        SeatStanding::Waits => "",
        SeatStanding::ToMove => "turn",
        SeatStanding::Won => "won",
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
    fn arrows_lead_to_those_that_are_wanted() {
        let wanted = [vec![0, 2, 1], vec![2, 0, 1], vec![2, 1, 0]];
        let wishes: Vec<_> = wanted.iter().enumerate().map(|(seat, row)| wishes_of_row(seat, row)).collect();
        assert_eq!(wishes[0], [(2, Wish::BestOther)]);
        assert_eq!(wishes[1], [(2, Wish::BeforeItself), (0, Wish::BeforeItself)]);
        assert_eq!(wishes[2], [(1, Wish::BestOther)]);
        let seats = ["ann", "bob", "a-name-of-many-characters"]
            .map(|bot| TableSeat { bot, standing: SeatStanding::Waits });
        let svg = draw_seat_table(&seats, Some(&wanted)).unwrap();
        assert_eq!((svg.matches("before-itself").count(), svg.matches("best-other").count()), (2, 2));
        assert!(svg.contains(">1 bob</text>") && svg.contains(">2 a-name-of-ma\u{2026}</text>"), "{svg}");
        let before = draw_seat_table(&seats, None).unwrap();
        assert!(!before.contains("url(#arrow)") && before.matches("<text").count() == 3, "{before}");
        let foreign = draw_seat_table(&seats[..2], Some(&[vec![7, 0], vec![1, 0]])).unwrap();
        assert_eq!(foreign.matches("url(#arrow)").count(), 1, "a seat that is not there: {foreign}");
        assert_eq!(draw_seat_table(&seats[..1], None), None);
        assert_eq!(draw_seat_table(&vec![seats[0].clone(); 9], None), None);
    }

    #[test]
    fn whose_turn_it_is_and_who_won_is_seen() {
        let seat = |standing| TableSeat { bot: "ann", standing };
        let seats = [seat(SeatStanding::ToMove), seat(SeatStanding::Won), seat(SeatStanding::Waits)];
        let svg = draw_seat_table(&seats, None).unwrap();
        for part in ["<g class=\"turn\"><circle class=\"ring\"", "<g class=\"won\"><rect", "<g><polygon"] {
            assert!(svg.contains(part), "{part:?} is missing:\n{svg}");
        }
    }
}
