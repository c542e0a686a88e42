//! A figure and how sure it is.

/// A figure, with what it would be in other draws of as many groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure over all matches.
    pub value: f64,
    /// Where it lies in 95 of 100 draws.
    pub interval: EstimateInterval,
}

/// A 95% interval, where there are enough groups for one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EstimateInterval {
    /// From the 2.5% to the 97.5% quantile of the bootstrap's replicates.
    Between {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// So few groups tell nothing of how the figure varies: an interval needs at least [`MIN_GROUPS`].
    TooFewGroups {
        /// The groups that there are.
        groups: u64,
    },
}

/// The fewest groups that an interval or a test is worked out from.
pub const MIN_GROUPS: usize = 10;

/// Makes a real number of a sum.
#[expect(clippy::cast_precision_loss, reason = "what matches come to stays far below 2^53")]
pub(super) fn to_float(sum: i64) -> f64 {
    sum as f64
}

/// Returns the share of a part in a whole; none if there is no whole.
pub(super) fn share_of(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| to_float(part.cast_signed()) / to_float(whole.cast_signed()))
}
