//! Points in time.

use std::{fmt, ops::Add, time::Duration};

/// A point in time, in whole microseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Creates a time from microseconds since 1970-01-01 UTC.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since 1970-01-01 UTC.
    pub fn as_micros(self) -> u64 {
        self.0
    }

    /// Returns the time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.micros_since(earlier))
    }

    /// Returns the microseconds since `earlier`; zero if `earlier` is later.
    pub(super) fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the time that is `span` earlier, but at least 0.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(whole_micros(span)))
    }

    /// Returns the time this many microseconds later, saturating at the maximum.
    pub(super) fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    /// Returns the time that is `span` later, saturating at the maximum.
    fn add(self, span: Duration) -> Self {
        self.plus_micros(whole_micros(span))
    }
}

/// Returns the whole microseconds in a span, saturating at the maximum.
pub(super) fn whole_micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}
