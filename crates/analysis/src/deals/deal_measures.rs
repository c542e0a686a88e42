//! What the declarations of a deal were worth.

use super::{Deal, DoubleDealing, PactMeasures, kendall_distance, rank_losses, winner_with};
use crate::{PartialRow, declarations::best_rank_among};
use lastnim_core::{
    game::{BySeat, Seat},
    oracle::{Budget, HaltReason},
};

/// What the declarations and the pacts of a deal were worth to each seat, if play is optimal for the declared rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DealMeasures {
    /// `v(D)`: the winner if every seat had declared its dealt row.
    pub truthful_winner: Seat,
    /// `v(d)`: the winner with the declared rows.
    pub declared_winner: Seat,
    /// The measures of each seat's declaration.
    pub declarations: BySeat<DeclarationMeasures>,
    /// The measures of each pact, in the order of the deal.
    pub pacts: Vec<PactMeasures>,
    /// The promises that contradict earlier ones.
    pub double_dealing: Vec<DoubleDealing>,
}

/// What one seat's declaration was worth, given the declarations of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationMeasures {
    /// The declaring seat, i.
    pub seat: Seat,
    /// The Kendall distance between `D_i` and `d_i`, 0 to n(n-1)/2 pairs of winners; 0 means that the seat told the
    /// truth.
    pub distance: usize,
    /// `v(D_i, d_-i)`: the winner if this seat had told the truth.
    pub winner_if_truthful: Seat,
    /// What this declaration cost each seat j, in ranks, -(n-1) to n-1: `rank_j(v(d)) - rank_j(v(D_i, d_-i))`. All are
    /// 0 if the seat told the truth.
    pub costs: BySeat<i32>,
    /// The ranks, 0 to n-1, that the seat lost by not declaring its best row: `rank_i(v(d)) - min_r rank_i(v(r, d_-i))`
    /// over all rows r. An error says why the search for that row stopped.
    pub missed: Result<u32, HaltReason>,
}

impl DealMeasures {
    /// Measures the declarations and pacts of a deal.
    ///
    /// The best rows of a seat are found by lazy branching: in each leaf, each level of a pile costs one step of the
    /// budget. Everything else takes polynomial time, or a table of 2^n sets for a pact.
    pub fn measure(deal: &Deal, budget: &mut Budget<'_>) -> Self {
        let declared_winner = winner_with(deal.dealt_game(), deal.declared());
        Self {
            truthful_winner: winner_with(deal.dealt_game(), deal.dealt()),
            declared_winner,
            declarations: BySeat::from_fn(deal.dealt().seats(), |seat| {
                DeclarationMeasures::measure(deal, seat, declared_winner, budget)
            }),
            pacts: deal.pacts().iter().map(|pact| PactMeasures::measure(deal, pact, budget)).collect(),
            double_dealing: DoubleDealing::find_all(deal.pacts()),
        }
    }
}

impl DeclarationMeasures {
    fn measure(deal: &Deal, seat: Seat, declared_winner: Seat, budget: &mut Budget<'_>) -> Self {
        let if_truthful = deal.game_if_truthful(seat);
        let winner_if_truthful = winner_with(&if_truthful, &if_truthful.matrix);
        let best = best_rank_among(&if_truthful, seat, PartialRow::unknown(deal.dealt().seats()), budget);
        let reached = deal.dealt().rank(seat, declared_winner);
        Self {
            seat,
            distance: kendall_distance(&deal.dealt()[seat], &deal.declared()[seat]),
            winner_if_truthful,
            costs: rank_losses(deal.dealt(), winner_if_truthful, declared_winner),
            missed: best.map(|best| (reached - best) as u32),
        }
    }

    /// Returns the gain of the lie, in ranks, -(n-1) to n-1: `rank_i(v(D_i, d_-i)) - rank_i(v(d))`.
    pub fn gain(&self) -> i32 {
        -self.costs[self.seat]
    }
}
