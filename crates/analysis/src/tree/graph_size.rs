//! Computes the size of a game's state graph without building it.

use super::{GraphCut, TreeSize};
use lastnim_core::game::{Game, SeatCount};
use std::fmt;

/// The number of reachable states, and the number of takes between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSize {
    /// The number of states, always below 2^79. A state is the seat to move and the counters of every pile.
    pub nodes: u128,
    /// The number of takes, summed over all states.
    pub edges: TreeSize,
}

impl GraphSize {
    /// Counts the states and the takes in O(N + n) time.
    ///
    /// When play reaches a pile, the seats that may be to move are consecutive; say there are `a` of them. Once `t` of
    /// its `x` counters are gone, 1 to `t` takes have been made, and `min(n, a + t - 1)` seats may be to move.
    pub fn of_game(game: &Game) -> Self {
        Self::to_depth(game, u64::MAX)
    }

    /// Counts the states reached by at most `depth` takes, and the takes from those reached by fewer, in O(N + n) time.
    ///
    /// Suppose that the last `k` piles are gone. Reaching a state in which the next pile is untouched needs at least
    /// `k` takes, and reaching one in which it has been touched needs at least `k + 1`. With exactly that minimum, only
    /// one seat can be to move. Each further take allows one more seat, until every seat may be to move.
    pub fn to_depth(game: &Game, depth: u64) -> Self {
        Self::of_piles(game.piles.as_slice(), game.matrix.seats(), depth)
    }

    /// Does the same as [`Self::to_depth`] for a list of piles. The last pile is played first.
    pub(super) fn of_piles(piles: &[u64], seats: SeatCount, depth: u64) -> Self {
        let n = seats.get() as u128;
        let mut seats = 1;
        let mut nodes = 0;
        let mut edges = Some(0_u128);
        // `more_takes` is how many more takes can follow before the cut; `None` if the states themselves lie below the
        // cut.
        let mut add = |seats: u128, levels: u128, takes: Option<u128>, more_takes: Option<u64>| {
            let Some(more_takes) = more_takes.map(u128::from) else { return };
            nodes += seats.min(more_takes + 1) * levels;
            edges = edges.and_then(|edges| match seats.min(more_takes) {
                0 => Some(edges),
                seats => edges.checked_add(takes?.checked_mul(seats)?),
            });
        };
        let mut more_takes = Some(depth);
        for counters in piles.iter().rev().map(|&counters| u128::from(counters)) {
            add(seats, 1, Some(counters), more_takes);
            more_takes = more_takes.and_then(|takes| takes.checked_sub(1));
            let mut left = counters - 1;
            while left > 0 && seats < n {
                add(seats, 1, Some(left), more_takes);
                left -= 1;
                seats += 1;
            }
            // From here on, any seat may be to move.
            add(seats, left, (left + 1).checked_mul(left).map(|twice| twice / 2), more_takes);
        }
        add(seats, 1, Some(0), more_takes);
        let edges = edges.map_or(TreeSize::AtLeastPowerOf2(128), TreeSize::Exactly);
        Self { nodes, edges }
    }

    /// Returns the deepest cut with at most `limit` states and `limit` takes; `None` if `limit` is 0.
    pub(super) fn deepest_cut(game: &Game, limit: u64) -> Option<GraphCut> {
        let fits = |depth| Some(Self::to_depth(game, depth)).filter(|size| size.fits_within(limit));
        let (mut depth, mut size) = (0, fits(0)?);
        // Every state can be reached with fewer takes than this.
        let mut too_deep = (game.piles.len() + game.matrix.seats().get() + 1) as u64;
        while depth + 1 < too_deep {
            let middle = u64::midpoint(depth, too_deep);
            match fits(middle) {
                Some(larger) => (depth, size) = (middle, larger),
                None => too_deep = middle,
            }
        }
        Some(GraphCut { depth, size })
    }

    /// Returns whether there are at most `limit` states and `limit` takes.
    pub fn fits_within(&self, limit: u64) -> bool {
        self.nodes <= limit.into() && self.edges.at_most(limit).is_some()
    }
}

impl fmt::Display for GraphSize {
    /// Writes `11 nodes and 16 edges`, or `1 node and 0 edges`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = if self.nodes == 1 { "node" } else { "nodes" };
        let edges = if self.edges == TreeSize::Exactly(1) { "edge" } else { "edges" };
        write!(f, "{} {nodes} and {} {edges}", self.nodes, self.edges)
    }
}
