//! States of a game and the takes between them.

use lastnim_core::game::{Position, Seat};

use super::TreeSize;

/// All possible play of a game, as a tree or as the graph of its states: nodes, and the takes between them.
///
/// The first node is the start, and every edge leads to a later node. In a tree the nodes are in the order of Algorithm
/// 3.2, and edge `k` leads to node `k + 1`; in the graph the edges are in the order of their start nodes. The takes of
/// a node are in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayGraph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

/// A state of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The state: the seat to move, and the counters of every pile.
    pub position: Position,
    /// The seat that wins under optimal play.
    pub winner: Seat,
    /// The number of nodes below, if the tree or graph was cut here.
    pub cut: Option<TreeSize>,
}

/// A take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The index of the node before it.
    pub from: usize,
    /// The index of the node after it.
    pub to: usize,
    /// Counters taken.
    pub take: u64,
    /// Whether it is optimal.
    pub is_optimal: bool,
}

impl PlayGraph {
    /// Returns the nodes, the start first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the takes.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the best line of play from the start, always with the smallest optimal take, until the game is over or
    /// the drawing is cut.
    ///
    /// Algorithm 3.3 also looks through the takes in ascending order and picks the first that leads to the winner that
    /// the seat likes best.
    pub fn best_line(&self) -> Vec<Edge> {
        let mut end = 0;
        let mut line = self.edges.clone();
        line.retain(|edge| {
            let goes_on = edge.is_optimal && edge.from == end;
            if goes_on {
                end = edge.to;
            }
            goes_on
        });
        line
    }
}
