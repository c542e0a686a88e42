//! The values that templates of prompts can use.

use super::question::Question;
use lastnim_client::{MatchInfo, MatchView};
use lastnim_core::{
    game::{Row, Seat},
    oracle::Mover,
    referee::Clock,
};
use minijinja::{Value, context};
use std::time::Duration;

/// The maximum number of takes in a prompt; the latest are shown.
const MAX_SHOWN_TAKES: usize = 200;

/// The times of a match, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct ClockValues {
    time_left: f64,
    initial: f64,
    increment: f64,
    declaration: f64,
}

impl ClockValues {
    /// Reads a clock; `time_left` is the time for the question.
    pub fn new(clock: &Clock, time_left: Duration) -> Self {
        Self {
            // Fractions of a second are of no use to a model.
            time_left: time_left.as_secs_f64().floor(),
            initial: clock.initial.as_secs_f64(),
            increment: clock.increment.as_secs_f64(),
            declaration: clock.declaration.as_secs_f64(),
        }
    }
}

/// Returns the values for a question, which `docs/reference/language-models.md` lists.
pub fn prompt_values(question: &Question<'_>, clock: ClockValues) -> Value {
    let info = question.info();
    let seats: Vec<Value> = info.seats().iter().map(|seat| seat_value(info, seat)).collect();
    let offsets: Vec<Value> = (0..info.seats().get())
        .map(|offset| {
            let seat = info.seats().seat_at_offset(info.seat, offset);
            context! { offset, ..seat_value(info, seat) }
        })
        .collect();
    let common = context! {
        question => question.key(),
        seat => info.seat.index(),
        seats,
        seat_count => info.seats().get(),
        offsets,
        first_seat => info.first.index(),
        ending => info.ending.name(),
        start_piles => info.piles.as_slice().to_vec(),
        rows_are_assigned => info.rows_are_assigned(),
        strikes => info.terms.strikes,
        max_plies => info.terms.max_plies,
        time_left => clock.time_left,
        clock => context! {
            initial => clock.initial,
            increment => clock.increment,
            declaration => clock.declaration,
        },
    };
    match question {
        Question::Row(_) => common,
        Question::Take(view) => context! { ..take_values(view), ..common },
    }
}

fn take_values(view: &MatchView) -> Value {
    let rows: Vec<Value> =
        view.seats().iter().map(|seat| row_value(view.info(), seat, &view.matrix()[seat])).collect();
    let known = view.seen_takes();
    let shown = &known[known.len().saturating_sub(MAX_SHOWN_TAKES)..];
    let takes: Vec<Value> = shown
        .iter()
        .map(|seen| {
            context! {
                ply => seen.ply,
                take => seen.take,
                by_steward => seen.mover == Mover::Steward,
                ..seat_value(view.info(), seen.before.to_move())
            }
        })
        .collect();
    context! {
        ply => view.ply(),
        piles => view.position().piles().collect::<Vec<_>>(),
        pile => view.position().pile_index(),
        counters => view.position().counters(),
        rows,
        earlier_takes => view.ply() as usize - shown.len().min(view.ply() as usize),
        takes,
    }
}

/// Describes a seat: its number, its bot, and whether it is the model's own.
fn seat_value(info: &MatchInfo, seat: Seat) -> Value {
    let is_own = seat == info.seat;
    let name = if is_own { format!("seat {seat} (you)") } else { format!("seat {seat}") };
    context! { seat => seat.index(), bot => info.bots[seat].to_string(), is_own, name }
}

/// Describes a row: its seat, and the seats in its preference order.
fn row_value(info: &MatchInfo, seat: Seat, row: &Row) -> Value {
    let order: Vec<Value> = row
        .offsets()
        .iter()
        .map(|&offset| seat_value(info, info.seats().seat_at_offset(seat, usize::from(offset))))
        .collect();
    context! { order, offsets => row.offsets(), ..seat_value(info, seat) }
}
