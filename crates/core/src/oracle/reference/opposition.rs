//! The outcome of play in which others turn against one seat, computed directly from the definition.

use crate::game::{Game, Position, Seat};
use std::collections::HashMap;

/// Computes the rank that a seat can guarantee itself against all others together. This is plain minimax: the others
/// are one player who wants the rank to be as bad as possible.
#[derive(Debug, Clone)]
pub struct MinimaxRanks<'a> {
    game: &'a Game,
    guarded: Seat,
    known: HashMap<Position, usize>,
}

impl<'a> MinimaxRanks<'a> {
    /// Creates a search for one guarded seat of a game.
    pub fn new(game: &'a Game, guarded: Seat) -> Self {
        Self { game, guarded, known: HashMap::new() }
    }

    /// Returns the guaranteed rank in a position of the game.
    pub fn rank(&mut self, position: &Position) -> usize {
        if let Some(&rank) = self.known.get(position) {
            return rank;
        }
        let (to_move, guarded) = (position.to_move(), self.guarded);
        let after = (1..=position.counters()).map(|take| {
            let mut after = position.clone();
            after.take(take).expect("the take is in range");
            self.rank(&after)
        });
        let rank = if to_move == guarded { after.min() } else { after.max() };
        let matrix = &self.game.matrix;
        let rank =
            rank.unwrap_or_else(|| matrix.rank(guarded, self.game.ending.winner(to_move, matrix.seats())));
        self.known.insert(position.clone(), rank);
        rank
    }
}

/// Returns the winner if a coalition turns against a seat. Of the winners that its takes lead to, a member of the
/// coalition picks the one that the guarded seat ranks worst; every other seat picks the one that it ranks best itself.
pub fn winner_against_coalition(game: &Game, guarded: Seat, coalition: &[Seat]) -> Seat {
    winner_from(game, guarded, coalition, &game.first_position(), &mut HashMap::new())
}

fn winner_from(
    game: &Game,
    guarded: Seat,
    coalition: &[Seat],
    position: &Position,
    known: &mut HashMap<Position, Seat>,
) -> Seat {
    if let Some(&winner) = known.get(position) {
        return winner;
    }
    let to_move = position.to_move();
    let after = (1..=position.counters()).map(|take| {
        let mut after = position.clone();
        after.take(take).expect("the take is in range");
        winner_from(game, guarded, coalition, &after, known)
    });
    let winner = if coalition.contains(&to_move) {
        after.max_by_key(|&winner| game.matrix.rank(guarded, winner))
    } else {
        after.min_by_key(|&winner| game.matrix.rank(to_move, winner))
    };
    let winner = winner.unwrap_or_else(|| game.ending.winner(to_move, game.matrix.seats()));
    known.insert(position.clone(), winner);
    winner
}
