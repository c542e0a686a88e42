//! Errors that prevent a tree or a graph from being built.

use super::{GraphSize, TreeSize};
use lastnim_core::{game::Game, oracle::HaltReason};
use std::fmt;
use thiserror::Error;

/// Why a tree or a graph was not built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TreeError {
    /// The tree or graph exceeds the limit.
    #[error("{0}")]
    TooLarge(Box<TreeTooLarge>),
    /// The calculation was halted: the budget ran out, or the answer was no longer wanted.
    #[error(transparent)]
    Halt(#[from] HaltReason),
}

/// A tree or a graph that exceeds the limit, and the cuts that would fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeTooLarge {
    /// The number of nodes in the requested tree; `None` if the graph was requested.
    pub tree: Option<TreeSize>,
    /// The requested depth, if any.
    pub depth: Option<u64>,
    /// The maximum number of nodes, which is also the maximum number of edges.
    pub limit: u64,
    /// The deepest cut of the tree that fits; `None` if not even the root fits.
    pub cut: Option<TreeCut>,
    /// The size of the state graph: of the graph cut at the requested depth if a graph was requested, otherwise of the
    /// whole graph.
    pub graph: GraphSize,
    /// The deepest cut of the graph that fits; `None` if not even the start state fits.
    pub graph_cut: Option<GraphCut>,
}

/// A tree cut at a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeCut {
    /// The maximum number of takes from the root to a node.
    pub depth: u64,
    /// The number of nodes in the cut tree.
    pub nodes: u64,
}

/// A graph of states cut at a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphCut {
    /// The maximum number of takes on the shortest path from the start to a state.
    pub depth: u64,
    /// The size of the cut graph.
    pub size: GraphSize,
}

impl TreeTooLarge {
    pub(super) fn of_tree(game: &Game, depth: Option<u64>, size: TreeSize, limit: u64) -> Self {
        Self { tree: Some(size), depth, ..Self::of_graph(game, None, GraphSize::of_game(game), limit) }
    }

    pub(super) fn of_graph(game: &Game, depth: Option<u64>, graph: GraphSize, limit: u64) -> Self {
        let (cut, graph_cut) =
            (TreeSize::deepest_cut(&game.piles, limit), GraphSize::deepest_cut(game, limit));
        Self { tree: None, depth, limit, cut, graph, graph_cut }
    }

    /// Returns whether the graph of states, as described by `graph`, is within the limit.
    pub fn graph_fits(&self) -> bool {
        self.graph.fits_within(self.limit)
    }
}

impl From<TreeTooLarge> for TreeError {
    fn from(too_large: TreeTooLarge) -> Self {
        Self::TooLarge(Box::new(too_large))
    }
}

impl fmt::Display for TreeTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.tree, self.depth) {
            (Some(nodes), Some(depth)) => write!(f, "the tree down to depth {depth} has {nodes} nodes")?,
            (Some(nodes), None) => write!(f, "the tree has {nodes} nodes")?,
            (None, Some(depth)) => {
                write!(f, "the graph of states down to depth {depth} has {}", self.graph)?;
            }
            (None, None) => write!(f, "the graph of states has {}", self.graph)?,
        }
        write!(f, ", more than {}", self.limit)
    }
}
