//! Bootstrap sums over duplicate groups, one group at a time.

use super::{
    Estimate, EstimateInterval, MIN_GROUPS, MatchGroup,
    estimate::to_float,
    group::{GroupCounter, GroupKey},
    replicates::{ByReplicate, MAX_WEIGHT, REPLICATES, ReplicateSums, SUM_LIMIT},
};
use lastnim_tournament::{ConfidenceInterval, RatioSums};
use serde::{Deserialize, Serialize};

/// Keeps these draws independent of other draws with the same group and seed.
const DRAW_STREAM: u64 = 0x626f_6f74_7374_7261;

/// How often a group occurs in each replicate.
///
/// Each group has an independent Poisson(1) weight in each replicate, derived from the seed and the group. So groups
/// can be added one at a time, in any order, and in parts, in constant memory. Sources: Hanley and Mac Gibbon,
/// "Creating non-parametric bootstrap samples using Poisson frequencies" (2006); Chamandy et al., "Estimating
/// uncertainty for massive data streams" (Google, 2012).
#[derive(Debug, Clone)]
pub(super) struct BootstrapWeights(ByReplicate<i16>);

/// `2^16 P(X <= k)` for a Poisson(1) variable X and k = 0, 1, ..., rounded so that the mean is exactly 1; the variance
/// is 0.99997.
const CUMULATIVE: [u16; MAX_WEIGHT as usize] =
    [24_109, 48_219, 60_273, 64_292, 65_296, 65_497, 65_531, 65_535];

impl BootstrapWeights {
    pub(super) fn of_group(seed: u64, group: &MatchGroup) -> Self {
        let mut draw = group.begin_draw(seed, [DRAW_STREAM]);
        let mut uniform = [0_u16; REPLICATES + 1];
        for four in uniform.chunks_exact_mut(4) {
            let bits = draw.next_bits();
            for (part, uniform) in (0..).zip(four) {
                *uniform = (bits >> (16 * part)) as u16;
            }
        }
        let mut weights = [0; REPLICATES];
        for (weight, &uniform) in weights.iter_mut().zip(&uniform) {
            *weight = CUMULATIVE.iter().map(|&below| i16::from(uniform >= below)).sum();
        }
        Self(weights)
    }
}

/// Sums over groups: the observed sums, and the sums in each replicate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<BootstrapSum>")]
pub(super) struct BootstrapSums<const SUMS: usize>(Box<[BootstrapSum]>);

/// A sum over groups, as observed and in each replicate.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct BootstrapSum {
    observed: i64,
    replicates: ReplicateSums,
    /// The number of groups that contribute to the sum, up to the required minimum.
    groups: GroupCounter<MIN_GROUPS>,
}

impl<const SUMS: usize> TryFrom<Vec<BootstrapSum>> for BootstrapSums<SUMS> {
    type Error = &'static str;

    fn try_from(sums: Vec<BootstrapSum>) -> Result<Self, Self::Error> {
        if sums.len() == SUMS { Ok(Self(sums.into())) } else { Err("the number of sums is wrong") }
    }
}

impl<const SUMS: usize> BootstrapSums<SUMS> {
    pub(super) fn new() -> Self {
        let none =
            BootstrapSum { observed: 0, replicates: ReplicateSums::new(), groups: GroupCounter::default() };
        Self(vec![none; SUMS].into())
    }

    /// Adds the sums over other groups, or over other parts of the same groups.
    pub(super) fn merge(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(&other.0) {
            sum.observed += more.observed;
            sum.replicates.add_sums(&more.replicates);
            sum.groups.add_groups(&more.groups);
        }
    }

    /// Adds a group, or a part of it.
    pub(super) fn add_group(&mut self, group: GroupKey, weights: &BootstrapWeights, sums: &[i64; SUMS]) {
        for (index, &sum) in sums.iter().enumerate().filter(|&(_, &sum)| sum != 0) {
            let kept = &mut self.0[index];
            kept.observed += sum;
            kept.groups.add_group(group);
            kept.replicates.add_weighted(&weights.0, sum);
        }
    }

    /// Returns whether all sums are below [`SUM_LIMIT`]; those of matches are far below it.
    pub(super) fn are_below_limit(&self) -> bool {
        self.0.iter().all(|sum| sum.observed.unsigned_abs() < SUM_LIMIT && sum.replicates.are_below_limit())
    }

    /// Forgets which groups contribute to the sum at an index. This sum can then no longer be the denominator of a
    /// ratio.
    pub(super) fn forget_groups(&mut self, index: usize) {
        self.0[index].groups = GroupCounter::default();
    }

    /// Returns the observed sum at an index.
    pub(super) fn sum(&self, index: usize) -> i64 {
        self.0[index].observed
    }

    /// Returns the estimator of the ratio of two sums, with the numerator divided by `unit`; `None` if the denominator
    /// is 0.
    ///
    /// The weights of different groups are independent with mean and variance 1. So the variance of a sum over the
    /// replicates estimates the sum of squares over groups, with a standard deviation of 3%. Source: Alon, Matias and
    /// Szegedy, "The Space Complexity of Approximating the Frequency Moments" (1996).
    pub(super) fn ratio_estimator(
        &self,
        numerator: usize,
        denominator: usize,
        unit: f64,
    ) -> Option<RatioEstimator> {
        let (numerator, denominator) = (&self.0[numerator], &self.0[denominator]);
        if denominator.observed == 0 {
            return None;
        }
        let mut sums = RatioSums {
            numerator: to_float(numerator.observed) / unit,
            denominator: to_float(denominator.observed),
            ..RatioSums::default()
        };
        let replicates = numerator.replicates.sums().zip(denominator.replicates.sums());
        for (replicate_numerator, replicate_denominator) in replicates {
            let added_numerator = to_float(replicate_numerator) / unit - sums.numerator;
            let added_denominator = to_float(replicate_denominator) - sums.denominator;
            sums.numerator_squared += added_numerator * added_numerator;
            sums.product += added_numerator * added_denominator;
            sums.denominator_squared += added_denominator * added_denominator;
        }
        for squared in [&mut sums.numerator_squared, &mut sums.product, &mut sums.denominator_squared] {
            *squared /= f64::from(REPLICATES as u32);
        }
        let too_few = (!denominator.groups.is_full()).then(|| denominator.groups.count().get());
        Some(RatioEstimator { sums, too_few })
    }
}

/// An estimator of a ratio.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatioEstimator {
    sums: RatioSums,
    /// The number of groups with a contribution to the denominator, if there are too few of them for an interval.
    too_few: Option<u64>,
}

impl RatioEstimator {
    /// Creates the estimator from the numerator and the denominator of each group; `None` if the denominators add up to
    /// 0.
    pub(super) fn of_groups(groups: impl Iterator<Item = (i64, i64)>) -> Option<Self> {
        let (mut sums, mut count) = (RatioSums::default(), 0);
        for (numerator, denominator) in groups.filter(|&(_, denominator)| denominator != 0) {
            sums.add_group(to_float(numerator), to_float(denominator));
            count += 1;
        }
        (count > 0).then_some(Self { sums, too_few: (count < MIN_GROUPS as u64).then_some(count) })
    }

    /// Estimates a share from 0 to 1.
    pub(super) fn estimate_share(&self) -> Estimate {
        self.estimate_within(RatioSums::share_interval)
    }

    /// Estimates a nonnegative rate of ranks.
    pub(super) fn estimate_rank_rate(&self) -> Estimate {
        self.estimate_within(RatioSums::rank_rate_interval)
    }

    /// Estimates a mean of signed ranks.
    pub(super) fn estimate_signed_mean(&self) -> Estimate {
        self.estimate_within(RatioSums::signed_mean_interval)
    }

    fn estimate_within(&self, interval: fn(&RatioSums) -> Option<ConfidenceInterval<f64>>) -> Estimate {
        let value = self.sums.numerator / self.sums.denominator;
        let interval = match (self.too_few, interval(&self.sums)) {
            (None, Some(ConfidenceInterval { low, high })) => EstimateInterval::Between { low, high },
            (groups, _) => EstimateInterval::TooFewGroups { groups: groups.unwrap_or(1) },
        };
        Estimate { value, interval }
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "a test's numbers are small")]
mod tests {
    use super::*;
    use lastnim_core::game::TournamentId;

    fn group(number: u64) -> MatchGroup {
        MatchGroup::Duplicate { tournament: TournamentId::new(1, &[0; 10]), number }
    }

    #[test]
    fn bootstrap_weights_follow_the_poisson_distribution() {
        let mut counts = [0_u32; 9];
        for number in 0..200 {
            for weight in BootstrapWeights::of_group(1, &group(number)).0 {
                counts[usize::from(weight.unsigned_abs())] += 1;
            }
        }
        let all = 200.0 * REPLICATES as f64;
        for (weight, probability) in [(0, 0.367_879), (1, 0.367_879), (2, 0.183_940), (3, 0.061_313)] {
            let share = f64::from(counts[weight]) / all;
            assert!((share - probability).abs() < 0.004, "{weight}: {share}");
        }
    }

    #[test]
    fn the_order_and_splitting_of_groups_do_not_matter() {
        let (mut whole, mut parts) = (BootstrapSums::<2>::new(), BootstrapSums::<2>::new());
        for number in 0..50 {
            whole.add_group(
                group(number).key(),
                &BootstrapWeights::of_group(3, &group(number)),
                &[number as i64 % 7, 5],
            );
        }
        for number in (0..50).rev() {
            let weights = BootstrapWeights::of_group(3, &group(number));
            parts.add_group(group(number).key(), &weights, &[number as i64 % 7, 2]);
            parts.add_group(group(number).key(), &weights, &[0, 3]);
        }
        let share = |sums: &BootstrapSums<2>| sums.ratio_estimator(0, 1, 7.0).unwrap().estimate_share();
        assert_eq!(share(&whole), share(&parts));
    }

    #[test]
    fn replicates_estimate_the_sums_of_squares_over_groups() {
        let (mut exact, mut sums) = (RatioSums::default(), BootstrapSums::<2>::new());
        for number in 0..300 {
            let [numerator, denominator] = [number as i64 % 7, 6 + number as i64 % 3];
            exact.add_group(numerator as f64, denominator as f64);
            let weights = BootstrapWeights::of_group(1, &group(number));
            sums.add_group(group(number).key(), &weights, &[numerator, denominator]);
        }
        let RatioEstimator { sums, too_few } = sums.ratio_estimator(0, 1, 1.0).unwrap();
        assert_eq!((sums.numerator, sums.denominator, too_few), (exact.numerator, exact.denominator, None));
        for (found, expected) in [
            (sums.numerator_squared, exact.numerator_squared),
            (sums.product, exact.product),
            (sums.denominator_squared, exact.denominator_squared),
        ] {
            assert!((found / expected - 1.0).abs() < 0.15, "{found} for {expected}");
        }
    }

    #[test]
    fn too_few_groups_give_no_interval() {
        let mut bootstrap = BootstrapSums::<2>::new();
        for number in 0..MIN_GROUPS as u64 - 1 {
            for _ in 0..20 {
                bootstrap.add_group(
                    group(number).key(),
                    &BootstrapWeights::of_group(1, &group(number)),
                    &[1, 2],
                );
            }
        }
        let few = Estimate { value: 0.5, interval: EstimateInterval::TooFewGroups { groups: 9 } };
        let estimate =
            |sums: &BootstrapSums<2>| sums.ratio_estimator(0, 1, 1.0).map(|sums| sums.estimate_share());
        assert_eq!(estimate(&bootstrap), Some(few));
        bootstrap.add_group(group(99).key(), &BootstrapWeights::of_group(1, &group(99)), &[1, 2]);
        let Some(Estimate { interval: EstimateInterval::Between { low, high }, .. }) = estimate(&bootstrap)
        else {
            panic!("{bootstrap:?}");
        };
        assert!(0.0 < low && low < 0.5 && 0.5 < high && high < 1.0, "{low} to {high}");
        assert_eq!(estimate(&BootstrapSums::<2>::new()), None);
    }
}
