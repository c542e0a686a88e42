//! Why a tree or a graph is not built.

use super::{GraphSize, TreeSize};
use lastnim_core::{game::Game, oracle::HaltReason};
use std::fmt;
use thiserror::Error;

/// Why a tree or a graph is not built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TreeError {
    /// It would be larger than it may be.
    #[error("{0}")]
    TooLarge(Box<TreeTooLarge>),
    /// The budget was spent.
    #[error(transparent)]
    Halt(#[from] HaltReason),
}

/// A tree or a graph that would be larger than it may be, and what would fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeTooLarge {
    /// The nodes of the tree that was asked for; `None` if it was the graph.
    pub tree: Option<TreeSize>,
    /// The depth that it was to be cut at, if any.
    pub depth: Option<u64>,
    /// The most nodes, and edges, that it may have.
    pub most: u64,
    /// The deepest cut of the tree that would fit; `None` if not even the root may be drawn.
    pub cut: Option<TreeCut>,
    /// The size of the graph of states: down to that depth if it was asked for, and else whole.
    pub graph: GraphSize,
    /// The deepest cut of the graph that would fit; `None` if not even the start may be drawn.
    pub graph_cut: Option<GraphCut>,
}

/// A tree that is cut at some depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeCut {
    /// The most takes from the root.
    pub depth: u64,
    /// How many nodes it has.
    pub nodes: u64,
}

/// A graph of states that is cut at some depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphCut {
    /// The most takes from the start, by the shortest way.
    pub depth: u64,
    /// How large it is.
    pub size: GraphSize,
}

impl TreeTooLarge {
    pub(super) fn tree(game: &Game, depth: Option<u64>, size: TreeSize, most: u64) -> Self {
        Self { tree: Some(size), depth, ..Self::graph(game, None, GraphSize::of_game(game), most) }
    }

    pub(super) fn graph(game: &Game, depth: Option<u64>, graph: GraphSize, most: u64) -> Self {
        let (cut, graph_cut) = (TreeSize::deepest_cut(&game.piles, most), GraphSize::deepest_cut(game, most));
        Self { tree: None, depth, most, cut, graph, graph_cut }
    }

    /// Returns whether the graph of states would fit.
    pub fn graph_fits(&self) -> bool {
        self.graph.fits_within(self.most)
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
        write!(f, ", more than {}", self.most)
    }
}
