//! Optimal play between two alliances.

use super::{Alliances, TiedSolution};
use lastnim_core::game::{BySeat, Ending, Position, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The solution of a position in which two alliances play against each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllianceSolution {
    /// By first seat: the seats of the alliance that wins.
    pub winning_by_first: BySeat<SeatSet>,
    /// The takes with which the mover's alliance keeps its win, as ranges in ascending order; all takes if that
    /// alliance loses anyway, and none if the game is over.
    pub optimal_takes: Vec<TakeRange>,
}

impl AllianceSolution {
    /// Solves a position by treating the alliances as rows with ties (see [`Alliances::tied_matrix`]).
    ///
    /// A game between two sides with opposed aims has a value: the same alliance wins in all equilibria, and a take is
    /// optimal in all of them or in none. Each step of the budget solves one level of a pile for one seat to move.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the alliances and the position have different numbers of seats.
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
