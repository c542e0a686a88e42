//! A range that holds what is estimated with a stated confidence.

/// A range that holds what is estimated in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceInterval<T> {
    /// Its lower end.
    pub low: T,
    /// Its upper end.
    pub high: T,
}

impl<T: PartialOrd> ConfidenceInterval<T> {
    /// Returns whether a value lies in it.
    pub fn contains(&self, value: &T) -> bool {
        self.low <= *value && *value <= self.high
    }
}

impl<T> ConfidenceInterval<T> {
    /// Makes another value of each end.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> ConfidenceInterval<U> {
        ConfidenceInterval { low: make(self.low), high: make(self.high) }
    }
}
