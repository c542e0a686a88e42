//! Takes from one of several piles.

use crate::general::PileSizes;
use std::fmt;

/// A take from one pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PileTake {
    /// Counters taken, at least 1.
    pub take: u32,
    /// The pile's index, from 0.
    pub pile: usize,
}

impl PileTake {
    /// Returns every take from a pile in ascending order, with the resulting piles.
    pub(super) fn all_from_pile(pile: usize, piles: PileSizes) -> impl Iterator<Item = (Self, PileSizes)> {
        let size = piles.as_slice()[pile];
        (1..=size).map(move |take| (Self { take, pile }, piles.with_size(pile, size - take)))
    }
}

impl fmt::Display for PileTake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {} from pile {}", self.take, self.pile)
    }
}
