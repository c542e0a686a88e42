//! The takes by which bots open matches.

use super::{AuditedMatch, RowSource, audited_match::BotPly};
use lastnim_core::game::Seat;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Maximum number of seats at a table for which the effects of the best takes for other bots are kept.
pub(super) const MAX_HELP_SEATS: usize = 8;
/// The number of units into which a rank is divided, so that mean gains can be stored as integers.
pub(super) const UNITS_PER_RANK: i64 = 1 << 16;

/// The classes of the other places, as seen by the bot that opens a match. For each offset from 1 on, the class is the
/// first offset whose place has the same row; with assigned rows, all places are in one class. Bots at places of the
/// same class could be exchanged without changing the game.
pub(super) type PlaceClasses = Vec<u8>;

/// The takes by which a bot opened matches where an error was possible.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OpeningTakes {
    /// The number of opening takes.
    pub(super) opened: i64,
    /// The number of errors among the opening takes.
    pub(super) errors: i64,
    /// By offset, from 1 on: the ranks that these takes gained for the place at this offset.
    pub(super) gains: Vec<i64>,
    /// By offset, from 1 on: the mean gain of the possible errors for the place at this offset, summed over the opening
    /// takes, in units of 1/[`UNITS_PER_RANK`] rank.
    pub(super) usual: Vec<i64>,
    /// By offset, from 1 on: the effects that the best takes for the place at this offset would have had; empty at
    /// tables with more than [`MAX_HELP_SEATS`] seats.
    pub(super) help: Vec<Help>,
}

/// The effects that the best takes for one place would have had.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Help {
    /// The number of errors among the best takes.
    pub(super) errors: i32,
    /// By offset, from 1 on: the ranks that these takes would have gained for the place at this offset.
    pub(super) gains: Vec<i32>,
}

impl OpeningTakes {
    /// Adds the opening takes of other matches; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; opened, errors);
        add_each_checked(&mut self.gains, other.gains, i64::checked_add)?;
        add_each_checked(&mut self.usual, other.usual, i64::checked_add)?;
        self.help.resize_with(other.help.len(), Help::default);
        for (help, more) in self.help.iter_mut().zip(other.help) {
            add_fields!(help, more; errors);
            add_each_checked(&mut help.gains, more.gains, i32::checked_add)?;
        }
        Some(())
    }

    /// Returns whether the sums can belong to tables with this many seats.
    pub(super) fn is_possible(&self, seats: usize) -> bool {
        let others = seats - 1;
        self.opened > 0
            && (0..=self.opened).contains(&self.errors)
            && self.gains.len() == others
            && self.usual.len() == others
            && self.help.len() == if seats <= MAX_HELP_SEATS { others } else { 0 }
            && self.help.iter().all(|help| help.gains.len() == others)
    }

    pub(super) fn add_opening(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let (seats, matrix) = (game.bots.seats(), &game.game.matrix);
        let places: Vec<Seat> =
            (1..seats.get()).map(|offset| seats.seat_at_offset(ply.audit.seat, offset)).collect();
        let best = ply.audit.predicted_before;
        let gain = |place: Seat, winner: Seat| {
            matrix.rank(place, best).cast_signed() as i64 - matrix.rank(place, winner).cast_signed() as i64
        };
        self.opened += 1;
        self.errors += i64::from(!ply.audit.is_optimal());
        add_each(&mut self.gains, places.iter().map(|&place| gain(place, ply.audit.predicted_after)));
        let errors = || ply.outcomes.iter().filter(|&&(winner, _)| winner != best);
        let takes: i128 = errors().map(|&(_, takes)| i128::from(takes)).sum();
        let usual = |place: Seat| {
            let gains = errors().map(|&(winner, takes)| i128::from(takes) * i128::from(gain(place, winner)));
            i64::try_from(i128::from(UNITS_PER_RANK) * gains.sum::<i128>() / takes)
                .expect("a mean gain is small")
        };
        add_each(&mut self.usual, places.iter().map(|&place| usual(place)));
        if seats.get() <= MAX_HELP_SEATS {
            self.help.resize_with(places.len(), Help::default);
            for (help, &helped) in self.help.iter_mut().zip(&places) {
                let winners = ply.outcomes.iter().map(|&(winner, _)| winner);
                let winner = winners.min_by_key(|&winner| matrix.rank(helped, winner)).unwrap_or(best);
                help.errors += i32::from(winner != best);
                add_each(&mut help.gains, places.iter().map(|&place| gain(place, winner) as i32));
            }
        }
    }
}

/// Returns the classes of the other places, as seen from a seat.
pub(super) fn place_classes(game: &AuditedMatch<'_>, seat: Seat) -> PlaceClasses {
    let (seats, matrix) = (game.bots.seats(), &game.game.matrix);
    let row = |offset| &matrix[seats.seat_at_offset(seat, offset)];
    let class = |offset: usize| {
        let is_same = |&other: &usize| game.rows == RowSource::Assigned || row(other) == row(offset);
        (1..seats.get()).find(is_same).unwrap_or(offset) as u8
    };
    (1..seats.get()).map(class).collect()
}

/// Adds each number to the sum at its place, and appends sums as needed.
pub(super) fn add_each<N: AddAssign>(sums: &mut Vec<N>, numbers: impl Iterator<Item = N>) {
    for (at, number) in numbers.enumerate() {
        match sums.get_mut(at) {
            Some(sum) => *sum += number,
            None => sums.push(number),
        }
    }
}

/// Adds each number to the sum at its place, and appends sums as needed; returns `None` if a sum is too large.
pub(super) fn add_each_checked<N: Copy>(
    sums: &mut Vec<N>,
    numbers: Vec<N>,
    add: impl Fn(N, N) -> Option<N>,
) -> Option<()> {
    for (at, number) in numbers.into_iter().enumerate() {
        match sums.get_mut(at) {
            Some(sum) => *sum = add(*sum, number)?,
            None => sums.push(number),
        }
    }
    Some(())
}
