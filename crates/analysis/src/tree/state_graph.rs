//! A game's state graph.

use super::{Edge, GraphSize, Node, PlayGraph, TreeError, TreeSize, TreeTooLarge};
use lastnim_core::{
    game::{Game, Position, Seat},
    oracle::{Budget, Solution},
};
use std::{cmp::Reverse, collections::BTreeMap};

/// Identifies a state of a game: the pile in play, its counters, and the seat to move.
///
/// Every take leads to a greater key.
type StateKey = (Reverse<usize>, Reverse<u64>, Seat);

impl PlayGraph {
    /// Builds the graph of all reachable states, or of those reached by at most `depth` takes; each state occurs once.
    ///
    /// Each node costs one step of the budget, and each edge two.
    ///
    /// # Errors
    /// If the graph would have more than `limit` nodes or edges, or the budget runs out.
    pub fn build_graph(
        game: &Game,
        depth: Option<u64>,
        limit: u64,
        budget: &mut Budget<'_>,
    ) -> Result<Self, TreeError> {
        let max_takes = depth.unwrap_or(u64::MAX);
        let size = GraphSize::to_depth(game, max_takes);
        if !size.fits_within(limit) {
            return Err(TreeTooLarge::of_graph(game, depth, size, limit).into());
        }
        let solution = Solution::new(game);
        let states = reachable_states(game.first_position(), max_takes, budget)?;
        let indices: BTreeMap<StateKey, usize> = states.keys().copied().zip(0..).collect();
        let mut edges = Vec::new();
        let is_cut = |state: &ReachableState| state.takes == max_takes && !state.position.is_over();
        for (from, state) in states.values().enumerate().filter(|(_, state)| !is_cut(state)) {
            let position = &state.position;
            budget.spend(position.counters())?;
            let optimal = solution.optimal_takes(position);
            edges.extend(positions_after_takes(position).map(|(take, after)| {
                let is_optimal = optimal.contains(take);
                Edge { from, to: indices[&state_key(&after)], take, is_optimal }
            }));
        }
        let node = |state: ReachableState| Node {
            winner: solution.winner(&state.position),
            cut: is_cut(&state).then(|| count_states_below(game, &state.position)),
            position: state.position,
        };
        Ok(Self { nodes: states.into_values().map(node).collect(), edges })
    }
}

struct ReachableState {
    position: Position,
    /// The fewest takes that lead to this state.
    takes: u64,
}

/// Finds every state that is reachable within `max_takes` takes.
fn reachable_states(
    start: Position,
    max_takes: u64,
    budget: &mut Budget<'_>,
) -> Result<BTreeMap<StateKey, ReachableState>, TreeError> {
    let mut states = BTreeMap::new();
    let mut found = BTreeMap::from([(state_key(&start), ReachableState { position: start, takes: 0 })]);
    // Every take leads to a greater key, so all predecessors of the first state have already been visited.
    while let Some((key_of_first, state)) = found.pop_first() {
        budget.spend(1)?;
        if state.takes < max_takes {
            budget.spend(state.position.counters())?;
            let takes = state.takes + 1;
            for (_, position) in positions_after_takes(&state.position) {
                let known = found.entry(state_key(&position)).or_insert(ReachableState { position, takes });
                known.takes = known.takes.min(takes);
            }
        }
        states.insert(key_of_first, state);
    }
    Ok(states)
}

/// Counts the states reachable from a position, without the position itself.
fn count_states_below(game: &Game, position: &Position) -> TreeSize {
    let mut piles = position.untouched_piles().to_vec();
    piles.push(position.counters());
    TreeSize::Exactly(GraphSize::of_piles(&piles, game.matrix.seats(), u64::MAX).nodes - 1)
}

fn state_key(position: &Position) -> StateKey {
    (Reverse(position.pile_index()), Reverse(position.counters()), position.to_move())
}

fn positions_after_takes(position: &Position) -> impl Iterator<Item = (u64, Position)> {
    (1..=position.counters()).map(|take| {
        let mut after = position.clone();
        after.take(take).expect("the take is in range");
        (take, after)
    })
}
