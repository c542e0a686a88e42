//! Whether the bots of a tournament may ask the server's oracle.

/// Whether the bots of a tournament may ask the server's oracle while it runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OracleAccess {
    /// They may.
    #[default]
    Open,
    /// They may not, and see no audits of its matches before it is over.
    Closed,
}
