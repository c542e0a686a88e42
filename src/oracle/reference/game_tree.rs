//! The explicit tree of a game.

use crate::game::{AllianceMatrix, Ending, Game, Position, Seat};

/// The tree of all possible cases of a game, each with the seat to move and the counters of every pile.
///
/// Source: El-Seidy, El Kady and Nassr (2019), Algorithms 3.1 to 3.3. Its size is exponential in the counters.
#[derive(Debug, Clone)]
pub struct GameTree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
struct Node {
    mover: Seat,
    piles: Box<[u64]>,
    children: Vec<usize>,
}

impl GameTree {
    /// Builds the tree, the root first (Algorithms 3.1 and 3.2); nothing if it would have more than `most` nodes.
    pub fn build(game: &Game, most: u64) -> Option<Self> {
        let nodes = Self::count(game.piles.as_slice()).filter(|&nodes| nodes <= most)?;
        let mut tree = Self { nodes: Vec::with_capacity(usize::try_from(nodes).ok()?) };
        tree.append(&game.position());
        Some(tree)
    }

    /// Returns how many nodes the tree of such piles has, if that can be counted: `T_0 = 1`,
    /// `T_j = 2^(x_j - 1) (1 + T_{j-1})`.
    pub fn count(piles: &[u64]) -> Option<u64> {
        piles.iter().try_fold(1_u64, |nodes, &counters| {
            let splits = 1_u64.checked_shl(u32::try_from(counters - 1).ok()?)?;
            splits.checked_mul(nodes + 1)
        })
    }

    /// Returns how many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether it has no node; it always has a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the winner of the root (Algorithm 3.3).
    pub fn winner(&self, matrix: &AllianceMatrix, ending: Ending) -> Seat {
        self.winner_of(0, matrix, ending)
    }

    fn append(&mut self, position: &Position) -> usize {
        let index = self.nodes.len();
        let piles = position.piles().collect();
        self.nodes.push(Node { mover: position.to_move(), piles, children: Vec::new() });
        for take in 1..=position.counters() {
            let mut child = position.clone();
            child.take(take).expect("the take is in range");
            let child = self.append(&child);
            self.nodes[index].children.push(child);
        }
        index
    }

    fn winner_of(&self, index: usize, matrix: &AllianceMatrix, ending: Ending) -> Seat {
        let node = &self.nodes[index];
        if node.children.is_empty() {
            assert!(
                node.piles.iter().all(|&counters| counters == 0),
                "only a game that is over has no option"
            );
            return ending.winner(node.mover, matrix.seats());
        }
        let winners: Vec<_> =
            node.children.iter().map(|&child| self.winner_of(child, matrix, ending)).collect();
        let preferred = matrix[node.mover]
            .offsets()
            .iter()
            .map(|&offset| matrix.seats().offset(node.mover, usize::from(offset)));
        preferred.into_iter().find(|winner| winners.contains(winner)).expect("a row names every seat")
    }
}
