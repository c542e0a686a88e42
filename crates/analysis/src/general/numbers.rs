//! The numbers of a game of any rules, before they are checked.

use super::{
    MAX_SEARCHED_PILES, MAX_SEARCHED_SIZE, PileSizes, Ruleset,
    rulesets::{MAX_CIRCLE, MAX_EDGES, MAX_VERTEX},
};
use lastnim_core::game::PilesError;
use std::fmt;
use thiserror::Error;

/// The numbers that make a game of some rules, as they came in; each game uses some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GameNumbers {
    /// The sizes of piles, rows or numbers; used by every game but graph-nim.
    pub piles: Vec<u64>,
    /// What may be taken from a pile, for subtraction.
    pub set: Vec<u64>,
    /// The most that may be taken from a pile, for subtraction instead of the set 1, 2, .. of all numbers up to it.
    pub max: Option<u64>,
    /// How many neighbouring piles may be touched at once, for circular-nim.
    pub window: Option<u64>,
    /// The most that may be taken next, for fibonacci-nim; unless given, one less than the pile.
    pub most: Option<u64>,
    /// The edges of the graph, each as two vertices and a weight, for graph-nim.
    pub edges: Vec<[u64; 3]>,
    /// The vertex of the token, for graph-nim.
    pub vertex: Option<u64>,
}

/// What a game is made of: a field of [`GameNumbers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberField {
    /// Piles.
    Piles,
    /// What may be taken.
    Set,
    /// The most that may be taken, of which any less may be as well.
    Max,
    /// How many piles may be touched.
    Window,
    /// The most that may be taken.
    Most,
    /// A graph's edges.
    Edges,
    /// The token's vertex.
    Vertex,
}

impl NumberField {
    /// Returns the name that flags, files and the wire use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Piles => "piles",
            Self::Set => "set",
            Self::Max => "max",
            Self::Window => "window",
            Self::Most => "most",
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

/// Numbers that are no game of the rules that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameNumbersError {
    /// Something is given that the game has no use for.
    #[error("{ruleset} is played without {what}: leave it out")]
    Unused {
        /// The game.
        ruleset: Ruleset,
        /// What is given.
        what: NumberField,
    },
    /// Something is not given that the game needs.
    #[error("{ruleset} needs {what}")]
    Missing {
        /// The game.
        ruleset: Ruleset,
        /// What is not given.
        what: NumberField,
    },
    /// The piles are none for Last Nim.
    #[error(transparent)]
    LastNim(#[from] PilesError),
    /// There are no piles, or too many.
    #[error("{0} piles: this game has 1 to {MAX_SEARCHED_PILES}")]
    PileCount(usize),
    /// A pile is too large to be searched.
    #[error("pile {pile} of {size}: in this game it is at most {MAX_SEARCHED_SIZE}")]
    PileSize {
        /// Its index, from 0.
        pile: usize,
        /// Its size.
        size: u64,
    },
    /// There is not exactly one pile.
    #[error("{0} piles: fibonacci-nim is played with one")]
    NotOnePile(usize),
    /// What may be taken at most is too large.
    #[error("at most {0} may be taken next: that is more than any pile")]
    Most(u64),
    /// There are too many piles for a circle.
    #[error("{0} piles in a circle: circular-nim has at most {MAX_CIRCLE}")]
    Circle(usize),
    /// The window does not fit the circle.
    #[error("a window of {window} piles in a circle of {circle}: it has 1 to {circle}")]
    Window {
        /// The piles of the window.
        window: u64,
        /// The piles of the circle.
        circle: usize,
    },
    /// There are no numbers in the set, or too many.
    #[error("a set of {given} numbers: it has 1 to {most}")]
    SetCount {
        /// The numbers given.
        given: usize,
        /// The most that a set has.
        most: usize,
    },
    /// What may be taken is given in two ways.
    #[error("a set and a max, which stands for the set of all numbers from 1 to it: give one of them")]
    SetAndMax,
    /// The most that may be taken is too small or too large.
    #[error("max {given}: the most that may be taken is 1 to {most}")]
    Max {
        /// The number given.
        given: u64,
        /// The most that a set has.
        most: usize,
    },
    /// A number of the set can be taken from no pile.
    #[error("{0} in the set: what may be taken is 1 to 2^32 - 1")]
    SetNumber(u64),
    /// There are too many edges.
    #[error("{0} edges: a graph has at most {MAX_EDGES}")]
    EdgeCount(usize),
    /// An edge has an end that is no vertex.
    #[error("edge {edge} ends at vertex {vertex}: the vertices are 0 to {MAX_VERTEX}")]
    EdgeVertex {
        /// Its index, from 0.
        edge: usize,
        /// The number given.
        vertex: u64,
    },
    /// An edge is too heavy to be searched.
    #[error("edge {edge} of weight {weight}: it is at most {MAX_SEARCHED_SIZE}")]
    EdgeWeight {
        /// Its index, from 0.
        edge: usize,
        /// Its weight.
        weight: u64,
    },
    /// The token stands on no vertex.
    #[error("the token on vertex {0}: the vertices are 0 to {MAX_VERTEX}")]
    Vertex(u64),
    /// The token stands on a vertex that no edge ends at.
    #[error("the token on vertex {vertex}, at which no edge ends: the edges are {edges}")]
    OffGraph {
        /// The number given.
        vertex: u64,
        /// The edges.
        edges: String,
    },
}

impl GameNumbers {
    /// Makes the numbers of a game of piles and nothing else.
    pub fn of_piles(piles: &[u64]) -> Self {
        Self { piles: piles.to_vec(), ..Self::default() }
    }

    /// Accepts only what a game uses.
    ///
    /// # Errors
    /// Names the first thing that is too much or missing.
    pub(super) fn check_fields_used(&self, ruleset: Ruleset) -> Result<(), GameNumbersError> {
        let is_graph = ruleset == Ruleset::GraphNim;
        let is_circle = ruleset == Ruleset::CircularNim;
        let is_subtraction = ruleset == Ruleset::Subtraction;
        let given = [
            (NumberField::Piles, !self.piles.is_empty(), !is_graph, !is_graph),
            (NumberField::Set, !self.set.is_empty(), is_subtraction, is_subtraction && self.max.is_none()),
            (NumberField::Max, self.max.is_some(), is_subtraction, false),
            (NumberField::Window, self.window.is_some(), is_circle, is_circle),
            (NumberField::Most, self.most.is_some(), ruleset == Ruleset::FibonacciNim, false),
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

    /// Accepts a set, or its largest number, for subtraction alone.
    ///
    /// # Errors
    /// Names what the game has no use for.
    pub(super) fn check_unused_takes(&self, ruleset: Ruleset) -> Result<(), GameNumbersError> {
        let given = [(NumberField::Set, !self.set.is_empty()), (NumberField::Max, self.max.is_some())];
        match given.into_iter().find(|&(_, is_given)| is_given && ruleset != Ruleset::Subtraction) {
            Some((what, _)) => Err(GameNumbersError::Unused { ruleset, what }),
            None => Ok(()),
        }
    }

    /// Accepts only a vertex that some edge ends at, unless there is no edge at all.
    ///
    /// # Errors
    /// Names the vertex and the edges.
    pub(super) fn check_vertex(&self) -> Result<(), GameNumbersError> {
        let Some(vertex) = self.vertex else { return Ok(()) };
        if self.edges.is_empty() || self.edges.iter().any(|edge| edge[..2].contains(&vertex)) {
            return Ok(());
        }
        let edges: Vec<_> =
            self.edges.iter().map(|[one, other, weight]| format!("{one}-{other}:{weight}")).collect();
        Err(GameNumbersError::OffGraph { vertex, edges: edges.join(", ") })
    }

    /// Accepts 1 to 64 piles of up to 1,000,000 each.
    ///
    /// # Errors
    /// Names the first pile that does not fit.
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
