//! How bots are assigned to seats.

use crate::{Pairing, SeededDraw, Settings};
use lastnim_core::game::{BotName, BySeat, SeatCount};

/// The seating rules of a tournament.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeatAssigner {
    seats: SeatCount,
    seed: u64,
}

impl SeatAssigner {
    pub(super) fn of_settings(settings: &Settings) -> Self {
        Self { seats: settings.seats, seed: settings.seed }
    }

    /// Returns the number of seats in a match.
    pub(super) fn seats(&self) -> usize {
        self.seats.get()
    }

    /// Creates a match of a duplicate group. The order in which the bots of a group sit is drawn from the seed, because
    /// it matters a lot with three or more seats and a random order evens this out over the groups. All rotations of a
    /// group keep its order.
    pub(super) fn make_pairing<'a>(
        &self,
        (number, group, rotation): (u64, u64, usize),
        position: usize,
        table: impl IntoIterator<Item = &'a BotName>,
    ) -> Pairing {
        let n = self.seats();
        let mut order: Vec<&BotName> = table.into_iter().collect();
        SeededDraw::new(self.seed, !group).shuffle(&mut order);
        let bots = BySeat::from_fn(self.seats, |seat| order[(seat.index() + n - rotation) % n].clone());
        Pairing { number, group, position, bots, rotation }
    }

    /// Creates the match with this number, for formats in which each group has one match per rotation.
    pub(super) fn make_rotated_pairing<'a>(
        &self,
        number: u64,
        position: usize,
        table: impl IntoIterator<Item = &'a BotName>,
    ) -> Pairing {
        let n = self.seats() as u64;
        self.make_pairing((number, number / n, (number % n) as usize), position, table)
    }
}
