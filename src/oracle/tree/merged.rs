//! The graph of a game's states.

use super::{Edge, GraphSize, Node, PlayGraph, TooLarge, TreeError};
use crate::{
    game::{Game, Position, Seat},
    oracle::{Budget, Solution},
};
use std::{cmp::Reverse, collections::BTreeMap};

/// What tells a state from the others of its game: the pile in play, its counters, and the seat to move.
///
/// Every take leads from a key to a greater one.
type Key = (Reverse<usize>, Reverse<u64>, Seat);

impl PlayGraph {
    /// Builds the graph of all states that the game can come to: what the tree says many times stands here once.
    ///
    /// A node is a step of the budget, and an edge two.
    ///
    /// # Errors
    /// If it would have more than `most` nodes or more than `most` edges, or the budget is spent.
    pub fn merged(game: &Game, most: u64, budget: &mut Budget<'_>) -> Result<Self, TreeError> {
        let size = GraphSize::of(game);
        if size.nodes > u128::from(most) || size.edges.at_most(most).is_none() {
            return Err(TooLarge::graph(game, size, most).into());
        }
        let solution = Solution::new(game);
        let states = states(game.position(), budget)?;
        let indices: BTreeMap<Key, usize> = states.keys().copied().zip(0..).collect();
        let mut edges = Vec::new();
        for (from, position) in states.values().enumerate() {
            budget.spend(position.counters())?;
            let optimal = solution.optimal_takes(position);
            edges.extend(after_each_take(position).map(|(take, after)| {
                let is_optimal = optimal.contains(take);
                Edge { from, to: indices[&key(&after)], take, is_optimal }
            }));
        }
        let node = |position| Node { winner: solution.winner(&position), position, cut: None };
        Ok(Self { nodes: states.into_values().map(node).collect(), edges })
    }
}

/// Finds every state that play from a start can come to.
fn states(start: Position, budget: &mut Budget<'_>) -> Result<BTreeMap<Key, Position>, TreeError> {
    let mut states = BTreeMap::new();
    let mut found = BTreeMap::from([(key(&start), start)]);
    // Whatever leads to the first of those found has been visited.
    while let Some((key_of_first, position)) = found.pop_first() {
        budget.spend(1)?;
        budget.spend(position.counters())?;
        found.extend(after_each_take(&position).map(|(_, after)| (key(&after), after)));
        states.insert(key_of_first, position);
    }
    Ok(states)
}

fn key(position: &Position) -> Key {
    (Reverse(position.pile()), Reverse(position.counters()), position.to_move())
}

fn after_each_take(position: &Position) -> impl Iterator<Item = (u64, Position)> {
    (1..=position.counters()).map(|take| {
        let mut after = position.clone();
        after.take(take).expect("the take is in range");
        (take, after)
    })
}
