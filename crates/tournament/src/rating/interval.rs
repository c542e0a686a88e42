//! Confidence intervals.

/// An interval that contains the true value in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceInterval<T> {
    /// The lower end.
    pub low: T,
    /// The upper end.
    pub high: T,
}

impl<T: PartialOrd> ConfidenceInterval<T> {
    /// Returns whether the interval contains a value.
    pub fn contains(&self, value: &T) -> bool {
        self.low <= *value && *value <= self.high
    }
}

impl<T> ConfidenceInterval<T> {
    /// Applies a function to both ends.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> ConfidenceInterval<U> {
        ConfidenceInterval { low: make(self.low), high: make(self.high) }
    }
}
