//! The worst errors, to learn from.

use super::{AuditedMatch, audited_match::OwnPly};
use crate::game::{AllianceMatrix, BotName, BySeat, Ending, MatchId, Seat};
use crate::oracle::OptimalTakes;
use std::cmp::Reverse;

/// The most puzzles that are kept of a bot.
pub const MAX_PUZZLES: usize = 10;

/// A position in which a bot erred, what it took, and what would have been optimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    /// The match.
    pub match_id: MatchId,
    /// The number of the take, from 0.
    pub ply: u32,
    /// The bots, by seat.
    pub bots: BySeat<BotName>,
    /// The piles that still hold something, as they stood.
    pub piles: Vec<u64>,
    /// The seat to move.
    pub seat: Seat,
    /// The preferences.
    pub matrix: AllianceMatrix,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// What the bot took.
    pub take: u64,
    /// Every optimal take.
    pub optimal_takes: OptimalTakes,
    /// The winner after an optimal take.
    pub winner_if_optimal: Seat,
    /// The winner after the take that was made.
    pub winner_after: Seat,
    /// The ranks that it cost.
    pub regret: u32,
}

/// The worst first; of those that cost as much, the simplest, and then the oldest.
type Place = (Reverse<u32>, usize, u128, MatchId, u32);

/// The worst errors of a bot in different positions. Which they are does not depend on the order in which they come.
#[derive(Debug, Clone, Default)]
pub(super) struct Puzzles(Vec<(Place, Puzzle)>);

impl Puzzles {
    pub(super) fn add(&mut self, game: &AuditedMatch<'_>, ply: &OwnPly<'_>) {
        let audit = ply.audit;
        if audit.is_optimal() {
            return;
        }
        let untouched = ply.position.untouched();
        let counters =
            untouched.iter().map(|&pile| u128::from(pile)).sum::<u128>() + u128::from(audit.counters);
        let place = (Reverse(audit.regret), untouched.len(), counters, game.id, audit.ply);
        if self.0.len() == MAX_PUZZLES && self.0.last().is_some_and(|(last, _)| place > *last) {
            return;
        }
        let puzzle = Puzzle {
            match_id: game.id,
            ply: audit.ply,
            bots: game.bots.clone(),
            piles: untouched.iter().copied().chain([audit.counters]).collect(),
            seat: audit.seat,
            matrix: game.game.matrix.clone(),
            ending: game.game.ending,
            take: audit.take,
            optimal_takes: audit.optimal_takes,
            winner_if_optimal: audit.predicted_before,
            winner_after: audit.predicted_after,
            regret: audit.regret,
        };
        if let Some(same) = self.0.iter().position(|(_, other)| other.is_same_position(&puzzle)) {
            if self.0[same].0 <= place {
                return;
            }
            self.0.remove(same);
        }
        let at = self.0.partition_point(|(other, _)| *other < place);
        self.0.insert(at, (place, puzzle));
        self.0.truncate(MAX_PUZZLES);
    }

    pub(super) fn into_worst_first(self) -> Vec<Puzzle> {
        self.0.into_iter().map(|(_, puzzle)| puzzle).collect()
    }
}

impl Puzzle {
    /// Returns whether two positions ask the same question, seats renumbered.
    fn is_same_position(&self, other: &Self) -> bool {
        let seats = self.matrix.seats();
        self.piles == other.piles
            && self.ending == other.ending
            && seats == other.matrix.seats()
            && (0..seats.get()).all(|offset| {
                let row = |puzzle: &Self| puzzle.matrix[seats.offset(puzzle.seat, offset)].clone();
                row(self) == row(other)
            })
    }
}
