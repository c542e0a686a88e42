//! Access to the server's oracle.

/// Whether the bots of a running tournament may use the server's oracle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OracleAccess {
    /// The bots may use the oracle.
    #[default]
    Open,
    /// The bots may not use the oracle, and see no audits of the tournament's matches before it is over.
    Closed,
}
