//! All possible play of a game: as the tree of Algorithms 3.1 and 3.2, and as the graph of its states.
//!
//! Every state has its winner under optimal play and its optimal takes. Sizes are known before anything is built: if a
//! tree or graph is too large, the error states its size and what would fit.

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
