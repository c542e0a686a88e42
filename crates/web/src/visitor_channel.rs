//! By which way a request came.

/// By which way a request came, as far as its secrets are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorChannel {
    /// From this machine itself, through no proxy, and under a name of this machine.
    Loopback,
    /// Through a trusted proxy, which says that its client speaks https.
    Https,
    /// Over a network on which others may read it.
    Plain,
}
