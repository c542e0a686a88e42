//! How a request arrived.

/// How a request arrived, which decides whether it may contain secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorChannel {
    /// Directly from this machine, under a loopback name.
    Loopback,
    /// Over https, directly or through a trusted proxy.
    Https,
    /// Over a connection that others may read.
    Plain,
}
