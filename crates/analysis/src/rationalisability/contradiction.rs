//! Contradictions: takes that no single row explains.

use lastnim_core::shown_number::shown_number;
use std::fmt;

/// A take, identified by game and ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TakeOfGame {
    /// The number of the game, from 0 in the order in which the games were added.
    pub game: u64,
    /// The ply, from 0.
    pub ply: u32,
}

/// Takes that no single row explains. They prove that a seat's play follows no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The takes, in order of play. If any one of them is removed, some row explains the others, unless the search
    /// stopped early.
    pub takes: Vec<TakeOfGame>,
    /// How far it is proved that fewer takes would not be enough.
    pub minimality: Minimality,
}

/// How far it is proved that a contradiction is the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimality {
    /// The contradiction is the shortest: for any smaller set of takes, some row explains them all.
    Proved,
    /// The contradiction is the shortest that can be formed from this many kept takes; other takes were dropped.
    ProvedAmong(u64),
    /// The search stopped early. It proved that a contradiction among the kept takes needs at least this many takes.
    AtLeast(usize),
}

impl fmt::Display for TakeOfGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, take {}", shown_number(self.game), shown_number(self.ply))
    }
}
