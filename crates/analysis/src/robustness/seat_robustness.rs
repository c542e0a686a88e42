//! How much a seat's result depends on the other seats playing for their own rows.

use super::coalition_search::{CoalitionSearch, ranks_by_winner};
use super::{Coalition, SmallestCoalition};
use crate::lazy::SolvingPlan;
use lastnim_core::game::{AllianceMatrix, BySeat, Game, Position, Row, Seat, SeatSet};
use lastnim_core::oracle::{Budget, GuaranteedRanks, HaltReason, Solution, TakeRobustness};
use std::convert::Infallible;

/// How robust the winner under optimal play is when other seats turn against a seat, assessed for each seat and for
/// each take of the seat to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robustness {
    /// The position.
    pub position: Position,
    /// The seat that wins under optimal play: an equilibrium outcome, which needs every seat to play for its own row.
    pub winner: Seat,
    /// The prospects and guarantees of each seat.
    pub seats: BySeat<SeatRobustness>,
    /// The effect of each take of the seat to move, in ascending order of the takes; empty if the game is over.
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
    /// The winner if all other seats play against this seat, and this seat plays for its own row.
    pub guaranteed_winner: Seat,
    /// The smallest coalition of other seats that worsens this seat's rank by turning against it.
    pub smallest_coalition: SmallestCoalition,
}

impl SeatRobustness {
    /// Returns a seat's robustness as it is known before the search for coalitions: from its predicted and its
    /// guaranteed winner alone.
    pub(crate) fn before_search(
        matrix: &AllianceMatrix,
        seat: Seat,
        predicted_winner: Seat,
        guaranteed_winner: Seat,
    ) -> Self {
        let [predicted_rank, guaranteed_rank] =
            [predicted_winner, guaranteed_winner].map(|winner| matrix.rank(seat, winner) as u32);
        let smallest_coalition = if guaranteed_rank == predicted_rank {
            SmallestCoalition::None
        } else {
            SmallestCoalition::LargerThan { seats: 0, halt: None }
        };
        Self { predicted_rank, guaranteed_rank, guaranteed_winner, smallest_coalition }
    }

    /// Returns the price of trust: the number of ranks by which the guaranteed rank is worse than the predicted one.
    pub fn price_of_trust(&self) -> u32 {
        self.guaranteed_rank - self.predicted_rank
    }
}

impl Robustness {
    /// Assesses the start position of a game, and searches for coalitions of up to `max_coalition` seats.
    ///
    /// The guaranteed ranks take O(N n^3) for all seats, for any number of counters. The search tries coalitions in
    /// order of size, and for each size all seats in turn. Each step of the budget solves one level of a pile, for up
    /// to n seats to move. If the limit or the budget ends the search, the result says so.
    pub fn assess(game: &Game, max_coalition: usize, budget: &mut Budget<'_>) -> Self {
        let (solution, position) = (Solution::new(game), game.first_position());
        let (winner, seats) = (solution.winner(&position), game.matrix.seats());
        let mut assessed = BySeat::from_fn(seats, |seat| {
            let guaranteed_rank = GuaranteedRanks::of_seat(game, seat).rank(&position);
            let offset = game.matrix[seat].offsets()[guaranteed_rank as usize];
            let guaranteed_winner = seats.seat_at_offset(seat, offset.into());
            SeatRobustness::before_search(&game.matrix, seat, winner, guaranteed_winner)
        });
        let (plan, ranks) = (SolvingPlan::for_winner(game), ranks_by_winner(game));
        let Ok(()) = search_coalitions(&mut assessed, max_coalition, |guarded, predicted_rank, size| {
            let search = CoalitionSearch::new(game, &plan, &ranks, guarded, predicted_rank);
            Ok::<_, Infallible>(search.find_of_size(size, budget))
        });
        let takes = TakeRobustness::of_takes(game, &solution, &position);
        Self { position, winner, seats: assessed, takes }
    }

    /// Returns whether the winner under optimal play can hold its rank against all others together.
    pub fn is_winner_sure(&self) -> bool {
        self.seats[self.winner].price_of_trust() == 0
    }
}

/// Searches for coalitions size by size, so that no seat spends budget that other seats need to search for smaller
/// ones. `find` gets a seat, its predicted rank and a size. It returns a coalition of this size that worsens the rank,
/// if there is one, or the reason why it halted.
///
/// # Errors
/// If `find` fails for any reason other than a halt.
pub(crate) fn search_coalitions<E>(
    assessed: &mut BySeat<SeatRobustness>,
    max_coalition: usize,
    mut find: impl FnMut(Seat, u32, usize) -> Result<Result<Option<Coalition>, HaltReason>, E>,
) -> Result<(), E> {
    let seats = assessed.seats();
    for size in 1..=max_coalition.min(seats.get() - 1) {
        for guarded in seats.iter() {
            let figures = &mut assessed[guarded];
            if !matches!(figures.smallest_coalition, SmallestCoalition::LargerThan { halt: None, .. }) {
                continue;
            }
            let found = find(guarded, figures.predicted_rank, size)?;
            figures.smallest_coalition = coalition_search_result(found, size);
        }
    }
    Ok(())
}

/// Returns the matrix after the seats `turned` have turned against `guarded`: each of them now ranks the winners in the
/// reverse of `guarded`'s order.
pub(crate) fn coalition_matrix(matrix: &AllianceMatrix, guarded: Seat, turned: SeatSet) -> AllianceMatrix {
    let seats = matrix.seats();
    let rows = BySeat::from_fn(seats, |seat| {
        if !turned.contains(seat) {
            return matrix[seat].clone();
        }
        let winners = matrix[guarded].offsets().iter().rev();
        let winners = winners.map(|&offset| seats.seat_at_offset(guarded, offset.into()));
        let offsets: Vec<u64> = winners.map(|winner| seats.distance_between(seat, winner) as u64).collect();
        Row::parse(&offsets, seats).expect("a reversed row has each winner once")
    });
    AllianceMatrix::from_rows(rows).expect("each row has an offset for each seat")
}

fn coalition_search_result(found: Result<Option<Coalition>, HaltReason>, size: usize) -> SmallestCoalition {
    match found {
        Ok(Some(coalition)) => SmallestCoalition::Found(coalition),
        Ok(None) => SmallestCoalition::LargerThan { seats: size, halt: None },
        Err(halt) => SmallestCoalition::LargerThan { seats: size - 1, halt: Some(halt) },
    }
}
