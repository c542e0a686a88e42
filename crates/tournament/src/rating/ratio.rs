//! Ratios of two totals over duplicate groups, with confidence intervals.

use super::{
    ConfidenceInterval,
    distributions::{beta_cdf, gamma_cdf},
    student::StudentDistribution,
};

/// The design effect of the prior group.
const PRIOR_DESIGN_EFFECT: f64 = 2.0;
/// The weight of the prior, as an effective number of groups.
const PRIOR_GROUPS: f64 = 1.0;
/// The number of ranks that an error costs in the prior group.
const PRIOR_RANKS: f64 = 1.5;
/// How far the prior group deviates from the estimate of a signed mean, in ranks.
const PRIOR_DEVIATION: f64 = 3.0;
/// How far the prior group deviates from the estimate of a difference of shares, in events.
const PRIOR_EVENTS: f64 = 1.0;
/// The probability that is left out on each side of an interval.
const TAIL: f64 = 0.025;
/// The standard normal quantile of `1 - TAIL`.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// Sums over duplicate groups from which the ratio of two totals is estimated, such as errors per take or ranks per
/// match.
///
/// **Claim.** In 95 of 100 tournaments like this one, the interval contains the long-run ratio. Groups are assumed to
/// be independent; nothing is assumed about the events within a group.
///
/// **Method.** If all events were independent, a total Y of errors would vary like a binomial or Poisson count. The
/// groups show how many times as much it really varies: the design effect
/// `D = sum (y - R n)^2 G / (G - 1) / (Y (1 - R))`, where R is the ratio, and each of the G groups has y errors in n
/// takes. For ranks, which are unbounded, the factor `1 - R` is left out. So Y is worth `Y / D` independent errors
/// (Kish 1965, Korn and Graubard 1998). For that many errors the mid-p interval is used (Lancaster 1961, Fay and Kim
/// 2017), which averages the distributions of Clopper and Pearson's lower and upper limits or, for ranks, of Garwood's
/// limits.
///
/// The estimate of D is based only on the groups that the errors are spread over, effectively `m = Y^2 / sum y^2`
/// groups. If errors are rare, m is small, the estimate is usually too small, and an interval based on it is too
/// narrow. So D is multiplied by the square of t / z, the quantile of Student's t with m + 1 degrees of freedom over
/// that of the normal distribution, and then averaged with a prior group that has D = 2:
/// `(m D (t / z)^2 + 2) / (m + 1)`. With many errors this changes almost nothing. With none it leaves a one-sided
/// bound: the rule of three, for errors that occur in pairs and cost 1.5 ranks each.
///
/// `cargo bench -p lastnim-bots --bench ratings` prints how often the interval contains the true ratio in simulations;
/// the documentation's page on audits quotes the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RatioSums {
    /// The sum over groups of the numerator.
    pub numerator: f64,
    /// The sum over groups of the denominator.
    pub denominator: f64,
    /// The sum over groups of the squared numerator.
    pub numerator_squared: f64,
    /// The sum over groups of the product of numerator and denominator.
    pub product: f64,
    /// The sum over groups of the squared denominator.
    pub denominator_squared: f64,
}

impl RatioSums {
    /// Adds one complete group. If all sums are integers below 2^53, they are exact, so the order of the groups does
    /// not matter.
    pub fn add_group(&mut self, numerator: f64, denominator: f64) {
        self.numerator += numerator;
        self.denominator += denominator;
        self.numerator_squared += numerator * numerator;
        self.product += numerator * denominator;
        self.denominator_squared += denominator * denominator;
    }

    /// Returns the ratio; `None` if the denominator is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.denominator > 0.0).then(|| self.numerator / self.denominator)
    }

    /// Returns the interval of the ratio if it is a share, 0 to 1; `None` with fewer than two groups.
    pub fn share_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let ratio = self.ratio()?;
        let rest = self.denominator - self.numerator;
        let rest_squared = self.denominator_squared - 2.0 * self.product + self.numerator_squared;
        let spread =
            effective_count(self.numerator, self.numerator_squared).min(effective_count(rest, rest_squared));
        let inflation = self.inflation(self.numerator * (1.0 - ratio), spread, 1.0)?;
        let (hits, misses) = (self.numerator / inflation, rest / inflation);
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

    /// Returns the interval of the ratio if it is a nonnegative rate of ranks; `None` with fewer than two groups.
    pub fn rank_rate_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let spread = effective_count(self.numerator, self.numerator_squared);
        let inflation = self.inflation(self.numerator, spread, PRIOR_RANKS)?;
        let hits = self.numerator / inflation;
        let cdf = |x: f64| {
            let low = if hits > 0.0 { gamma_cdf(hits, x) } else { 1.0 };
            f64::midpoint(low, gamma_cdf(hits + 1.0, x))
        };
        // `end` is twenty standard deviations above the mean; beyond it, the tail is below float precision.
        let end = hits + 20.0 * (hits + 1.0).sqrt() + 20.0;
        let limit = |share| quantile_between(0.0, end, share, cdf) * inflation / self.denominator;
        Some(ConfidenceInterval { low: if hits > 0.0 { limit(TAIL) } else { 0.0 }, high: limit(1.0 - TAIL) })
    }

    /// Returns the interval of the ratio if it is a mean of signed ranks; `None` with fewer than two groups. It uses
    /// Student's t, with an additional group that deviates by 3 ranks.
    pub fn signed_mean_interval(&self) -> Option<ConfidenceInterval<f64>> {
        self.signed_interval(PRIOR_DEVIATION)
    }

    /// Returns the interval of the ratio if it is a difference of shares, -1 to 1; `None` with fewer than two groups.
    /// It uses Student's t, with an additional group that deviates by one event.
    pub fn share_difference_interval(&self) -> Option<ConfidenceInterval<f64>> {
        let found = self.signed_interval(PRIOR_EVENTS)?;
        Some(ConfidenceInterval { low: found.low.max(-1.0), high: found.high.min(1.0) })
    }

    fn signed_interval(&self, prior: f64) -> Option<ConfidenceInterval<f64>> {
        let (ratio, freedom) = (self.ratio()?, self.freedom()?);
        let variance = self.numerator_variance(ratio)? + prior * prior;
        let half =
            StudentDistribution::quantile_between(freedom, 1.0 - TAIL) * variance.sqrt() / self.denominator;
        Some(ConfidenceInterval { low: ratio - half, high: ratio + half })
    }

    /// Returns the number by which a total must be divided to get the equivalent number of independent events.
    /// `independent` is the variance that the total would have if all events were independent, `spread` the effective
    /// number of groups over which the events are spread, and `unit` the number of ranks that one event costs in the
    /// prior group.
    fn inflation(&self, independent: f64, spread: f64, unit: f64) -> Option<f64> {
        let freedom = self.freedom()?.min(spread + 1.0);
        let seen =
            if independent > 0.0 { self.numerator_variance(self.ratio()?)? / independent } else { 0.0 };
        let widened = StudentDistribution::quantile_between(freedom, 1.0 - TAIL) / NORMAL_QUANTILE;
        let prior = PRIOR_GROUPS * PRIOR_DESIGN_EFFECT * unit;
        Some((spread * seen * widened * widened + prior) / (spread + PRIOR_GROUPS))
    }

    /// Returns the variance of the numerator if the true ratio is `ratio`; `None` with fewer than two groups.
    fn numerator_variance(&self, ratio: f64) -> Option<f64> {
        let squares =
            self.numerator_squared - 2.0 * ratio * self.product + ratio * ratio * self.denominator_squared;
        let freedom = self.freedom()?;
        Some(squares.max(0.0) * (freedom + 1.0) / freedom)
    }

    /// Returns the effective number of groups, judged by their denominators, minus one; `None` with fewer than two
    /// groups.
    fn freedom(&self) -> Option<f64> {
        let freedom = effective_count(self.denominator, self.denominator_squared) - 1.0;
        (freedom > 1e-9).then_some(freedom)
    }
}

/// Returns the number of equal parts that would have this sum and this sum of squares; 0 if the sum is 0.
///
/// Source: Kish, "Survey Sampling" (1965), 11.7.
fn effective_count(sum: f64, squares: f64) -> f64 {
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// Returns the point between `low` and `high` at which the distribution function `cdf` reaches `share`.
fn quantile_between(mut low: f64, mut high: f64, share: f64, cdf: impl Fn(f64) -> f64) -> f64 {
    // After 100 bisections the interval is far narrower than float precision.
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
        for (numerator, denominator) in groups {
            sums.add_group(numerator.into(), denominator.into());
        }
        sums
    }

    #[test]
    fn fewer_than_two_groups_give_no_interval() {
        for sums in [sums([]), sums([(0, 0), (0, 0)]), sums([(3, 4)]), sums([(3, 4), (0, 0)])] {
            assert_eq!((sums.share_interval(), sums.rank_rate_interval()), (None, None), "{sums:?}");
            assert_eq!(sums.signed_mean_interval(), None, "{sums:?}");
        }
        assert_eq!((sums([]).ratio(), sums([(3, 4)]).ratio()), (None, Some(0.75)));
    }

    #[test]
    fn an_unseen_event_has_a_one_sided_bound() {
        // The bounds are six errors in all takes, or nine ranks in all matches: three times the values of the prior
        // group.
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
    fn many_independent_events_have_the_normal_interval() {
        let groups = || (0..10_000).map(|group| (u32::from(group % 5 == 0), 1));
        let (share, half) = (sums(groups()).share_interval().unwrap(), 1.96 * (0.16_f64 / 10_000.0).sqrt());
        assert!(
            (share.low - (0.2 - half)).abs() < 2e-4 && (share.high - (0.2 + half)).abs() < 2e-4,
            "{share:?}"
        );
        // Three events that always occur together give only as much information as one.
        let tripled = sums(groups().map(|(numerator, denominator)| (3 * numerator, 3 * denominator)))
            .share_interval()
            .unwrap();
        assert!((tripled.low - share.low).abs() < 2e-4 && (tripled.high - share.high).abs() < 2e-4);
    }

    #[test]
    fn an_interval_contains_the_ratio_and_shrinks_with_more_groups() {
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
