//! The JSON of trees and graphs of play.

use super::{BestLineJson, matrix};
use crate::{
    game::Game,
    oracle::tree::{Edge, Node, PlayGraph, Size},
};
use serde::Serialize;

/// A tree or a graph of play, flat: edges name nodes by their index from 0, the start, so that nothing is nested deeply.
#[derive(Debug, Clone, Serialize)]
pub struct PlayGraphJson<'a> {
    kind: PlayKind,
    alliance_matrix: Vec<&'a [u8]>,
    ending: &'static str,
    winner: usize,
    best_line: BestLineJson,
    nodes: Vec<NodeJson>,
    edges: Vec<EdgeJson>,
}

/// How play is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayKind {
    /// Every way to a state has a node of its own.
    Tree,
    /// Every state has one node.
    Graph,
}

#[derive(Debug, Clone, Serialize)]
struct NodeJson {
    to_move: usize,
    piles: Vec<u64>,
    winner: usize,
    /// Where the tree or the graph was cut: the nodes below.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<SizeJson>,
}

#[derive(Debug, Clone, Serialize)]
struct EdgeJson {
    from: usize,
    to: usize,
    take: u64,
    optimal: bool,
}

/// A number of nodes: as `nodes` below 2^64, and else as `log2`, the power of two that it is about.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum SizeJson {
    Nodes(u64),
    Log2(u128),
}

impl<'a> PlayGraphJson<'a> {
    /// Writes the play of a game.
    pub fn of(game: &'a Game, graph: &PlayGraph, kind: PlayKind) -> Self {
        let line = graph.best_line();
        let end = line.last().map_or(0, |edge| edge.to);
        Self {
            kind,
            alliance_matrix: matrix(&game.matrix),
            ending: game.ending.name(),
            winner: graph.nodes()[0].winner.index(),
            best_line: BestLineJson {
                takes: line.iter().map(|edge| edge.take).collect(),
                over: graph.nodes()[end].position.is_over(),
            },
            nodes: graph.nodes().iter().map(NodeJson::from).collect(),
            edges: graph.edges().iter().map(EdgeJson::from).collect(),
        }
    }
}

impl From<&Node> for NodeJson {
    fn from(node: &Node) -> Self {
        Self {
            to_move: node.position.to_move().index(),
            piles: node.position.piles().collect(),
            winner: node.winner.index(),
            cut: node.cut.map(SizeJson::from),
        }
    }
}

impl From<&Edge> for EdgeJson {
    fn from(edge: &Edge) -> Self {
        Self { from: edge.from, to: edge.to, take: edge.take, optimal: edge.is_optimal }
    }
}

impl From<Size> for SizeJson {
    fn from(size: Size) -> Self {
        match size {
            Size::Exactly(nodes) => {
                u64::try_from(nodes).map_or_else(|_| Self::Log2(nodes.ilog2().into()), Self::Nodes)
            }
            Size::About2To(log2) | Size::AtLeast2To(log2) => Self::Log2(log2),
        }
    }
}
