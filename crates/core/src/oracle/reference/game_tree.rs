//! The explicit tree of a game.

use crate::game::{AllianceMatrix, Ending, Game, Position, Seat};

/// The tree of all possible plays of a game; each node has the seat to move and the counters of every pile.
///
/// Source: El-Seidy, El Kady and Nassr (2019), Algorithms 3.1 to 3.3. The size of the tree is exponential in the number
/// of counters.
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
    /// Builds the tree from the root (Algorithms 3.1 and 3.2); `None` if the tree would have more than `max_nodes`
    /// nodes.
    pub fn build(game: &Game, max_nodes: usize) -> Option<Self> {
        let mut tree = Self { nodes: Vec::new() };
        tree.append(&game.first_position(), max_nodes)?;
        Some(tree)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `false`, since there is always a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the seat to move and the counters of every pile for each node, in the order in which the nodes were
    /// appended.
    pub fn states(&self) -> impl Iterator<Item = (Seat, &[u64])> {
        self.nodes.iter().map(|node| (node.mover, &*node.piles))
    }

    /// Returns the winner of the root (Algorithm 3.3).
    pub fn winner(&self, matrix: &AllianceMatrix, ending: Ending) -> Seat {
        self.winners(matrix, ending)[0]
    }

    /// Returns the winner of every node (Algorithm 3.3), in the order in which the nodes were appended.
    pub fn winners(&self, matrix: &AllianceMatrix, ending: Ending) -> Vec<Seat> {
        let mut winners = vec![Seat::FIRST; self.nodes.len()];
        // Children are appended after their parent, so in reverse order each child comes before its parent.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            winners[index] = node.winner(&winners, matrix, ending);
        }
        winners
    }

    fn append(&mut self, position: &Position, max_nodes: usize) -> Option<usize> {
        let index = self.nodes.len();
        if index == max_nodes {
            return None;
        }
        let piles = position.piles().collect();
        self.nodes.push(GameTreeNode { mover: position.to_move(), piles, children: Vec::new() });
        for take in 1..=position.counters() {
            let mut child = position.clone();
            child.take(take).expect("the take is in range");
            let child = self.append(&child, max_nodes)?;
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
        preferred.into_iter().find(|winner| winners.contains(winner)).expect("a row contains every seat")
    }
}
