//! The takes at which a seat could choose between winners, and its choices.

use super::AuditedMatch;
use lastnim_core::game::{Seat, SeatSet};

/// A take at which a bot chose between two or more winners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WinnerChoice {
    /// The number of the take, from 0.
    pub ply: u32,
    /// Whether the take was optimal for the row of the seat.
    pub is_optimal: bool,
    /// The winner under optimal play after the take.
    pub chosen: Seat,
    /// All winners that the possible takes lead to under optimal play.
    pub available: SeatSet,
}

impl AuditedMatch<'_> {
    /// Returns, in the order of play, the takes at which a seat's own bot chose between winners.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub fn winner_choices(&self, seat: Seat) -> Vec<WinnerChoice> {
        let mut choices = Vec::new();
        self.visit_bot_plies(
            |mover| mover == seat,
            |ply| {
                let chosen = ply.audit.predicted_after;
                let mut available = SeatSet::default();
                for &(winner, _) in ply.outcomes {
                    available.insert(winner);
                }
                if ply.outcomes.iter().any(|&(winner, _)| winner != chosen) {
                    let is_optimal = ply.audit.is_optimal();
                    choices.push(WinnerChoice { ply: ply.audit.ply, is_optimal, chosen, available });
                }
            },
        );
        choices
    }
}
