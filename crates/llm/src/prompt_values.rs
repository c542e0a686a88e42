//! The values that templates of prompts can use.

use super::{
    match_memory::EarlierAnswer,
    prompt::PromptContext,
    question::{Answer, Question},
    row_notation::RowNotation,
    talk_values::talk_values,
};
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

/// The maximum length of a reason that a prompt repeats.
const MAX_REPEATED_WHY_CHARS: usize = 500;

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
            time_left: rounded_seconds(time_left),
            initial: clock.initial.as_secs_f64(),
            increment: clock.increment.as_secs_f64(),
            declaration: clock.declaration.as_secs_f64(),
        }
    }
}

/// Rounds a time down to one significant digit, so that nearly all questions of a match name the same time.
fn rounded_seconds(time: Duration) -> f64 {
    let seconds = time.as_secs();
    let unit = 10_u64.pow(seconds.checked_ilog10().unwrap_or_default());
    Duration::from_secs(seconds / unit * unit).as_secs_f64()
}

/// Returns the values for a question, which `docs/reference/language-models.md` lists.
pub fn prompt_values(
    question: &Question<'_>,
    clock: ClockValues,
    context: &PromptContext,
    rows: RowNotation,
) -> Value {
    let info = question.info();
    let shown = ShownSeats { info, is_blind: context.is_blind };
    let seats: Vec<Value> = info.seats().iter().map(|seat| shown.seat_value(seat)).collect();
    let common = context! {
        question => question.key(),
        seat => info.seat.index(),
        seats,
        seat_count => info.seats().get(),
        blind => context.is_blind,
        scoring => context.scoring.name(),
        think => context.think.to_string(),
        first_seat => info.first.index(),
        ending => info.ending.name(),
        start_piles => info.piles.as_slice().to_vec(),
        rows_are_assigned => info.rows_are_assigned(),
        dealt_row => info.dealt_row.as_ref().map(|row| shown.row_value(info.seat, row)),
        talk => talk_values(question, shown, context),
        strikes => info.terms.strikes,
        max_plies => info.terms.max_plies,
        time_left => clock.time_left,
        clock => context! {
            initial => clock.initial,
            increment => clock.increment,
            declaration => clock.declaration,
        },
    };
    let common = match rows {
        RowNotation::Seats => common,
        RowNotation::Offsets => context! { offsets => shown.offset_values(), ..common },
    };
    match question {
        Question::Talk(_) | Question::Row(_) => common,
        Question::Take(view) => {
            let memory: Vec<Value> = context.memory.iter().map(|said| memory_value(info, said)).collect();
            context! { ..take_values(view, shown), ..context! { memory, ..common } }
        }
    }
}

fn take_values(view: &MatchView, shown_seats: ShownSeats<'_>) -> Value {
    let rows: Vec<Value> =
        view.seats().iter().map(|seat| shown_seats.row_value(seat, &view.matrix()[seat])).collect();
    let known = view.seen_takes();
    let shown = &known[known.len().saturating_sub(MAX_SHOWN_TAKES)..];
    let takes: Vec<Value> = shown
        .iter()
        .map(|seen| {
            context! {
                ply => seen.ply,
                take => seen.take,
                by_steward => seen.mover == Mover::Steward,
                ..shown_seats.seat_value(seen.before.to_move())
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

/// The seats of a match, as a prompt shows them.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownSeats<'a> {
    pub(super) info: &'a MatchInfo,
    is_blind: bool,
}

impl ShownSeats<'_> {
    /// Describes a seat: its number, its bot, and whether it is the model's own. If names are hidden, the seat replaces
    /// the name of the bot.
    pub(super) fn seat_value(self, seat: Seat) -> Value {
        let is_own = seat == self.info.seat;
        let name = if is_own { format!("seat {seat} (you)") } else { format!("seat {seat}") };
        let bot = if self.is_blind { format!("seat {seat}") } else { self.info.bots[seat].to_string() };
        context! { seat => seat.index(), bot, is_own, name }
    }

    /// Describes the seats, starting with the bot's own seat, for version 1 of the prompt.
    fn offset_values(self) -> Vec<Value> {
        let seats = self.info.seats();
        let offsets = (0..seats.get()).map(|offset| {
            context! { offset, ..self.seat_value(seats.seat_at_offset(self.info.seat, offset)) }
        });
        offsets.collect()
    }

    /// Describes a row: its seat, and the seats in its preference order.
    pub(super) fn row_value(self, seat: Seat, row: &Row) -> Value {
        let seats = self.info.seats();
        let order = RowNotation::Seats.numbers_of(row, seat, seats).into_iter();
        let order: Vec<Value> =
            order.filter_map(|number| seats.seat(number).ok()).map(|seat| self.seat_value(seat)).collect();
        context! { order, ..self.seat_value(seat) }
    }
}

/// Describes an earlier answer of the model, with its reason on one line.
fn memory_value(info: &MatchInfo, said: &EarlierAnswer) -> Value {
    let claims = &said.given.claims;
    let why = claims.why.as_deref().map(|why| {
        let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(MAX_REPEATED_WHY_CHARS).collect::<String>()
    });
    let (row, take) = match &said.given.answer {
        Answer::Talk(_) => (None, None),
        Answer::Row(row) => (Some(RowNotation::Seats.numbers_of(row, info.seat, info.seats())), None),
        Answer::Take(take) => (None, Some(*take)),
    };
    context! {
        question => if said.ply.is_none() { "row" } else { "take" },
        ply => said.ply,
        row,
        take,
        why,
        win_probability => claims.win_probability,
        wants => claims.wants.map(Seat::index),
        plan => claims.plan.map(Seat::index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_down_to_one_digit() {
        let rounded = |seconds: f64| rounded_seconds(Duration::from_secs_f64(seconds)).to_string();
        assert_eq!(
            [0.9, 1.5, 59.0, 60.0, 895.9, 3_595.0].map(rounded),
            ["0", "1", "50", "60", "800", "3000"]
        );
    }
}
