//! Puzzles: the worst errors of a bot.

use super::{AuditedMatch, audited_match::BotPly};
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, Ending, Game, MatchId, Piles, Row, Seat};
use lastnim_core::oracle::{OptimalTakes, Solution};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// The default number of puzzles kept per bot.
pub const DEFAULT_PUZZLES: usize = 10;

/// Maximum number of puzzles kept per bot.
pub const MAX_PUZZLES: usize = 50;

/// A position in which a bot erred, its take, and the optimal takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    /// The match.
    pub match_id: MatchId,
    /// The number of the take, from 0.
    pub ply: u32,
    /// The bots, by seat.
    pub bots: BySeat<BotName>,
    /// The current counters of the nonempty piles.
    pub piles: Vec<u64>,
    /// The seat to move.
    pub seat: Seat,
    /// The alliance matrix.
    pub matrix: AllianceMatrix,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// Number of counters that the bot took.
    pub take: u64,
    /// Every optimal take.
    pub optimal_takes: OptimalTakes,
    /// The winner if all, including the bot, had played optimally from this position on.
    pub winner_if_optimal: Seat,
    /// The winner under optimal play after the actual take.
    pub winner_after: Seat,
    /// The number of ranks that the take cost the bot.
    pub regret: u32,
    /// The number of ranks that the take cost all seats together, including the mover; negative if they gained in
    /// total.
    pub harm: i64,
    /// The outcomes of all takes, from the largest take to the smallest: the winner, as an offset from the mover, and
    /// the number of consecutive takes that lead to it.
    outcomes: Vec<(usize, u64)>,
}

/// Orders puzzles by regret, then by harm, the worst first; on ties, the simplest and then the oldest come first.
type PuzzleOrder = (Reverse<u32>, Reverse<i64>, usize, u128, MatchId, u32);

/// The worst errors of a bot in distinct positions. They do not depend on the order in which takes are added.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "(usize, Vec<StoredPuzzle>)", into = "(usize, Vec<StoredPuzzle>)")]
pub(super) struct WorstPuzzles {
    worst: Vec<(PuzzleOrder, Puzzle)>,
    limit: usize,
}

/// The part of a puzzle from which the oracle finds the rest.
#[derive(Clone, Serialize, Deserialize)]
struct StoredPuzzle {
    match_id: MatchId,
    ply: u32,
    bots: BySeat<BotName>,
    piles: Vec<u64>,
    seat: Seat,
    rows: BySeat<Row>,
    last_mover_wins: bool,
    take: u64,
}

impl WorstPuzzles {
    pub(super) fn up_to(limit: usize) -> Self {
        Self { worst: Vec::new(), limit }
    }

    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let audit = ply.audit;
        if audit.is_optimal() || self.limit == 0 {
            return;
        }
        let seats = game.bots.seats();
        let harm = seats.iter().map(|seat| i64::from(audit.cost(game.game, seat))).sum();
        let untouched = ply.position.untouched_piles();
        let counters =
            untouched.iter().map(|&pile| u128::from(pile)).sum::<u128>() + u128::from(audit.counters);
        let place = (Reverse(audit.regret), Reverse(harm), untouched.len(), counters, game.id, audit.ply);
        if self.worst.len() == self.limit && self.worst.last().is_some_and(|(last, _)| place > *last) {
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
        self.add_puzzle(place, puzzle);
    }

    /// Adds the errors of the same bot in other matches.
    pub(super) fn merge(&mut self, other: Self) {
        for (place, puzzle) in other.worst {
            self.add_puzzle(place, puzzle);
        }
    }

    /// Returns the maximum number of puzzles.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    fn add_puzzle(&mut self, place: PuzzleOrder, puzzle: Puzzle) {
        if let Some(same) = self.worst.iter().position(|(_, other)| other.is_same_position(&puzzle)) {
            if self.worst[same].0 <= place {
                return;
            }
            self.worst.remove(same);
        }
        let at = self.worst.partition_point(|(other, _)| *other < place);
        self.worst.insert(at, (place, puzzle));
        self.worst.truncate(self.limit);
    }

    pub(super) fn into_worst_first(self) -> Vec<Puzzle> {
        self.worst.into_iter().map(|(_, puzzle)| puzzle).collect()
    }
}

impl TryFrom<(usize, Vec<StoredPuzzle>)> for WorstPuzzles {
    type Error = &'static str;

    fn try_from((limit, stored): (usize, Vec<StoredPuzzle>)) -> Result<Self, Self::Error> {
        let mut puzzles = Self::up_to(limit);
        for stored in stored {
            let puzzle =
                stored.solve().ok_or("a stored puzzle does not describe an error in a valid game")?;
            puzzles.add_puzzle(puzzle.place(), puzzle);
        }
        Ok(puzzles)
    }
}

impl From<WorstPuzzles> for (usize, Vec<StoredPuzzle>) {
    fn from(puzzles: WorstPuzzles) -> Self {
        let stored = puzzles.worst.into_iter().map(|(_, puzzle)| StoredPuzzle {
            match_id: puzzle.match_id,
            ply: puzzle.ply,
            bots: puzzle.bots,
            piles: puzzle.piles,
            seat: puzzle.seat,
            rows: puzzle.matrix.rows().clone(),
            last_mover_wins: puzzle.ending == Ending::LastMoverWins,
            take: puzzle.take,
        });
        (puzzles.limit, stored.collect())
    }
}

impl StoredPuzzle {
    /// Finds the outcomes of the takes; `None` unless the take is an error in the game.
    fn solve(self) -> Option<Puzzle> {
        let Self { match_id, ply, bots, piles, seat, rows, last_mover_wins, take } = self;
        let matrix = AllianceMatrix::from_rows(rows).ok().filter(|matrix| matrix.seats() == bots.seats())?;
        let ending = if last_mover_wins { Ending::LastMoverWins } else { Ending::ToMoveWins };
        let game = Game::new(Piles::parse(&piles).ok()?, matrix.clone(), seat.index(), ending).ok()?;
        let (solution, mut position) = (Solution::new(&game), game.first_position());
        let seats = matrix.seats();
        let outcomes = solution.take_outcomes(&position).map(|outcome| {
            let takes = outcome.takes.hi - outcome.takes.lo + 1;
            (seats.distance_between(seat, outcome.winner), takes)
        });
        let (outcomes, optimal_takes) = (outcomes.collect(), solution.optimal_takes(&position));
        let winner_if_optimal = solution.winner(&position);
        position.take(take).ok()?;
        let winner_after = solution.winner(&position);
        let rank = |seat, winner| matrix.rank(seat, winner).cast_signed() as i64;
        let cost = |seat| rank(seat, winner_after) - rank(seat, winner_if_optimal);
        let regret = u32::try_from(cost(seat)).ok().filter(|&regret| regret > 0)?;
        let harm = seats.iter().map(cost).sum();
        Some(Puzzle {
            match_id,
            ply,
            bots,
            piles,
            seat,
            matrix,
            ending,
            take,
            optimal_takes,
            winner_if_optimal,
            winner_after,
            regret,
            harm,
            outcomes,
        })
    }
}

impl Puzzle {
    fn place(&self) -> PuzzleOrder {
        let counters = self.piles.iter().map(|&pile| u128::from(pile)).sum();
        let untouched = self.piles.len() - 1;
        (Reverse(self.regret), Reverse(self.harm), untouched, counters, self.match_id, self.ply)
    }

    /// Returns whether two puzzles have the same position if seats are renumbered: the same piles, the same ending, the
    /// same row of the mover, and the same winners after its takes. Other differences between the rows do not matter.
    fn is_same_position(&self, other: &Self) -> bool {
        self.piles == other.piles
            && self.ending == other.ending
            && self.matrix[self.seat] == other.matrix[other.seat]
            && self.outcomes == other.outcomes
    }
}
