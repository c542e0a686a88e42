//! The ratio of two totals over duplicate groups, and where it lies.

use super::{
    ConfidenceInterval,
    distributions::{beta_cdf, gamma_cdf},
    student::StudentDistribution,
};

/// How many times as much as independent events the events of one more group are taken to vary, beside those that were seen.
const PRIOR_DESIGN_EFFECT: f64 = 2.0;
/// The effective groups as which that counts.
const PRIOR_GROUPS: f64 = 1.0;
/// The ranks that an error is taken to cost as long as none was seen.
const PRIOR_RANKS: f64 = 1.5;
/// The ranks by which a signed mean is taken to vary in one more group, beside those that were seen.
const PRIOR_DEVIATION: f64 = 3.0;
/// The chance on either side of an interval.
const TAIL: f64 = 0.025;
/// The deviations of the normal distribution beyond which that chance lies.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// Sums over duplicate groups, of which the ratio of two totals is estimated: errors of takes, ranks of matches.
///
/// **Claim.** In 95 of 100 tournaments drawn as this one was, the interval holds what the ratio comes to in the long run. Groups
/// are taken to be independent; nothing is assumed of how the events within a group hang together.
///
/// **Method.** Were all events independent, a total Y of errors would vary as a binomial or a Poisson count does. What is
/// seen of the groups says how many times as much it varies: the design effect
/// `D = sum (y - R n)^2 G / (G - 1) / (Y (1 - R))`, without `1 - R` for ranks, which have no bound. So Y says as much as `Y / D`
/// independent errors (Kish 1965, Korn and Graubard 1998), of which the mid-p interval is given (Lancaster 1961, Fay and Kim
/// 2017): half of Clopper and Pearson's lower and half of their upper limit's distribution, or Garwood's for ranks.
///
/// D itself is known from as many groups as the errors are spread over, `m = Y^2 / sum y^2`, and where errors are rare
/// these are few: then D is mostly too small, and an interval made of it too narrow. So it is widened as Student's t with m + 1
/// degrees of freedom is against the normal distribution, and mixed with one group of which D is 2:
/// `(m D (t / z)^2 + 2) / (m + 1)`. With many errors that changes nothing. With none it leaves a one-sided bound: the rule of
/// three, for events that come by twos, each of 1.5 ranks.
///
/// What this held in simulations is printed by `cargo bench --bench ratings`, and stands in `docs/audits.md`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RatioSums {
    /// The sum above the line.
    pub above: f64,
    /// The sum below it.
    pub below: f64,
    /// The sum over groups of the square of what a group adds above.
    pub above_squared: f64,
    /// The sum over groups of the product of what a group adds above and below.
    pub mixed: f64,
    /// The sum over groups of the square of what a group adds below.
    pub below_squared: f64,
}

impl RatioSums {
    /// Adds a whole group. Sums of whole numbers below 2^53 are exact, in any order.
    pub fn add_group(&mut self, above: f64, below: f64) {
        self.above += above;
        self.below += below;
        self.above_squared += above * above;
        self.mixed += above * below;
        self.below_squared += below * below;
    }

    /// Returns the ratio; none where there is nothing to divide by.
    pub fn ratio(&self) -> Option<f64> {
        (self.below > 0.0).then(|| self.above / self.below)
    }

    /// Returns where a share from 0 to 1 lies; none with a single group.
    pub fn share_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let ratio = self.ratio()?;
        let rest = self.below - self.above;
        let rest_squared = self.below_squared - 2.0 * self.mixed + self.above_squared;
        let spread = effective_count(self.above, self.above_squared).min(effective_count(rest, rest_squared));
        let inflation = self.inflation(self.above * (1.0 - ratio), spread, 1.0)?;
        let (hits, misses) = (self.above / inflation, rest / inflation);
        let cdf = |x: f64| {
            let low = if hits > 0.0 { beta_cdf(hits, misses + 1.0, x) } else { 1.0 };
            let high = if misses > 0.0 { beta_cdf(hits + 1.0, misses, x) } else { 0.0 };
            f64::midpoint(low, high)
        };
        Some(ConfidenceInterval {
            low: if hits > 0.0 { quantile_between(0.0, 1.0, TAIL, cdf) } else { 0.0 },
            high: if misses > 0.0 { quantile_between(0.0, 1.0, 1.0 - TAIL, cdf) } else { 1.0 },
        })
    }

    /// Returns where a rate of ranks, 0 or more, lies; none with a single group.
    pub fn rank_rate_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let spread = effective_count(self.above, self.above_squared);
        let inflation = self.inflation(self.above, spread, PRIOR_RANKS)?;
        let hits = self.above / inflation;
        let cdf = |x: f64| {
            let low = if hits > 0.0 { gamma_cdf(hits, x) } else { 1.0 };
            f64::midpoint(low, gamma_cdf(hits + 1.0, x))
        };
        // Twenty deviations off, and more: beyond lies nothing that a float can tell.
        let end = hits + 20.0 * (hits + 1.0).sqrt() + 20.0;
        let limit = |share| quantile_between(0.0, end, share, cdf) * inflation / self.below;
        Some(ConfidenceInterval { low: if hits > 0.0 { limit(TAIL) } else { 0.0 }, high: limit(1.0 - TAIL) })
    }

    /// Returns where a mean of signed ranks lies, by Student's t and as if another group had deviated by 3 ranks; none with a
    /// single group.
    pub fn signed_mean_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let (ratio, freedom) = (self.ratio()?, self.freedom()?);
        let variance = self.residual_squares(ratio)? + PRIOR_DEVIATION * PRIOR_DEVIATION;
        let half = StudentDistribution::quantile_between(freedom, 1.0 - TAIL) * variance.sqrt() / self.below;
        Some(ConfidenceInterval { low: ratio - half, high: ratio + half })
    }

    /// Returns by what a total is divided to count as independent events; `independent` is the variance if all were.
    fn inflation(&self, independent: f64, spread: f64, unit: f64) -> Option<f64> {
        let freedom = self.freedom()?.min(spread + 1.0);
        let seen = if independent > 0.0 { self.residual_squares(self.ratio()?)? / independent } else { 0.0 };
        let widened = StudentDistribution::quantile_between(freedom, 1.0 - TAIL) / NORMAL_QUANTILE;
        let prior = PRIOR_GROUPS * PRIOR_DESIGN_EFFECT * unit;
        Some((spread * seen * widened * widened + prior) / (spread + PRIOR_GROUPS))
    }

    /// Returns the variance of the sum above, were the ratio what was seen; none with a single group.
    fn residual_squares(&self, ratio: f64) -> Option<f64> {
        let squares = self.above_squared - 2.0 * ratio * self.mixed + ratio * ratio * self.below_squared;
        let freedom = self.freedom()?;
        Some(squares.max(0.0) * (freedom + 1.0) / freedom)
    }

    /// Returns the groups less one, a group counting by its share below the line; none with a single group.
    fn freedom(&self) -> Option<f64> {
        let freedom = effective_count(self.below, self.below_squared) - 1.0;
        (freedom > 1e-9).then_some(freedom)
    }
}

/// Returns the number of equal parts that would have this sum and this sum of squares; 0 of nothing.
///
/// Source: Kish, "Survey Sampling" (1965), 11.7.
fn effective_count(sum: f64, squares: f64) -> f64 {
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// Returns where a distribution function that rises from `low` to `high` comes to a share.
fn quantile_between(mut low: f64, mut high: f64, share: f64, cdf: impl Fn(f64) -> f64) -> f64 {
    // What 100 halvings leave is far below what a float can tell.
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if cdf(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= high * 1e-12 {
            break;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(groups: impl IntoIterator<Item = (u32, u32)>) -> RatioSums {
        let mut sums = RatioSums::default();
        for (above, below) in groups {
            sums.add_group(above.into(), below.into());
        }
        sums
    }

    #[test]
    fn nothing_and_a_single_group_have_no_interval() {
        for sums in [sums([]), sums([(0, 0), (0, 0)]), sums([(3, 4)]), sums([(3, 4), (0, 0)])] {
            assert_eq!((sums.share_interval(), sums.rank_rate_interval()), (None, None), "{sums:?}");
            assert_eq!(sums.signed_mean_interval(), None, "{sums:?}");
        }
        assert_eq!((sums([]).ratio(), sums([(3, 4)]).ratio()), (None, Some(0.75)));
    }

    #[test]
    fn what_was_never_seen_has_a_one_sided_bound() {
        // Six in all takes, or nine ranks in all matches: three times what the prior group says.
        let none = sums([(0, 10); 60]);
        let share = none.share_interval().unwrap();
        assert!(share.low == 0.0 && (share.high - 6.0 / 600.0).abs() < 1e-4, "{share:?}");
        let always = sums([(10, 10); 60]).share_interval().unwrap();
        assert!((always.low - (1.0 - share.high)).abs() < 1e-9 && always.high >= 1.0, "{always:?}");
        let rate = none.rank_rate_interval().unwrap();
        assert!(rate.low == 0.0 && (rate.high - 9.0 / 600.0).abs() < 1e-4, "{rate:?}");
        let signed = none.signed_mean_interval().unwrap();
        assert!(
            (signed.low + signed.high).abs() < 1e-12 && (signed.high - 6.0 / 600.0).abs() < 1e-4,
            "{signed:?}"
        );
    }

    #[test]
    fn many_independent_events_have_the_interval_of_the_normal_distribution() {
        let groups = || (0..10_000).map(|group| (u32::from(group % 5 == 0), 1));
        let (share, half) = (sums(groups()).share_interval().unwrap(), 1.96 * (0.16_f64 / 10_000.0).sqrt());
        assert!(
            (share.low - (0.2 - half)).abs() < 2e-4 && (share.high - (0.2 + half)).abs() < 2e-4,
            "{share:?}"
        );
        // What always comes by threes says a third as much.
        let by_threes = sums(groups().map(|(above, below)| (3 * above, 3 * below))).share_interval().unwrap();
        assert!((by_threes.low - share.low).abs() < 2e-4 && (by_threes.high - share.high).abs() < 2e-4);
    }

    #[test]
    fn an_interval_holds_the_ratio_and_shrinks_with_more_groups() {
        for errors in [1, 2, 5, 19] {
            let mut before = f64::INFINITY;
            for times in [20, 80, 320, 1_280] {
                let sums = sums((0..times).map(|group| (u32::from(group % 20 < errors), 4 + group % 3)));
                for interval in [sums.share_interval().unwrap(), sums.rank_rate_interval().unwrap()] {
                    assert!(interval.contains(&sums.ratio().unwrap()), "{interval:?}");
                }
                let ConfidenceInterval { low, high } = sums.share_interval().unwrap();
                assert!(high - low < before && low > 0.0 && high < 1.0, "{low} to {high}");
                before = high - low;
            }
        }
    }
}
