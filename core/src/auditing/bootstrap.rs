//! The bootstrap over duplicate groups, one group at a time.

use super::{
    Estimate, EstimateInterval, MIN_GROUPS, MatchGroup,
    estimate::to_float,
    group::{GroupCounter, GroupKey},
    replicates::{ByReplicate, MAX_WEIGHT, REPLICATES, ReplicateSums},
};

/// What the weights are drawn for, so that they share nothing with other draws of the same group and seed.
const PURPOSE: u64 = 0x626f_6f74_7374_7261;

/// How often a group occurs in each replicate of the bootstrap.
///
/// In place of drawing G groups from G with replacement, each group gets, independently of all others, a Poisson(1) weight
/// in each replicate. So groups can be added one at a time, in any order, and in parts: the weights derive from the seed
/// and the group. Sources: Hanley and Mac Gibbon, "Creating non-parametric bootstrap samples using Poisson frequencies"
/// (2006); Chamandy et al., "Estimating uncertainty for massive data streams" (Google, 2012).
#[derive(Debug, Clone)]
pub(super) struct BootstrapWeights(ByReplicate<i16>);

/// `2^16 P(X <= k)` for X of Poisson(1) and k = 0, 1, ..., rounded so that the mean is exactly 1; the variance is 0.99997.
const CUMULATIVE: [u16; MAX_WEIGHT as usize] =
    [24_109, 48_219, 60_273, 64_292, 65_296, 65_497, 65_531, 65_535];

impl BootstrapWeights {
    pub(super) fn of_group(seed: u64, group: &MatchGroup) -> Self {
        let mut draw = group.begin_draw(seed, [PURPOSE]);
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

/// Sums over groups, with those of each replicate.
///
/// All sums stay far below 2^53: as real numbers they are still exact.
#[derive(Debug, Clone)]
pub(super) struct BootstrapSums<const SUMS: usize> {
    sums: [i64; SUMS],
    replicates: Box<[ReplicateSums<i64>]>,
    /// By sum: the groups with something in it, as far as it takes to know that they are enough.
    groups: [GroupCounter; SUMS],
}

impl<const SUMS: usize> BootstrapSums<SUMS> {
    pub(super) fn new() -> Self {
        Self {
            sums: [0; SUMS],
            replicates: vec![ReplicateSums::new(); SUMS].into_boxed_slice(),
            groups: std::array::from_fn(|_| GroupCounter::up_to(MIN_GROUPS)),
        }
    }

    /// Adds what a group, or a part of it, comes to.
    pub(super) fn add_group(&mut self, group: GroupKey, weights: &BootstrapWeights, sums: &[i64; SUMS]) {
        for (index, &sum) in sums.iter().enumerate().filter(|&(_, &sum)| sum != 0) {
            self.sums[index] += sum;
            self.groups[index].add_group(group);
            self.replicates[index].add_weighted(&weights.0, sum);
        }
    }

    /// Returns one of the sums.
    pub(super) fn sum(&self, index: usize) -> i64 {
        self.sums[index]
    }

    /// Returns the ratio of two sums; none if there is nothing to divide by.
    pub(super) fn estimate_ratio(&self, numerator: usize, denominator: usize) -> Option<Estimate> {
        if self.sums[denominator] == 0 {
            return None;
        }
        let value = to_float(self.sums[numerator]) / to_float(self.sums[denominator]);
        let groups = &self.groups[denominator];
        if !groups.is_full() {
            let interval = EstimateInterval::TooFewGroups { groups: groups.count().get() };
            return Some(Estimate { value, interval });
        }
        let (above, below) = (self.replicates[numerator].sums(), self.replicates[denominator].sums());
        // A replicate in which nothing is left to divide by says nothing.
        let ratios = above.zip(below).filter(|&(_, below)| below != 0);
        let mut ratios: Vec<f64> = ratios.map(|(above, below)| to_float(above) / to_float(below)).collect();
        ratios.sort_by(f64::total_cmp);
        let place = |of_thousand: usize| ((ratios.len() + 1) * of_thousand + 500) / 1000;
        let [low, high] = [place(25), place(975)].map(|place| ratios[place.clamp(1, ratios.len()) - 1]);
        Some(Estimate { value, interval: EstimateInterval::Between { low, high } })
    }
}

#[cfg(test)]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    clippy::float_cmp,
    reason = "the numbers of a test are small"
)]
mod tests {
    use super::*;
    use crate::game::TournamentId;
    use crate::tournament::SeededDraw;

    fn group(number: u64) -> MatchGroup {
        MatchGroup::Duplicate { tournament: TournamentId::new(1, &[0; 10]), number }
    }

    fn bounds(estimate: Option<Estimate>) -> [f64; 2] {
        match estimate.unwrap().interval {
            EstimateInterval::Between { low, high } => [low, high],
            few @ EstimateInterval::TooFewGroups { .. } => panic!("{few:?}"),
        }
    }

    #[test]
    fn weights_are_those_of_poisson() {
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
    fn the_order_and_the_parts_of_groups_do_not_matter() {
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
        assert_eq!(whole.estimate_ratio(0, 1), parts.estimate_ratio(0, 1));
    }

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        let covered = (0..200).filter(|&seed| {
            let (mut draw, mut bootstrap) = (SeededDraw::new(seed, 1), BootstrapSums::<2>::new());
            for number in 0..60 {
                // Takes of a group agree more than those of different groups do.
                let chance = 30 + draw.number_below(61);
                let optimal = (0..8).filter(|_| draw.number_below(100) < chance).count() as i64;
                bootstrap.add_group(
                    group(number).key(),
                    &BootstrapWeights::of_group(seed, &group(number)),
                    &[optimal, 8],
                );
            }
            let [low, high] = bounds(bootstrap.estimate_ratio(0, 1));
            (low..=high).contains(&0.6)
        });
        let covered = covered.count();
        assert!((180..=198).contains(&covered), "{covered} of 200, where 190 are expected");
    }

    #[test]
    fn few_groups_have_no_interval() {
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
        assert_eq!(bootstrap.estimate_ratio(0, 1), Some(few));
        bootstrap.add_group(group(99).key(), &BootstrapWeights::of_group(1, &group(99)), &[1, 2]);
        assert_eq!(bounds(bootstrap.estimate_ratio(0, 1)), [0.5, 0.5]);
        assert_eq!(BootstrapSums::<2>::new().estimate_ratio(0, 1), None);
    }
}
