//! Retention of records.

use super::{BoundedCount, MAX_MATCHES};

/// How many of the newest matches keep their records, 1 to 10,000,000.
pub type RetainedMatchCount = BoundedCount<MAX_MATCHES>;
/// Number of days that records are kept, 1 to 36,500.
pub type RetentionDays = BoundedCount<36_500>;

/// The rule that decides which matches of a tournament keep their records: the newest ones, and those that ended
/// recently. The others keep only their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Retention {
    matches: Option<RetainedMatchCount>,
    days: Option<RetentionDays>,
}

impl Retention {
    /// Creates a rule that keeps the records of the newest `matches` matches, and of those that ended in the last
    /// `days` days; `None` if neither is given.
    pub fn new(matches: Option<RetainedMatchCount>, days: Option<RetentionDays>) -> Option<Self> {
        (matches.is_some() || days.is_some()).then_some(Self { matches, days })
    }

    /// Returns how many of the newest matches keep their records, however old they are; `None` if only the age counts.
    pub fn matches(&self) -> Option<RetainedMatchCount> {
        self.matches
    }

    /// Returns for how many days all records are kept, however many matches there are; `None` if only their number
    /// counts.
    pub fn days(&self) -> Option<RetentionDays> {
        self.days
    }
}
