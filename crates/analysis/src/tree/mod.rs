//! All possible play of a game: as the tree of Algorithms 3.1 and 3.2, and as the graph of its states.
//!
//! Both say at every state who wins under optimal play and which takes are optimal. How large they would be is known
//! before anything is built, so that what is too large is refused by its size, with what would fit.

mod graph_size;
mod merged;
mod play_graph;
mod size;
mod too_large;
mod unfolded;

pub use graph_size::GraphSize;
pub use play_graph::{Edge, Node, PlayGraph};
pub use size::TreeSize;
pub use too_large::{GraphCut, TreeCut, TreeError, TreeTooLarge};
