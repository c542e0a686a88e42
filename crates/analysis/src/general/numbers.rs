//! The unvalidated numbers that describe a game.

use super::{
    MAX_SEARCHED_PILES, MAX_SEARCHED_SIZE, PileSizes, Ruleset,
    rulesets::{MAX_CIRCLE_PILES, MAX_EDGES, MAX_VERTEX},
};
use lastnim_core::game::PilesError;
use std::fmt;
use thiserror::Error;

/// The unvalidated numbers that describe a game. Each game uses only some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GameNumbers {
    /// The sizes of the piles or rows, or the numbers in the game of digits; used by every game except graph-nim.
    pub piles: Vec<u64>,
    /// The allowed takes, for the game subtraction.
    pub set: Vec<u64>,
    /// The maximum take, for subtraction: the allowed takes are then 1, 2, .., max.
    pub max: Option<u64>,
    /// The number of adjacent piles that one move may touch, for circular-nim.
    pub window: Option<u64>,
    /// The maximum next take, for fibonacci-nim; by default one less than the pile.
    pub most: Option<u64>,
    /// The edges of the graph, each as two vertices and a weight, for graph-nim.
    pub edges: Vec<[u64; 3]>,
    /// The vertex that the token is on, for graph-nim.
    pub vertex: Option<u64>,
}

/// A field of [`GameNumbers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberField {
    /// The sizes of the piles.
    Piles,
    /// The allowed takes.
    Set,
    /// The maximum take.
    Max,
    /// The number of piles in the window.
    Window,
    /// The maximum next take.
    MaxNextTake,
    /// The edges of the graph.
    Edges,
    /// The vertex that the token is on.
    Vertex,
}

impl NumberField {
    /// Returns the name used by flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Piles => "piles",
            Self::Set => "set",
            Self::Max => "max",
            Self::Window => "window",
            Self::MaxNextTake => "most",
            Self::Edges => "edges",
            Self::Vertex => "vertex",
        }
    }
}

impl fmt::Display for NumberField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The reason why the numbers do not describe a valid game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameNumbersError {
    /// A field is given that the game does not use.
    #[error("{ruleset} does not use `{what}`: leave it out")]
    Unused {
        /// The game.
        ruleset: Ruleset,
        /// The field.
        what: NumberField,
    },
    /// A field is missing.
    #[error("{ruleset} needs `{what}`")]
    Missing {
        /// The game.
        ruleset: Ruleset,
        /// The field.
        what: NumberField,
    },
    /// The piles are invalid for Last Nim.
    #[error(transparent)]
    LastNim(#[from] PilesError),
    /// There are no piles, or too many.
    #[error("{0} piles: expected 1 to {MAX_SEARCHED_PILES} in this game")]
    PileCount(usize),
    /// A pile is too large to be searched.
    #[error("pile {pile} has size {size}: expected at most {MAX_SEARCHED_SIZE} in this game")]
    PileSize {
        /// The pile's index, from 0.
        pile: usize,
        /// The pile's size.
        size: u64,
    },
    /// The number of piles is not 1.
    #[error("{0} piles: expected 1 pile in fibonacci-nim")]
    NotOnePile(usize),
    /// The maximum next take is too large.
    #[error("a maximum next take of {0}: expected at most 2^32 - 1")]
    MaxNextTake(u64),
    /// There are too many piles for a circle.
    #[error("{0} piles in a circle: expected at most {MAX_CIRCLE_PILES} in circular-nim")]
    Circle(usize),
    /// The window does not fit into the circle.
    #[error("a window of {window} piles in a circle of {circle}: expected 1 to {circle}")]
    Window {
        /// The size of the window.
        window: u64,
        /// The number of piles in the circle.
        circle: usize,
    },
    /// The set is empty or too large.
    #[error("a set of {given} numbers: expected 1 to {max} numbers")]
    SetCount {
        /// The size of the given set.
        given: usize,
        /// The maximum size of a set.
        max: usize,
    },
    /// Both a set and a maximum take are given.
    #[error("both a set and a max are given: give only one (max 3 means the set 1, 2, 3)")]
    SetAndMax,
    /// The maximum take is too small or too large.
    #[error("max {given}: expected 1 to {limit}")]
    Max {
        /// The number given.
        given: u64,
        /// The largest allowed maximum take.
        limit: usize,
    },
    /// A number in the set is 0, or larger than any pile can be.
    #[error("{0} in the set: expected 1 to 2^32 - 1")]
    SetNumber(u64),
    /// There are too many edges.
    #[error("{0} edges: expected at most {MAX_EDGES}")]
    EdgeCount(usize),
    /// An edge ends at an invalid vertex.
    #[error("edge {edge} ends at vertex {vertex}: expected 0 to {MAX_VERTEX}")]
    EdgeVertex {
        /// The edge's index, from 0.
        edge: usize,
        /// The number given.
        vertex: u64,
    },
    /// The weight of an edge is too large for a search.
    #[error("edge {edge} has weight {weight}: expected at most {MAX_SEARCHED_SIZE}")]
    EdgeWeight {
        /// The edge's index, from 0.
        edge: usize,
        /// The edge's weight.
        weight: u64,
    },
    /// The token is on an invalid vertex.
    #[error("the token is on vertex {0}: expected 0 to {MAX_VERTEX}")]
    Vertex(u64),
    /// No edge ends at the token's vertex.
    #[error("the token is on vertex {vertex}, which no edge touches: the edges are {edges}")]
    OffGraph {
        /// The number given.
        vertex: u64,
        /// The edges, as text.
        edges: String,
    },
}

impl GameNumbers {
    /// Creates the numbers of a game that needs only piles.
    pub fn of_piles(piles: &[u64]) -> Self {
        Self { piles: piles.to_vec(), ..Self::default() }
    }

    /// Checks that each field that the game needs is given, and that each given field is used by the game.
    ///
    /// # Errors
    /// Names the first unused or missing field.
    pub(super) fn check_fields_used(&self, ruleset: Ruleset) -> Result<(), GameNumbersError> {
        let is_graph = ruleset == Ruleset::GraphNim;
        let is_circle = ruleset == Ruleset::CircularNim;
        let is_subtraction = ruleset == Ruleset::Subtraction;
        let given = [
            (NumberField::Piles, !self.piles.is_empty(), !is_graph, !is_graph),
            (NumberField::Set, !self.set.is_empty(), is_subtraction, is_subtraction && self.max.is_none()),
            (NumberField::Max, self.max.is_some(), is_subtraction, false),
            (NumberField::Window, self.window.is_some(), is_circle, is_circle),
            (NumberField::MaxNextTake, self.most.is_some(), ruleset == Ruleset::FibonacciNim, false),
            (NumberField::Edges, !self.edges.is_empty(), is_graph, false),
            (NumberField::Vertex, self.vertex.is_some(), is_graph, is_graph),
        ];
        for (what, is_given, is_used, is_needed) in given {
            if is_given && !is_used {
                return Err(GameNumbersError::Unused { ruleset, what });
            }
            if is_needed && !is_given {
                return Err(GameNumbersError::Missing { ruleset, what });
            }
        }
        Ok(())
    }

    /// Checks that a set or a maximum take is given only if the game is subtraction.
    ///
    /// # Errors
    /// Names the field that the game does not use.
    pub(super) fn check_unused_takes(&self, ruleset: Ruleset) -> Result<(), GameNumbersError> {
        let given = [(NumberField::Set, !self.set.is_empty()), (NumberField::Max, self.max.is_some())];
        match given.into_iter().find(|&(_, is_given)| is_given && ruleset != Ruleset::Subtraction) {
            Some((what, _)) => Err(GameNumbersError::Unused { ruleset, what }),
            None => Ok(()),
        }
    }

    /// Checks that some edge ends at the token's vertex, unless there are no edges.
    ///
    /// # Errors
    /// If no edge ends at this vertex. The error names the vertex and the edges.
    pub(super) fn check_vertex(&self) -> Result<(), GameNumbersError> {
        let Some(vertex) = self.vertex else { return Ok(()) };
        if self.edges.is_empty() || self.edges.iter().any(|edge| edge[..2].contains(&vertex)) {
            return Ok(());
        }
        let edges: Vec<_> =
            self.edges.iter().map(|[one, other, weight]| format!("{one}-{other}:{weight}")).collect();
        Err(GameNumbersError::OffGraph { vertex, edges: edges.join(", ") })
    }

    /// Returns the pile sizes, if there are 1 to 64 piles and each has a size of at most 1,000,000.
    ///
    /// # Errors
    /// Names the first invalid pile.
    pub(super) fn piles_for_search(&self) -> Result<PileSizes, GameNumbersError> {
        if !(1..=MAX_SEARCHED_PILES).contains(&self.piles.len()) {
            return Err(GameNumbersError::PileCount(self.piles.len()));
        }
        let sizes = self.piles.iter().enumerate().map(|(pile, &size)| match u32::try_from(size) {
            Ok(fitting) if size <= MAX_SEARCHED_SIZE => Ok(fitting),
            _ => Err(GameNumbersError::PileSize { pile, size }),
        });
        sizes.collect()
    }
}
