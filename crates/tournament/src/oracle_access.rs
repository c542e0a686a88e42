//! Access to the server's oracle.

/// Whether the bots of a running tournament may use the server's oracle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OracleAccess {
    /// They may.
    #[default]
    Open,
    /// They may not, and see no audits of its matches before it is over.
    Closed,
}
