//! Optimal play of two alliances.

use super::{Alliances, TiedSolution};
use lastnim_core::game::{BySeat, Ending, Position, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The solution of a position for two alliances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllianceSolution {
    /// By first seat: the seats of the alliance that wins.
    pub winning_by_first: BySeat<SeatSet>,
    /// The takes that keep the win of the mover's alliance, as ranges in ascending order; all takes if it loses, none if
    /// the game is over.
    pub optimal_takes: Vec<TakeRange>,
}

impl AllianceSolution {
    /// Solves a position, as rows with ties: [`Alliances::tied_matrix`].
    ///
    /// Two sides with opposed aims have a value: all equilibria lead to the same alliance, and a take is optimal in all
    /// of them or in none. A step of the budget is one level of a pile with one seat to move.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the alliances have another number of seats than the position.
    pub fn solve(
        position: &Position,
        alliances: &Alliances,
        ending: Ending,
        budget: &mut Budget<'_>,
    ) -> Result<Self, HaltReason> {
        let solved = TiedSolution::solve(position, &alliances.tied_matrix(), ending, budget)?;
        let winning_by_first = solved.winners_by_first.map(|winners| {
            let winner = winners.iter().next().expect("a position has a winner");
            alliances.alliance_of(winner)
        });
        Ok(Self { winning_by_first, optimal_takes: solved.optimal_in_some })
    }
}
