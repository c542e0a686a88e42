//! Explanations of why a seat wins: what each take leads to, and the line of best play.

use super::{Solution, TakeRange};
use crate::game::{Game, Position, Seat};

/// Why a seat wins under optimal play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The explained position.
    pub position: Position,
    /// The seat that wins under optimal play.
    pub winner: Seat,
    /// The legal takes in ascending order, in ranges that each lead to one winner; empty if the game is over.
    pub options: Vec<TakeOption>,
    /// The line of best play.
    pub line: BestLine,
}

/// Takes that lead to the same winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeOption {
    /// The takes.
    pub takes: TakeRange,
    /// The winner under optimal play after any of these takes.
    pub winner: Seat,
    /// The number of ranks that these takes cost the seat to move in its own row; 0 if and only if they are optimal.
    pub regret: u32,
    /// The seats that do better than under optimal play, in seat order; never the seat to move.
    pub better_for: Vec<RankChange>,
    /// The seats that do worse than under optimal play, in seat order.
    pub worse_for: Vec<RankChange>,
}

/// The number of ranks that a seat gains or loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankChange {
    /// The seat.
    pub seat: Seat,
    /// The number of ranks, at least 1.
    pub ranks: u32,
}

/// Play in which every seat makes its smallest optimal take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// Each position on the line, with the take that is made in it.
    pub plies: Vec<(Position, u64)>,
    /// The position at the end of the line, where the game is not necessarily over.
    pub end: Position,
}

impl TakeOption {
    /// Returns whether the takes are optimal.
    pub fn is_optimal(&self) -> bool {
        self.regret == 0
    }
}

impl Explanation {
    /// Explains the start position of a game, with at most `max_plies` plies of the line of best play.
    ///
    /// Takes O(N n^2 + L n^2) time for N piles, n seats and L plies of the line, whatever the number of counters.
    pub fn of_game(game: &Game, max_plies: usize) -> Self {
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
            line: BestLine::from_position(&solution, position.clone(), max_plies),
            position,
            winner,
        }
    }
}

impl BestLine {
    /// Returns the line of best play from a position, at most `max_plies` long.
    ///
    /// # Panics
    /// If the position does not belong to the solved game.
    pub fn from_position(solution: &Solution, position: Position, max_plies: usize) -> Self {
        let (mut plies, mut end) = (Vec::new(), position);
        while plies.len() < max_plies
            && let Some(take) = solution.optimal_takes(&end).smallest()
        {
            let before = end.clone();
            end.take(take).expect("an optimal take is legal");
            plies.push((before, take));
        }
        Self { plies, end }
    }
}

/// Returns the seats that rank `after` lower than `before`, and by how much, in seat order.
fn rank_losses(game: &Game, before: Seat, after: Seat) -> Vec<RankChange> {
    let change = |seat| RankChange { seat, ranks: rank_loss(game, seat, before, after) };
    game.matrix.seats().iter().map(change).filter(|change| change.ranks > 0).collect()
}

/// Returns how many ranks a seat loses when `after` wins instead of `before`; 0 if it gains.
fn rank_loss(game: &Game, seat: Seat, before: Seat, after: Seat) -> u32 {
    let [before, after] = [before, after].map(|winner| game.matrix.rank(seat, winner));
    after.saturating_sub(before) as u32
}
