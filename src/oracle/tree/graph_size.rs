//! How large the graph of a game's states is, without building it.

use super::Size;
use crate::game::Game;
use std::fmt;

/// How many states a game can come to, and how many takes there are between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSize {
    /// States: a seat to move, and the counters of every pile. There are less than 2^79.
    pub nodes: u128,
    /// Takes, counted for each state.
    pub edges: Size,
}

impl GraphSize {
    /// Counts the states and the takes, in O(N n).
    ///
    /// The seats that may be to move when a pile is first touched follow upon each other: say there are `a`. Once `t` of
    /// its `x` counters are gone, 1 to `t` takes have been made, and `min(n, a + t - 1)` seats may be to move.
    pub fn of(game: &Game) -> Self {
        let n = game.matrix.seats().get() as u128;
        let mut seats = 1;
        let mut nodes = 0;
        let mut edges = Some(0_u128);
        let mut add = |seats: u128, levels: u128, takes: Option<u128>| {
            nodes += seats * levels;
            edges = edges.and_then(|edges| edges.checked_add(takes?.checked_mul(seats)?));
        };
        for counters in game.piles.as_slice().iter().rev().map(|&counters| u128::from(counters)) {
            add(seats, 1, Some(counters));
            let mut left = counters - 1;
            while left > 0 && seats < n {
                add(seats, 1, Some(left));
                left -= 1;
                seats += 1;
            }
            // From here on it may be any seat's turn.
            add(seats, left, (left + 1).checked_mul(left).map(|twice| twice / 2));
        }
        add(seats, 1, Some(0));
        let edges = edges.map_or(Size::AtLeast2To(128), Size::Exactly);
        Self { nodes, edges }
    }
}

impl fmt::Display for GraphSize {
    /// Writes `11 nodes and 16 edges`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes and {} edges", self.nodes, self.edges)
    }
}
