//! Nim on a graph.

use crate::general::{Anyone, GameNumbersError, MAX_SEARCHED_SIZE, Rules};
use std::fmt;

/// A token is on a vertex of a graph with weighted edges. Lower the weight of an edge at this vertex, and move the
/// token along this edge (Fukuyama 2003).
#[derive(Debug, Clone, Copy)]
pub struct GraphNim;

/// The largest vertex number; the smallest is 0.
pub const MAX_VERTEX: u64 = 63;
/// Maximum number of edges in a graph.
pub const MAX_EDGES: usize = 256;

/// A weighted edge between two vertices. Loops and parallel edges are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The vertex with the smaller number.
    a: u8,
    /// The other vertex.
    b: u8,
    weight: u32,
}

impl Edge {
    /// Returns the vertex at the other end, if one end is at `vertex`.
    fn other_end(self, vertex: u8) -> Option<u8> {
        match vertex {
            _ if vertex == self.a => Some(self.b),
            _ if vertex == self.b => Some(self.a),
            _ => None,
        }
    }
}

/// A position: the token's vertex and the weighted edges.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GraphPosition {
    vertex: u8,
    edges: Box<[Edge]>,
}

impl GraphPosition {
    /// Creates a position from up to 256 edges and the token's vertex. Each edge consists of two vertices, from 0 to
    /// 63, and a weight of at most 1,000,000.
    ///
    /// # Errors
    /// Names the first invalid number.
    pub fn parse(edges: &[[u64; 3]], vertex: u64) -> Result<Self, GameNumbersError> {
        if edges.len() > MAX_EDGES {
            return Err(GameNumbersError::EdgeCount(edges.len()));
        }
        let known_vertex = |vertex: u64| u8::try_from(vertex).ok().filter(|_| vertex <= MAX_VERTEX);
        let parse_edge = |(edge, &[one, other, weight]): (usize, &[u64; 3])| {
            let end = |vertex| known_vertex(vertex).ok_or(GameNumbersError::EdgeVertex { edge, vertex });
            let (one, other) = (end(one)?, end(other)?);
            if weight > MAX_SEARCHED_SIZE {
                return Err(GameNumbersError::EdgeWeight { edge, weight });
            }
            Ok(Edge { a: one.min(other), b: one.max(other), weight: weight as u32 })
        };
        Ok(Self {
            vertex: known_vertex(vertex).ok_or(GameNumbersError::Vertex(vertex))?,
            edges: edges.iter().enumerate().map(parse_edge).collect::<Result<_, _>>()?,
        })
    }
}

/// A move along an edge, which lowers its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EdgeMove {
    /// The edge's index, from 0.
    pub edge: usize,
    /// The token's new vertex.
    pub to: u8,
    /// The edge's weight before the move.
    pub before: u32,
    /// The edge's weight after the move.
    pub after: u32,
}

impl Rules for GraphNim {
    type MoverKind = Anyone;
    type Position = GraphPosition;
    type Move = EdgeMove;

    fn moves(&self, position: GraphPosition, _: Anyone) -> impl Iterator<Item = (EdgeMove, GraphPosition)> {
        (0..position.edges.len()).flat_map(move |edge| {
            let position = position.clone();
            let Edge { weight: before, .. } = position.edges[edge];
            let end = position.edges[edge].other_end(position.vertex);
            end.into_iter().flat_map(move |end| {
                let position = position.clone();
                (0..before).map(move |after| {
                    let mut next = GraphPosition { vertex: end, edges: position.edges.clone() };
                    next.edges[edge].weight = after;
                    (EdgeMove { edge, to: end, before, after }, next)
                })
            })
        })
    }

    fn canonical_position(&self, position: GraphPosition) -> GraphPosition {
        // Only live edges matter: the token can never use an edge of weight 0, nor reach a part of the graph beyond
        // such edges.
        let mut reached = 1_u64 << position.vertex;
        loop {
            let before = reached;
            for edge in position.edges.iter().filter(|edge| edge.weight > 0) {
                let ends = 1 << edge.a | 1 << edge.b;
                if reached & ends != 0 {
                    reached |= ends;
                }
            }
            if reached == before {
                break;
            }
        }
        let is_live = |edge: &&Edge| edge.weight > 0 && reached & 1 << edge.a != 0;
        let mut edges: Box<[Edge]> = position.edges.iter().filter(is_live).copied().collect();
        edges.sort_unstable();
        GraphPosition { vertex: position.vertex, edges }
    }

    fn position_heap_bytes(&self, position: &GraphPosition) -> usize {
        (size_of_val(&*position.edges) + 8).next_multiple_of(16)
    }
}

impl fmt::Display for GraphPosition {
    /// Writes the token's vertex and the edges, as in `vertex 2; edges 0-1:3, 1-2:1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vertex {}; edges", self.vertex)?;
        if self.edges.is_empty() {
            return f.write_str(" none");
        }
        for (place, Edge { a, b, weight }) in self.edges.iter().enumerate() {
            write!(f, "{} {a}-{b}:{weight}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for EdgeMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { edge, to, before, after } = self;
        write!(f, "lower edge {edge} from {before} to {after} and move to vertex {to}")
    }
}
