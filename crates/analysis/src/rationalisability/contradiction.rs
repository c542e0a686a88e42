//! Takes that no row explains together.

use std::fmt;

/// A take, by the game and its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TakeOfGame {
    /// The number of the game, from 0 in the order in which games were added.
    pub game: u64,
    /// The ply, from 0.
    pub ply: u32,
}

/// Takes that no row explains together: the proof that a seat's play follows no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The takes, in order of play. Some row explains all but any one of them, unless the budget was spent too soon.
    pub takes: Vec<TakeOfGame>,
    /// Whether fewer takes would do.
    pub minimality: Minimality,
}

/// Whether a contradiction is the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimality {
    /// It is: any fewer of the takes have a row that explains them.
    Proved,
    /// It is the shortest among so many takes that were kept; others had to be forgotten.
    ProvedAmong(u64),
    /// The budget did not last for a proof; of the takes that were kept, none fewer than so many contradict each other.
    AtLeast(usize),
}

impl fmt::Display for TakeOfGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, ply {}", self.game, self.ply)
    }
}
