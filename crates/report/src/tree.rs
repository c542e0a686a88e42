//! Trees.

/// A tree in depth-first order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// The depth and the text of each node. The root has depth 0; a node is at most one level deeper than the previous
    /// one.
    pub nodes: Vec<(usize, String)>,
}
