//! How a request arrived.

/// How a request arrived, which decides whether it may contain secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorChannel {
    /// Directly from this machine, under a loopback name.
    Loopback,
    /// Through a trusted proxy whose client uses https.
    Https,
    /// Over a connection that others may read.
    Plain,
}
