//! Estimates with intervals.

/// A figure with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure over all matches.
    pub value: f64,
    /// The 95% interval.
    pub interval: EstimateInterval,
}

/// A 95% interval, if there are enough groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EstimateInterval {
    /// The interval from `low` to `high`.
    Between {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// There are fewer than [`MIN_GROUPS`] groups.
    TooFewGroups {
        /// The number of groups.
        groups: u64,
    },
}

/// Minimum number of groups for an interval or a test.
pub const MIN_GROUPS: usize = 10;

/// Converts a sum to a float.
#[expect(clippy::cast_precision_loss, reason = "sums are far below 2^53")]
pub(super) fn to_float(sum: i64) -> f64 {
    sum as f64
}

/// Returns `part` as a share of `whole`; `None` if `whole` is 0.
pub(super) fn share_of(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| to_float(part.cast_signed()) / to_float(whole.cast_signed()))
}
