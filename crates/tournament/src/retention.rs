//! Which matches of a tournament keep their records.

use super::{BoundedCount, MAX_MATCHES};

/// The newest matches that keep their records, 1 to 10,000,000.
pub type KeptMatches = BoundedCount<MAX_MATCHES>;
/// The days for which records are kept, 1 to 36,500.
pub type KeptDays = BoundedCount<36_500>;

/// Which matches of a tournament that are over keep their records: each for which either part says so. The others keep what
/// they came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Retention {
    matches: Option<KeptMatches>,
    days: Option<KeptDays>,
}

impl Retention {
    /// Keeps the records of the newest so many matches, and of those that ended in the last so many days; `None` if neither is
    /// said.
    pub fn new(matches: Option<KeptMatches>, days: Option<KeptDays>) -> Option<Self> {
        (matches.is_some() || days.is_some()).then_some(Self { matches, days })
    }

    /// Returns how many of the newest matches keep their records, whatever their age.
    pub fn matches(&self) -> Option<KeptMatches> {
        self.matches
    }

    /// Returns for how many days records are kept, however many they are.
    pub fn days(&self) -> Option<KeptDays> {
        self.days
    }
}
