//! What a pact was worth, and what its breach cost.

use super::{Deal, rank_losses, winner_with};
use crate::{PartialRow, declarations::best_rank_among};
use lastnim_core::{
    game::{BySeat, Pact, PactMember, Row, Seat},
    oracle::{Budget, HaltReason},
};

/// What a pact was worth to each seat, and how its members behaved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PactMeasures {
    /// The winner if each member declares the row nearest to its dealt row that keeps the pact, and all other seats
    /// declare their dealt rows.
    pub winner_if_kept: Seat,
    /// The value of the pact to each seat j, in ranks, -(n-1) to n-1: `rank_j(v(D)) - rank_j(winner_if_kept)`.
    pub values: BySeat<i32>,
    /// The measures of each member, in seat order.
    pub members: Vec<PactMemberMeasures>,
}

/// What a member of a pact did, and what it could have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PactMemberMeasures {
    /// The member, i.
    pub seat: Seat,
    /// Whether its declared row keeps the pact.
    pub is_kept: bool,
    /// `k_i`: the keeping row nearest to the declared row; of several, the lexicographically first. It is the declared
    /// row if that one keeps the pact.
    pub nearest_keeping_row: Row,
    /// The temptation, in ranks, 0 to n-1, of the member to break the pact, given the declarations of the others: the
    /// minimum of `rank_i(v(r, d_-i))` over the rows r that keep the pact, minus its minimum over all rows. An error
    /// says why the search for these rows stopped.
    pub temptation: Result<u32, HaltReason>,
    /// The harm of the breach to each seat j, in ranks, -(n-1) to n-1: `rank_j(v(d)) - rank_j(v(k_i, d_-i))`. All are 0
    /// if the pact was kept.
    pub harms: BySeat<i32>,
}

/// A promise that a seat cannot keep together with earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubleDealing {
    /// The seat.
    pub seat: Seat,
    /// The index of the pact with this promise.
    pub pact: usize,
    /// The indices of earlier pacts whose promises contradict it together: if any of these is left out, all others can
    /// be kept.
    pub earlier: Vec<usize>,
}

impl PactMeasures {
    /// Measures a pact of the deal. Nearest means the smallest Kendall distance; ties go to the lexicographically first
    /// row.
    pub(super) fn measure(deal: &Deal, pact: &Pact, budget: &mut Budget<'_>) -> Self {
        let (game, dealt) = (deal.dealt_game(), deal.dealt());
        let if_kept = pact.members().iter().fold(dealt.clone(), |matrix, member| {
            matrix.with_row(member.seat, member.constraint.nearest_row(&dealt[member.seat]))
        });
        let winner_if_kept = winner_with(game, &if_kept);
        Self {
            winner_if_kept,
            values: rank_losses(dealt, winner_if_kept, winner_with(game, dealt)),
            members: pact
                .members()
                .iter()
                .map(|member| PactMemberMeasures::measure(deal, member, budget))
                .collect(),
        }
    }
}

impl PactMemberMeasures {
    fn measure(deal: &Deal, member: &PactMember, budget: &mut Budget<'_>) -> Self {
        let &PactMember { seat, constraint } = member;
        let declared = &deal.declared()[seat];
        let nearest_keeping_row = constraint.nearest_row(declared);
        let with_keeping_row = deal.declared().clone().with_row(seat, nearest_keeping_row.clone());
        let [if_kept, winner] =
            [&with_keeping_row, deal.declared()].map(|matrix| winner_with(deal.dealt_game(), matrix));
        Self {
            seat,
            is_kept: member.is_kept_by(declared),
            nearest_keeping_row,
            temptation: find_temptation(deal, member, budget),
            harms: rank_losses(deal.dealt(), if_kept, winner),
        }
    }
}

fn find_temptation(deal: &Deal, member: &PactMember, budget: &mut Budget<'_>) -> Result<u32, HaltReason> {
    let game = deal.game_if_truthful(member.seat);
    let best_keeping = best_rank_among(&game, member.seat, member.constraint, budget)?;
    let best = best_rank_among(&game, member.seat, PartialRow::unknown(game.matrix.seats()), budget)?;
    Ok((best_keeping - best) as u32)
}

impl DoubleDealing {
    /// Finds the promises of each seat that it cannot keep together with its earlier ones. A promise that is found is
    /// left out when later ones are examined.
    pub(super) fn find_all(pacts: &[Pact]) -> Vec<Self> {
        let seats = pacts.first().into_iter().flat_map(|pact| pact.seats().iter());
        seats.flat_map(|seat| Self::find_of_seat(pacts, seat)).collect()
    }

    fn find_of_seat(pacts: &[Pact], seat: Seat) -> Vec<Self> {
        let promises = pacts.iter().enumerate();
        let promises: Vec<(usize, &PartialRow)> =
            promises.filter_map(|(pact, terms)| Some((pact, terms.constraint(seat)?))).collect();
        let (mut compatible, mut found) = (Vec::new(), Vec::new());
        for promise @ (pact, _) in promises {
            compatible.push(promise);
            if can_keep_all(&compatible) {
                continue;
            }
            // Leave out each earlier promise without which the others still contradict the new one.
            let mut contradictory = compatible.clone();
            let mut place = 0;
            while place + 1 < contradictory.len() {
                let left_out = contradictory.remove(place);
                if can_keep_all(&contradictory) {
                    contradictory.insert(place, left_out);
                    place += 1;
                }
            }
            contradictory.pop();
            compatible.pop();
            found.push(Self { seat, pact, earlier: contradictory.iter().map(|&(pact, _)| pact).collect() });
        }
        found
    }
}

/// Returns whether some row agrees with all these partial rows.
fn can_keep_all(promises: &[(usize, &PartialRow)]) -> bool {
    let (_, &first) = promises[0];
    promises[1..].iter().try_fold(first, |all, (_, constraint)| all.with_all(constraint)).is_some()
}
