//! The states of matches in lists, by which lists can be filtered.

/// The state of a match in lists; every match has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListedState {
    /// The match is not over.
    Open,
    /// The match is over, and neither voided nor quarantined.
    Over,
    /// The match was voided.
    Voided,
    /// The match was quarantined before its end, because its record is damaged or no server could finish it.
    Quarantined,
}

impl ListedState {
    /// Returns whether matches in this state can have an end reason. Open and quarantined matches never have one.
    pub fn has_end(self) -> bool {
        matches!(self, Self::Over | Self::Voided)
    }
}
