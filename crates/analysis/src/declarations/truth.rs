//! Whether the truth is an equilibrium.

use super::{BestDeclaration, DeclarationProspect};
use lastnim_core::{
    game::{Game, Row, Seat},
    oracle::{Budget, HaltReason},
};

/// A seat that is better off with another row than its true one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The seat.
    pub seat: Seat,
    /// The row that it had better declare.
    pub row: Row,
    /// What its true row leads to.
    pub truthful: DeclarationProspect,
    /// What the other row leads to: the best that the seat can reach, as far as is settled.
    pub deviating: DeclarationProspect,
}

/// Whether all seats declaring their true rows is a pure Nash equilibrium of the simultaneous declaration game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TruthCheck {
    /// No seat is better off with another row.
    Equilibrium,
    /// A seat is.
    Refuted(Deviation),
    /// No row that was looked at is better for its seat, but the budget did not last for all.
    Unsettled {
        /// The seat whose rows were being looked at; those before it have nothing better.
        seat: Seat,
        /// Why it stopped.
        halt: HaltReason,
    },
}

impl TruthCheck {
    /// Looks for a seat that is better off with another row, the first seat first. A step is that of
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
