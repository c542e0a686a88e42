//! How far the prospects of seats depend on the others playing for their own rows.

use super::coalition_search::{CoalitionSearch, ranks_by_winner};
use super::{Coalition, SmallestCoalition};
use crate::lazy::SolvingPlan;
use lastnim_core::game::{BySeat, Game, Position, Seat};
use lastnim_core::oracle::{Budget, GuaranteedRanks, HaltReason, Solution, TakeRobustness};

/// How robust the winner under optimal play is if others turn against a seat: for each seat, and for each take of the
/// seat to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robustness {
    /// The position.
    pub position: Position,
    /// The seat that wins under optimal play: an equilibrium outcome, which needs every seat to play for its own row.
    pub winner: Seat,
    /// The prospects and guarantees of each seat.
    pub seats: BySeat<SeatRobustness>,
    /// The effect of all takes of the seat to move, in ascending order; empty if the game is over.
    pub takes: Vec<TakeRobustness>,
}

/// A seat's prospects and guarantees. Ranks are places in its own row, 0 (best) to n-1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatRobustness {
    /// The rank of the winner under optimal play.
    pub predicted_rank: u32,
    /// The rank that the seat can guarantee itself against all others together: a minimax value, never better than
    /// `predicted_rank`.
    pub guaranteed_rank: u32,
    /// The winner if all others play against the seat, and it defends itself.
    pub guaranteed_winner: Seat,
    /// The smallest coalition of other seats that worsens its rank by turning against it.
    pub smallest_coalition: SmallestCoalition,
}

impl SeatRobustness {
    /// Returns the price of trust: how many ranks the guaranteed rank is worse than the predicted one.
    pub fn price_of_trust(&self) -> u32 {
        self.guaranteed_rank - self.predicted_rank
    }
}

impl Robustness {
    /// Assesses the start position of a game, with coalitions of up to `max_coalition` seats.
    ///
    /// The guaranteed ranks take O(N n^3) for all seats, for any number of counters. Coalitions are searched by size,
    /// for all seats in turn; a step of the budget is one level of a pile, up to n seats. If the limit or the budget
    /// ends the search, the answer says so.
    pub fn assess(game: &Game, max_coalition: usize, budget: &mut Budget<'_>) -> Self {
        let (solution, position) = (Solution::new(game), game.first_position());
        let (winner, seats) = (solution.winner(&position), game.matrix.seats());
        let mut assessed = BySeat::from_fn(seats, |seat| {
            let predicted_rank = game.matrix.rank(seat, winner) as u32;
            let guaranteed_rank = GuaranteedRanks::of_seat(game, seat).rank(&position);
            let offset = game.matrix[seat].offsets()[guaranteed_rank as usize];
            let smallest_coalition = if guaranteed_rank == predicted_rank {
                SmallestCoalition::None
            } else {
                SmallestCoalition::LargerThan { seats: 0, halt: None }
            };
            let guaranteed_winner = seats.seat_at_offset(seat, offset.into());
            SeatRobustness { predicted_rank, guaranteed_rank, guaranteed_winner, smallest_coalition }
        });
        search_coalitions(game, &mut assessed, max_coalition, budget);
        let takes = TakeRobustness::of_takes(game, &solution, &position);
        Self { position, winner, seats: assessed, takes }
    }

    /// Returns whether the winner under optimal play can hold its rank against all others together.
    pub fn is_winner_sure(&self) -> bool {
        self.seats[self.winner].price_of_trust() == 0
    }
}

/// Searches coalitions size by size, so that no seat spends the budget that others need for smaller ones.
fn search_coalitions(
    game: &Game,
    assessed: &mut BySeat<SeatRobustness>,
    max_coalition: usize,
    budget: &mut Budget<'_>,
) {
    let (plan, ranks) = (SolvingPlan::for_winner(game), ranks_by_winner(game));
    let seats = game.matrix.seats();
    for size in 1..=max_coalition.min(seats.get() - 1) {
        for guarded in seats.iter() {
            let figures = &mut assessed[guarded];
            if !matches!(figures.smallest_coalition, SmallestCoalition::LargerThan { halt: None, .. }) {
                continue;
            }
            let search = CoalitionSearch::new(game, &plan, &ranks, guarded, figures.predicted_rank);
            figures.smallest_coalition = found_so_far(search.find_of_size(size, budget), size);
        }
    }
}

fn found_so_far(found: Result<Option<Coalition>, HaltReason>, size: usize) -> SmallestCoalition {
    match found {
        Ok(Some(coalition)) => SmallestCoalition::Found(coalition),
        Ok(None) => SmallestCoalition::LargerThan { seats: size, halt: None },
        Err(halt) => SmallestCoalition::LargerThan { seats: size - 1, halt: Some(halt) },
    }
}
