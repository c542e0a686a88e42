//! Why a seat wins: what each take leads to, and the line of best play.

use super::{Solution, TakeRange};
use crate::game::{Game, Position, Seat};

/// Why a seat wins under optimal play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The position that is explained.
    pub position: Position,
    /// The seat that wins under optimal play.
    pub winner: Seat,
    /// What the takes lead to: all takes, in rising order; none if the game is over.
    pub options: Vec<TakeOption>,
    /// The line of best play.
    pub line: BestLine,
}

/// Takes that lead to the same winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeOption {
    /// The takes.
    pub takes: TakeRange,
    /// The seat that wins under optimal play after any of them.
    pub winner: Seat,
    /// Ranks that they cost the seat to move, in its own row; 0 exactly if they are optimal.
    pub regret: u32,
    /// The seats that are better off than under optimal play, from seat 0 on; never the one to move.
    pub better_for: Vec<RankChange>,
    /// The seats that are worse off than under optimal play, from seat 0 on.
    pub worse_for: Vec<RankChange>,
}

/// How far a seat goes up or down its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankChange {
    /// The seat.
    pub seat: Seat,
    /// By how many ranks, at least 1.
    pub ranks: u32,
}

/// Play in which every seat makes the smallest of its optimal takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// The positions in which a take is made, with the take.
    pub plies: Vec<(Position, u64)>,
    /// The position that they lead to; the game goes on from there if it is not over.
    pub end: Position,
}

impl TakeOption {
    /// Returns whether the takes are optimal.
    pub fn is_optimal(&self) -> bool {
        self.regret == 0
    }
}

impl Explanation {
    /// Explains the position that a game starts from, with at most `most_plies` of the line of best play.
    ///
    /// It takes O(N n^2 + L n^2), with L plies of the line, however many counters there are.
    pub fn of(game: &Game, most_plies: usize) -> Self {
        let (solution, position) = (Solution::new(game), game.first_position());
        let winner = solution.winner(&position);
        let option = |(takes, winner_after)| TakeOption {
            takes,
            winner: winner_after,
            regret: rank_loss(game, position.to_move(), winner, winner_after),
            better_for: rank_losses(game, winner_after, winner),
            worse_for: rank_losses(game, winner, winner_after),
        };
        Self {
            options: solution.winners_after(&position).into_iter().map(option).collect(),
            line: BestLine::from(&solution, position.clone(), most_plies),
            position,
            winner,
        }
    }
}

impl BestLine {
    /// Plays on from a position, for at most `most_plies`.
    ///
    /// # Panics
    /// If the position is none of the solved game.
    pub fn from(solution: &Solution, position: Position, most_plies: usize) -> Self {
        let (mut plies, mut end) = (Vec::new(), position);
        while plies.len() < most_plies
            && let Some(take) = solution.optimal_takes(&end).smallest()
        {
            let before = end.clone();
            end.take(take).expect("an optimal take is allowed");
            plies.push((before, take));
        }
        Self { plies, end }
    }
}

/// Returns the seats that rank `after` lower than `before`, and by how much, from seat 0 on.
fn rank_losses(game: &Game, before: Seat, after: Seat) -> Vec<RankChange> {
    let change = |seat| RankChange { seat, ranks: rank_loss(game, seat, before, after) };
    game.matrix.seats().iter().map(change).filter(|change| change.ranks > 0).collect()
}

/// Returns by how many ranks a seat goes down its row when `after` wins instead of `before`; 0 if it goes up.
fn rank_loss(game: &Game, seat: Seat, before: Seat, after: Seat) -> u32 {
    let [before, after] = [before, after].map(|winner| game.matrix.rank(seat, winner));
    after.saturating_sub(before) as u32
}
