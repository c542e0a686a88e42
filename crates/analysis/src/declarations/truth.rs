//! Whether truthful declaration is an equilibrium.

use super::{BestDeclaration, DeclarationProspect};
use lastnim_core::{
    game::{Game, Row, Seat},
    oracle::{Budget, HaltReason},
};

/// A seat that does better by declaring a row other than its true one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The seat that does better.
    pub seat: Seat,
    /// The better row.
    pub row: Row,
    /// The seat's outcome if it declares its true row.
    pub truthful: DeclarationProspect,
    /// The seat's outcome if it declares the better row, which is the best of all rows examined.
    pub deviating: DeclarationProspect,
}

/// Whether truthful declarations by all seats are a pure Nash equilibrium of the simultaneous declaration game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TruthCheck {
    /// No seat does better by declaring another row.
    Equilibrium,
    /// This seat does better by declaring another row.
    Refuted(Deviation),
    /// No examined row is better for its seat, but the budget ran out.
    Unsettled {
        /// The seat whose rows were being examined; the seats before it have no better row.
        seat: Seat,
        /// Why the search stopped.
        halt: HaltReason,
    },
}

impl TruthCheck {
    /// Looks for a seat that does better with another row, in seat order. Steps of the budget are counted as in
    /// [`BestDeclaration::find`].
    pub fn check(game: &Game, budget: &mut Budget<'_>) -> Self {
        for seat in game.matrix.seats().iter() {
            let best = BestDeclaration::find(game, seat, budget);
            if !best.is_truth_best() {
                let row = best.rows.rows().next().expect("a row leads to the best outcome");
                let (truthful, deviating) = (best.truthful, best.best);
                return Self::Refuted(Deviation { seat, row, truthful, deviating });
            }
            if let (false, super::Completeness::Partial { halt, .. }) = (best.is_best_certain(), best.settled)
            {
                return Self::Unsettled { seat, halt };
            }
        }
        Self::Equilibrium
    }
}
