//! States of a game and the takes between them.

use lastnim_core::game::{Position, Seat};

use super::TreeSize;

/// All possible play of a game, as a tree or as the graph of its states: nodes, and the takes between them.
///
/// The first node is the start, and every edge leads to a later node. In a tree, the nodes are in the order of
/// Algorithm 3.2, and edge `k` leads to node `k + 1`. In a graph, the edges are sorted by the nodes that they start
/// from. The takes from each node are in ascending order.
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
    /// The number of nodes below this one that were left out; `None` if the tree or graph was not cut here.
    pub cut: Option<TreeSize>,
}

/// A take that leads from one node to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The index of the node before the take.
    pub from: usize,
    /// The index of the node after the take.
    pub to: usize,
    /// The number of counters taken.
    pub take: u64,
    /// Whether the take is optimal.
    pub is_optimal: bool,
}

impl PlayGraph {
    /// Returns the nodes; the first is the start.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the takes.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the best line of play from the start. It always follows the smallest optimal take, and ends when the
    /// game is over or where the tree or graph was cut.
    ///
    /// Algorithm 3.3 also looks through the takes in ascending order and picks the first one that leads to the winner
    /// that the seat prefers most.
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
