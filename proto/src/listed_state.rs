//! The states by which matches are listed.

/// The states by which matches are listed: every match is in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedState {
    /// It is not over.
    Open,
    /// It is over, and neither voided nor quarantined.
    Over,
    /// It was voided.
    Voided,
    /// Its record was found damaged while it was open.
    Quarantined,
}

impl ListedState {
    /// Returns whether matches in this state have an end, and a reason of it.
    pub fn has_end(self) -> bool {
        matches!(self, Self::Over | Self::Voided)
    }
}
