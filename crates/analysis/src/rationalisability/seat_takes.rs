//! The takes of a seat in a game, and their outcomes.

use crate::lazy::OptimalityCheck;
use lastnim_core::{
    game::{AllianceMatrix, Game, IllegalTake, Row, Seat},
    oracle::{Mover, PlayedTake, recurrence::RankRecurrence},
};

/// The takes that a seat's own bot made in one game when it had a choice.
#[derive(Debug, Clone)]
pub(super) struct SeatTakes {
    pub(super) game: Game,
    pub(super) seat: Seat,
    /// Number of all takes that the seat's bot made.
    pub(super) all: u64,
    /// The takes that the bot made when it had a choice, in order of play.
    pub(super) takes: Vec<CheckedTake>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedTake {
    pub(super) ply: u32,
    pub(super) check: OptimalityCheck,
}

impl SeatTakes {
    /// Replays a game and collects the seat's takes. An error includes the ply of the illegal take.
    pub(super) fn replay(game: &Game, seat: Seat, played: &[PlayedTake]) -> Result<Self, (u32, IllegalTake)> {
        let mut position = game.first_position();
        let (mut all, mut takes) = (0, Vec::new());
        for (ply, &PlayedTake { take, mover }) in (0..).zip(played) {
            let (pile, counters) = (position.pile_index(), position.counters());
            let is_own = position.to_move() == seat && mover == Mover::Bot;
            position.take(take).map_err(|error| (ply, error))?;
            all += u64::from(is_own);
            if is_own && counters > 1 {
                takes.push(CheckedTake {
                    ply,
                    check: OptimalityCheck { pile, counters, left: counters - take },
                });
            }
        }
        Ok(Self { game: game.clone(), seat, all, takes })
    }

    pub(super) fn optimality_checks(&self) -> Vec<OptimalityCheck> {
        self.takes.iter().map(|take| take.check).collect()
    }

    /// For each take, calls `visit` with the index of the take, the winners after each possible take at that ply, and
    /// the winner after the take itself. The winners are offsets from the seat, and they assume that play continues by
    /// the rows of `matrix`.
    pub(super) fn visit_prospects(
        &self,
        matrix: &AllianceMatrix,
        mut visit: impl FnMut(usize, &[usize], usize),
    ) {
        let Some(highest) = self.takes.iter().map(|take| take.check.pile).max() else { return };
        let (seats, recurrence) = (matrix.seats(), RankRecurrence::of_matrix(matrix));
        let next = seats.next(self.seat);
        let mut prefix = RankRecurrence::ranks_when_over(matrix, self.game.ending);
        for (pile, &counters) in self.game.piles.as_slice().iter().enumerate().take(highest + 1) {
            for (place, &CheckedTake { check, .. }) in self.takes.iter().enumerate() {
                if check.pile != pile {
                    continue;
                }
                let limit = usize::try_from(check.counters).unwrap_or(usize::MAX);
                let by_left: Vec<_> = recurrence
                    .ranks_by_counters(&prefix)
                    .take(limit)
                    .map(|ranks| {
                        seats.distance_between(self.seat, RankRecurrence::winner(matrix, &ranks, next))
                    })
                    .collect();
                let left = usize::try_from(check.left).unwrap_or(usize::MAX).min(by_left.len() - 1);
                visit(place, &by_left, by_left[left]);
            }
            prefix = recurrence.ranks_with_pile(&prefix, counters);
        }
    }

    /// Calls `visit` with the index of each take that is not optimal if the seat's row is `row` and everyone knows it.
    pub(super) fn visit_refuting_takes(&self, row: &Row, mut visit: impl FnMut(usize)) {
        let matrix = self.game.matrix.clone().with_row(self.seat, row.clone());
        self.visit_prospects(&matrix, |place, all, led_to| {
            let rank = row.rank_of_offset(led_to);
            if all.iter().any(|&other| row.rank_of_offset(other) < rank) {
                visit(place);
            }
        });
    }
}
