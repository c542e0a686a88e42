//! Things with branches.

/// A tree, from its root on, each node before what hangs below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// How deep each node lies, 0 for the root, and what it says; it lies one deeper than the node before at the most.
    pub nodes: Vec<(usize, String)>,
}
