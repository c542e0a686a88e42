//! Whether truthful declaration is an equilibrium.

use super::{BestDeclaration, DeclarationProspect};
use lastnim_core::{
    game::{Game, Row, Seat},
    oracle::{Budget, HaltReason},
};

/// A seat that does better with another row than its true one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The seat.
    pub seat: Seat,
    /// The better row.
    pub row: Row,
    /// The outcome of its true row.
    pub truthful: DeclarationProspect,
    /// The outcome of the better row: the best of those examined.
    pub deviating: DeclarationProspect,
}

/// Whether all seats declaring their true rows is a pure Nash equilibrium of the simultaneous declaration game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TruthCheck {
    /// No seat does better with another row.
    Equilibrium,
    /// A seat does better with another row.
    Refuted(Deviation),
    /// No examined row is better for its seat, but the budget ran out.
    Unsettled {
        /// The seat whose rows were being examined; the seats before it have no better row.
        seat: Seat,
        /// Why it stopped.
        halt: HaltReason,
    },
}

impl TruthCheck {
    /// Looks for a seat that does better with another row, in seat order. A step is the same as in
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
