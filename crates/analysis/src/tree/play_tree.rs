//! The tree of all possible play.

use super::{Edge, Node, PlayGraph, TreeError, TreeSize, TreeTooLarge};
use lastnim_core::{
    game::{Game, Position},
    oracle::{Budget, OptimalTakes, Solution},
};

/// A node whose takes are being explored.
struct OpenNode {
    index: usize,
    position: Position,
    optimal: OptimalTakes,
    /// The last take explored; 0 if none has been.
    take: u64,
}

impl PlayGraph {
    /// Builds the tree of all possible play, or only the part of it that is at most `depth` takes below the root.
    ///
    /// Source: El-Seidy, El Kady and Nassr (2019), Algorithms 3.1 and 3.2. Each node costs one step of the budget.
    ///
    /// # Errors
    /// If the tree would have more than `limit` nodes, or the budget runs out.
    pub fn build_tree(
        game: &Game,
        depth: Option<u64>,
        limit: u64,
        budget: &mut Budget<'_>,
    ) -> Result<Self, TreeError> {
        let size = match depth {
            Some(depth) => TreeSize::to_depth(&game.piles, depth),
            None => TreeSize::of_piles(&game.piles),
        };
        if size.at_most(limit).is_none() {
            return Err(TreeTooLarge::of_tree(game, depth, size, limit).into());
        }
        TreeBuilder::new(game, depth.unwrap_or(u64::MAX)).build(game.first_position(), budget)
    }
}

/// A tree under construction.
struct TreeBuilder {
    solution: Solution,
    /// The size of the tree for the first pile alone, for the first two piles, and so on.
    prefixes: Vec<TreeSize>,
    depth: u64,
    tree: PlayGraph,
    /// The path from the root to the node being explored.
    open: Vec<OpenNode>,
}

impl TreeBuilder {
    fn new(game: &Game, depth: u64) -> Self {
        Self {
            solution: Solution::new(game),
            prefixes: TreeSize::of_prefixes(game.piles.as_slice()),
            depth,
            tree: PlayGraph { nodes: Vec::new(), edges: Vec::new() },
            open: Vec::new(),
        }
    }

    fn build(mut self, root: Position, budget: &mut Budget<'_>) -> Result<PlayGraph, TreeError> {
        budget.spend(1)?;
        self.append(root);
        while let Some(node) = self.open.last_mut() {
            if node.take == node.position.counters() {
                self.open.pop();
                continue;
            }
            budget.spend(1)?;
            node.take += 1;
            let mut child = node.position.clone();
            child.take(node.take).expect("the take is in range");
            let is_optimal = node.optimal.contains(node.take);
            let edge = Edge { from: node.index, to: self.tree.nodes.len(), take: node.take, is_optimal };
            self.tree.edges.push(edge);
            self.append(child);
        }
        Ok(self.tree)
    }

    fn append(&mut self, position: Position) {
        let winner = self.solution.winner(&position);
        let is_cut = !position.is_over() && self.open.len() as u64 >= self.depth;
        let cut = is_cut.then(|| self.count_below(&position));
        if !is_cut {
            let optimal = self.solution.optimal_takes(&position);
            let index = self.tree.nodes.len();
            self.open.push(OpenNode { index, position: position.clone(), optimal, take: 0 });
        }
        self.tree.nodes.push(Node { position, winner, cut });
    }

    fn count_below(&self, position: &Position) -> TreeSize {
        let before =
            position.pile_index().checked_sub(1).map_or(TreeSize::Exactly(1), |last| self.prefixes[last]);
        before.with_pile(position.counters()).below_root()
    }
}
