//! Compares a game with the rows that were dealt to its seats.

use super::{Audit, solve_winners};
use crate::game::{AllianceMatrix, BySeat, Game, Seat};

/// A comparison of a game with what its seats really wanted: their dealt rows. The takes followed the declared rows.
#[derive(Debug, Clone, PartialEq)]
pub struct DealtAudit {
    /// The dealt row of each seat.
    pub matrix: AllianceMatrix,
    /// The seat that would have won under optimal play if every seat had declared its dealt row.
    pub honest_winner: Seat,
    /// The ranks of each seat in its dealt row.
    pub seats: BySeat<DealtRanks>,
    /// The number of ranks in the dealt row of each seat that the takes of each seat cost it, indexed by the seat that
    /// moved and then by the affected seat; negative if the affected seat gained ranks. A take may gain ranks for its
    /// own mover, if the mover declared another row.
    pub ledger: BySeat<BySeat<i32>>,
}

/// Places in a seat's dealt row, 0 (best) to n-1.
///
/// For every seat i, declarations and play add up: `rank_actual - rank_honest = (rank_declared - rank_honest) + sum_j
/// ledger[j][i]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DealtRanks {
    /// The place of the winner under optimal play with the dealt rows of all seats.
    pub rank_honest: u32,
    /// The place of the winner under optimal play with the declared rows.
    pub rank_declared: u32,
    /// The place of the seat that won.
    pub rank_actual: u32,
}

impl DealtAudit {
    /// Compares an audited game with the dealt rows.
    ///
    /// # Panics
    /// If declarations and play do not add up for a seat, or the dealt rows are for another number of seats.
    pub fn of_audit(game: &Game, dealt: AllianceMatrix, audit: &Audit) -> Self {
        let honest_winner = solve_winners(&game.piles, &dealt, game.ending)[game.first_seat()];
        let seats = dealt.seats();
        let rank = |seat, winner| dealt.rank(seat, winner) as u32;
        let mut ledger = BySeat::filled(seats, &BySeat::filled(seats, &0));
        for ply in audit.plies.iter().filter(|ply| ply.predicted_before != ply.predicted_after) {
            for seat in seats.iter() {
                let [before, after] = [ply.predicted_before, ply.predicted_after];
                ledger[ply.seat][seat] += rank(seat, after).cast_signed() - rank(seat, before).cast_signed();
            }
        }
        let ranks = BySeat::from_fn(seats, |seat| {
            let ranks = DealtRanks {
                rank_honest: rank(seat, honest_winner),
                rank_declared: rank(seat, audit.predicted_winner),
                rank_actual: rank(seat, audit.winner),
            };
            let play_cost: i32 = ledger.iter().map(|costs| costs[seat]).sum();
            assert_eq!(
                ranks.rank_actual.cast_signed() - ranks.rank_honest.cast_signed(),
                ranks.cost_of_declarations() + play_cost,
                "declarations and play add up to the change in the rank of each seat"
            );
            ranks
        });
        Self { matrix: dealt, honest_winner, seats: ranks, ledger }
    }
}

impl DealtRanks {
    /// Returns the number of ranks that the declarations of all seats cost the seat; negative if it gained ranks.
    pub fn cost_of_declarations(&self) -> i32 {
        self.rank_declared.cast_signed() - self.rank_honest.cast_signed()
    }
}
