//! The worst errors, to learn from.

use super::{AuditedMatch, audited_match::OwnPly};
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, Ending, MatchId, Seat};
use lastnim_core::oracle::OptimalTakes;
use std::cmp::Reverse;

/// The puzzles that are kept of a bot unless told otherwise.
pub const DEFAULT_PUZZLES: usize = 10;

/// The most puzzles that may be kept of a bot.
pub const MAX_PUZZLES: usize = 50;

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
    /// The ranks that it cost all seats together, the mover included; below 0 if it gave more than it cost.
    pub harm: i64,
    /// From the largest take on: the winner, as an offset from the mover, and how many takes lead to it.
    outcomes: Vec<(usize, u64)>,
}

/// The worst first; of those that cost as much, what harmed all seats most, then the simplest, and then the oldest.
type PuzzleOrder = (Reverse<u32>, Reverse<i64>, usize, u128, MatchId, u32);

/// The worst errors of a bot in different positions. Which they are does not depend on the order in which they come.
#[derive(Debug, Clone)]
pub(super) struct WorstPuzzles {
    worst: Vec<(PuzzleOrder, Puzzle)>,
    most: usize,
}

impl WorstPuzzles {
    pub(super) fn up_to(most: usize) -> Self {
        Self { worst: Vec::new(), most }
    }

    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &OwnPly<'_>) {
        let audit = ply.audit;
        if audit.is_optimal() || self.most == 0 {
            return;
        }
        let seats = game.bots.seats();
        let harm = seats.iter().map(|seat| i64::from(audit.cost(game.game, seat))).sum();
        let untouched = ply.position.untouched_piles();
        let counters =
            untouched.iter().map(|&pile| u128::from(pile)).sum::<u128>() + u128::from(audit.counters);
        let place = (Reverse(audit.regret), Reverse(harm), untouched.len(), counters, game.id, audit.ply);
        if self.worst.len() == self.most && self.worst.last().is_some_and(|(last, _)| place > *last) {
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
            harm,
            outcomes: ply
                .outcomes
                .iter()
                .map(|&(winner, takes)| (seats.distance_between(audit.seat, winner), takes))
                .collect(),
        };
        if let Some(same) = self.worst.iter().position(|(_, other)| other.is_same_position(&puzzle)) {
            if self.worst[same].0 <= place {
                return;
            }
            self.worst.remove(same);
        }
        let at = self.worst.partition_point(|(other, _)| *other < place);
        self.worst.insert(at, (place, puzzle));
        self.worst.truncate(self.most);
    }

    pub(super) fn into_worst_first(self) -> Vec<Puzzle> {
        self.worst.into_iter().map(|(_, puzzle)| puzzle).collect()
    }
}

impl Puzzle {
    /// Returns whether two positions ask the same question, seats renumbered: the piles, the ending, the mover's row and the
    /// winners that its takes lead to are the same. What else the rows of others say makes no difference to it.
    fn is_same_position(&self, other: &Self) -> bool {
        self.piles == other.piles
            && self.ending == other.ending
            && self.matrix[self.seat] == other.matrix[other.seat]
            && self.outcomes == other.outcomes
    }
}
