//! Classification of takes by predicted and guaranteed rank.

use super::GuaranteedRanks;
use crate::game::{Game, Position, Seat};
use crate::oracle::{Solution, TakeRange};

/// The class of a take by its effect on the mover's predicted and guaranteed ranks, each compared with the best rank
/// that any take leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TakeSafety {
    /// The take is optimal and keeps the guaranteed rank.
    Safe,
    /// The take is optimal but worsens the guaranteed rank.
    Risky,
    /// The take worsens the predicted rank but keeps the guaranteed rank, which is not the last.
    SafeError,
    /// The take worsens the predicted rank, and it also worsens the guaranteed rank unless that is already the last.
    Error,
}

/// Takes that lead to the same winner under optimal play and the same guaranteed rank for the mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeRobustness {
    /// The takes.
    pub takes: TakeRange,
    /// The winner under optimal play after any of these takes.
    pub winner: Seat,
    /// The place of that winner in the mover's row, 0 (best) to n-1.
    pub rank: u32,
    /// The rank that the mover can guarantee itself after any of these takes, against all others together; never better
    /// than `rank`.
    pub guaranteed_rank: u32,
    /// The class of these takes, by their effect on both ranks.
    pub safety: TakeSafety,
}

impl TakeSafety {
    /// Classifies a take by its regret and by the mover's guaranteed ranks `before` and `after` it. The `last` rank is
    /// guaranteed anyway, so it counts as no guarantee.
    pub fn of_take(regret: u32, [before, after]: [u32; 2], last: u32) -> Self {
        match regret {
            0 if before == after => Self::Safe,
            0 => Self::Risky,
            _ if before == after && before < last => Self::SafeError,
            _ => Self::Error,
        }
    }

    /// Returns the name of the class in words, such as `safe error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Risky => "risky",
            Self::SafeError => "safe error",
            Self::Error => "error",
        }
    }
}

impl TakeRobustness {
    /// Classifies every take in a position, as at most 2n + 1 ranges in ascending order; empty if the game is over.
    pub fn of_takes(game: &Game, solution: &Solution, position: &Position) -> Vec<Self> {
        let mover = position.to_move();
        let guaranteed = GuaranteedRanks::of_seat(game, mover);
        let mut guaranteed_takes: Vec<_> = guaranteed.ranks_after(position).collect();
        guaranteed_takes.reverse();
        let by_winner = solution.winners_after(position);
        let mut options: Vec<Self> = Vec::new();
        for &(winner_takes, winner) in &by_winner {
            let rank = game.matrix.rank(mover, winner) as u32;
            for &(guarantee_takes, guaranteed_rank) in &guaranteed_takes {
                let lo = winner_takes.lo.max(guarantee_takes.lo);
                let hi = winner_takes.hi.min(guarantee_takes.hi);
                if lo > hi {
                    continue;
                }
                match options.last_mut() {
                    Some(last) if (last.winner, last.guaranteed_rank) == (winner, guaranteed_rank) => {
                        last.takes.hi = hi;
                    }
                    _ => options.push(Self {
                        takes: TakeRange { lo, hi },
                        winner,
                        rank,
                        guaranteed_rank,
                        safety: TakeSafety::Safe,
                    }),
                }
            }
        }
        let best_rank = options.iter().map(|option| option.rank).min().unwrap_or(0);
        let best_guarantee = options.iter().map(|option| option.guaranteed_rank).min().unwrap_or(0);
        let last = game.matrix.seats().get() as u32 - 1;
        for option in &mut options {
            let guarantee = [best_guarantee, option.guaranteed_rank];
            option.safety = TakeSafety::of_take(option.rank - best_rank, guarantee, last);
        }
        options
    }
}
