//! The states that lists of matches filter by.

/// The state of a match in lists; every match has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedState {
    /// Not over.
    Open,
    /// Over, and neither voided nor quarantined.
    Over,
    /// Voided.
    Voided,
    /// Quarantined: its record was found damaged before the end.
    Quarantined,
}

impl ListedState {
    /// Returns whether matches in this state have ended for a reason.
    pub fn has_end(self) -> bool {
        matches!(self, Self::Over | Self::Voided)
    }
}
