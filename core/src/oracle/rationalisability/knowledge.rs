//! The reading in which the row is common knowledge.

use super::{
    Contradiction,
    explained::Explained,
    rationalisable_rows::{Added, Limits},
    shortest::Evidence,
    takes_of_seat::TakesOfSeat,
};
use crate::{
    game::SeatCount,
    oracle::{Budget, RowSet},
};

/// What is known of a row that everybody knows.
#[derive(Debug, Clone)]
pub(super) struct Knowledge {
    seats: SeatCount,
    limits: Limits,
    rows: RowSet,
    /// The games that narrowed the rows.
    narrowing: KeptGames,
    /// Others, which may make a contradiction shorter.
    others: KeptGames,
    takes_forgotten: u64,
}

/// Games that are kept, with their numbers.
#[derive(Debug, Clone, Default)]
struct KeptGames {
    games: Vec<(u64, TakesOfSeat)>,
    takes: usize,
}

impl KeptGames {
    fn has_room(&self, takes: &TakesOfSeat, limits: Limits) -> bool {
        self.takes + takes.takes.len() <= limits.most_takes
    }

    fn push(&mut self, number: u64, takes: TakesOfSeat) {
        self.takes += takes.takes.len();
        self.games.push((number, takes));
    }
}

impl Knowledge {
    pub(super) fn new(seats: SeatCount, limits: Limits) -> Self {
        let (narrowing, others) = (KeptGames::default(), KeptGames::default());
        Self { seats, limits, rows: RowSet::full(seats), narrowing, others, takes_forgotten: 0 }
    }

    pub(super) fn rows(&self) -> &RowSet {
        &self.rows
    }

    pub(super) fn add(&mut self, number: u64, takes: TakesOfSeat, budget: &mut Budget<'_>) -> Added {
        if takes.takes.is_empty() {
            return Added::Counted;
        }
        let (leaves, most) = (self.rows.leaves(), self.limits.most_leaves);
        match Explained::of(leaves, &takes.game, takes.seat, &takes.checks(), most, budget) {
            Err(left_out) => return left_out,
            Ok(Explained::Only(_)) if !self.narrowing.has_room(&takes, self.limits) => {
                return Added::TooManyTakes;
            }
            Ok(Explained::Only(leaves)) => {
                self.rows = RowSet::of_disjoint(self.seats, leaves);
                self.narrowing.push(number, takes);
            }
            Ok(Explained::All) if self.others.has_room(&takes, self.limits) => {
                self.others.push(number, takes);
            }
            Ok(Explained::All) => self.takes_forgotten += takes.takes.len() as u64,
        }
        Added::Counted
    }

    pub(super) fn contradiction(&self, budget: &mut Budget<'_>) -> Option<Contradiction> {
        self.rows.is_empty().then(|| {
            let [narrowing, others] = [&self.narrowing, &self.others].map(|kept| kept.games.as_slice());
            Evidence::new(self.seats, narrowing, others).contradiction(self.takes_forgotten, budget)
        })
    }
}
