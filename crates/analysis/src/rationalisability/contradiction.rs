//! Contradictions: takes that no single row explains.

use std::fmt;

/// A take, identified by game and ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TakeOfGame {
    /// The number of the game, from 0 in the order of addition.
    pub game: u64,
    /// The ply, from 0.
    pub ply: u32,
}

/// Takes that no single row explains: the proof that a seat's play follows no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The takes, in order of play. Without any one of them, some row explains the rest, unless the budget ran out
    /// early.
    pub takes: Vec<TakeOfGame>,
    /// Whether fewer takes would be enough.
    pub minimality: Minimality,
}

/// Whether a contradiction is the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimality {
    /// The contradiction is the shortest: for any smaller set of takes, some row explains them all.
    Proved,
    /// The contradiction is the shortest among this many kept takes; other takes were dropped.
    ProvedAmong(u64),
    /// The budget ran out; among the kept takes, a contradiction needs at least this many.
    AtLeast(usize),
}

impl fmt::Display for TakeOfGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, ply {}", self.game, self.ply)
    }
}
