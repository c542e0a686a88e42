//! All possible play of a game: as the tree of Algorithms 3.1 and 3.2 of El-Seidy, El Kady and Nassr (2019), and as the
//! graph of its states.
//!
//! Each node holds the winner under optimal play, and each edge tells whether its take is optimal. Sizes are computed
//! before anything is built: if a tree or graph is too large, the error states its size and which cut of it would fit.

mod graph_size;
mod play_graph;
mod play_tree;
mod size;
mod state_graph;
mod tree_error;

pub use graph_size::GraphSize;
pub use play_graph::{Edge, Node, PlayGraph};
pub use size::TreeSize;
pub use tree_error::{GraphCut, TreeCut, TreeError, TreeTooLarge};
