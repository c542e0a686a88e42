//! The explicit tree of a game.

use crate::game::{AllianceMatrix, Ending, Game, Position, Seat};

/// The tree of all possible cases of a game, each with the seat to move and the counters of every pile.
///
/// Source: El-Seidy, El Kady and Nassr (2019), Algorithms 3.1 to 3.3. Its size is exponential in the counters.
#[derive(Debug, Clone)]
pub struct GameTree {
    nodes: Vec<GameTreeNode>,
}

#[derive(Debug, Clone)]
struct GameTreeNode {
    mover: Seat,
    piles: Box<[u64]>,
    children: Vec<usize>,
}

impl GameTree {
    /// Builds the tree, the root first (Algorithms 3.1 and 3.2); nothing if it has more than `most` nodes.
    pub fn build(game: &Game, most: usize) -> Option<Self> {
        let mut tree = Self { nodes: Vec::new() };
        tree.append(&game.first_position(), most)?;
        Some(tree)
    }

    /// Returns how many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether it has no node; it always has a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the nodes' seats to move and counters of every pile, in the order in which they were appended.
    pub fn states(&self) -> impl Iterator<Item = (Seat, &[u64])> {
        self.nodes.iter().map(|node| (node.mover, &*node.piles))
    }

    /// Returns the winner of the root (Algorithm 3.3).
    pub fn winner(&self, matrix: &AllianceMatrix, ending: Ending) -> Seat {
        self.winners(matrix, ending)[0]
    }

    /// Returns the winner of every node (Algorithm 3.3), in the order in which they were appended.
    pub fn winners(&self, matrix: &AllianceMatrix, ending: Ending) -> Vec<Seat> {
        let mut winners = vec![Seat::FIRST; self.nodes.len()];
        // The children of a node were appended after it.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            winners[index] = node.winner(&winners, matrix, ending);
        }
        winners
    }

    fn append(&mut self, position: &Position, most: usize) -> Option<usize> {
        let index = self.nodes.len();
        if index == most {
            return None;
        }
        let piles = position.piles().collect();
        self.nodes.push(GameTreeNode { mover: position.to_move(), piles, children: Vec::new() });
        for take in 1..=position.counters() {
            let mut child = position.clone();
            child.take(take).expect("the take is in range");
            let child = self.append(&child, most)?;
            self.nodes[index].children.push(child);
        }
        Some(index)
    }
}

impl GameTreeNode {
    fn winner(&self, winners: &[Seat], matrix: &AllianceMatrix, ending: Ending) -> Seat {
        if self.children.is_empty() {
            assert!(
                self.piles.iter().all(|&counters| counters == 0),
                "only a game that is over has no option"
            );
            return ending.winner(self.mover, matrix.seats());
        }
        let winners: Vec<_> = self.children.iter().map(|&child| winners[child]).collect();
        let preferred = matrix[self.mover]
            .offsets()
            .iter()
            .map(|&offset| matrix.seats().seat_at_offset(self.mover, usize::from(offset)));
        preferred.into_iter().find(|winner| winners.contains(winner)).expect("a row names every seat")
    }
}
