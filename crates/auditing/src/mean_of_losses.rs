//! The mean loss over several benchmark tiers.

use super::loss_counts::{LossCounts, LossEstimate};

/// The means of each tier are searched on a grid with steps of 1 / `STEPS`.
const STEPS: u16 = 500;

/// Estimates the mean over equally weighted tiers; `None` without tiers, or if one has no items. The items of different
/// tiers must be independent, and each tier may stop at its own time; then the interval misses the mean with
/// probability at most `error`.
///
/// Suppose that the gamblers of [`LossCounts::estimate`] bet against the true mean of every tier. Then the product of
/// their fortunes over the tiers is 1 on average, and so it reaches `2 / error` with probability at most `error / 2`.
/// So the lower end is the smallest mean over tiers for which this product remains below `2 / error`. The logarithm of
/// each fortune is convex in the mean, so a greedy search finds that smallest mean: each step lowers the mean of the
/// tier for which this raises the product least.
///
/// # Panics
/// Unless 0 < `error` <= 1.
pub fn estimate_mean_of_tiers(tiers: &[LossCounts], error: f64) -> Option<LossEstimate> {
    assert!(error > 0.0 && error <= 1.0, "an error of {error}: expected a number above 0 and up to 1");
    let count = u32::try_from(tiers.len()).ok().filter(|&count| count > 0)?;
    let means = tiers.iter().map(LossCounts::mean).collect::<Option<Vec<f64>>>()?;
    let reversed: Vec<_> = tiers.iter().map(LossCounts::reversed).collect();
    let [below, above] = [tiers, &reversed].map(|tiers| lowest_sum_of_steps(tiers, 2.0 / error));
    let all = u32::from(STEPS) * count;
    let share = |steps: u32| f64::from(steps) / f64::from(all);
    Some(LossEstimate {
        value: means.iter().sum::<f64>() / f64::from(count),
        low: share(below),
        high: share(all - above),
    })
}

/// Returns the smallest sum of the tiers' means, in steps, for which the product of the fortunes is below `fortune`.
/// Each tier's mean is then lowered by one step, so that the grid cannot make the interval too narrow.
fn lowest_sum_of_steps(tiers: &[LossCounts], fortune: f64) -> u32 {
    let logs: Vec<Vec<f64>> = tiers.iter().map(log_fortunes).collect();
    let mut places = vec![usize::from(STEPS); tiers.len()];
    let mut product: f64 = logs.iter().map(|logs| logs[usize::from(STEPS)]).sum();
    let limit = super::scaled_number::ScaledNumber::new(fortune).log2();
    loop {
        let rises = places.iter().zip(&logs).enumerate().filter(|(_, (place, _))| **place > 0);
        let rises = rises.map(|(tier, (&place, logs))| (tier, logs[place - 1] - logs[place]));
        let Some((tier, rise)) = rises.min_by(|(_, one), (_, other)| one.total_cmp(other)) else { break };
        if product + rise >= limit {
            break;
        }
        product += rise;
        places[tier] -= 1;
    }
    places.iter().map(|&place| place.saturating_sub(1) as u32).sum()
}

/// Returns the logarithm of the mean fortune by the mean that is bet against, in steps from 0 to 1.
fn log_fortunes(counts: &LossCounts) -> Vec<f64> {
    let log_fortune_at = |step: u16| counts.log_fortune(f64::from(step) / f64::from(STEPS));
    // The mean can be 0 only if no item had a loss.
    let first = if counts.mean() == Some(0.0) { log_fortune_at(1) } else { f64::INFINITY };
    [first].into_iter().chain((1..=STEPS).map(log_fortune_at)).collect()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the compared numbers are exact")]
mod tests {
    use super::super::loss_counts::LossShare;
    use super::*;
    use lastnim_tournament::SeededDraw;

    fn counts(flawless: u32, lost: u32) -> LossCounts {
        let mut counts = LossCounts::default();
        (0..flawless).for_each(|_| counts.add_loss(LossShare::NONE));
        (0..lost).for_each(|_| counts.add_loss(LossShare::ALL));
        counts
    }

    #[test]
    fn the_mean_of_several_tiers_has_a_narrower_interval() {
        assert_eq!(estimate_mean_of_tiers(&[], 0.05), None);
        assert_eq!(estimate_mean_of_tiers(&[counts(1, 1), LossCounts::default()], 0.05), None);
        let tier = counts(70, 30);
        let (alone, joint) =
            (tier.estimate(0.05).unwrap(), estimate_mean_of_tiers(&vec![tier; 5], 0.05).unwrap());
        assert!((joint.value - 0.3).abs() < 1e-12 && joint.low < 0.3 && joint.high > 0.3, "{joint:?}");
        assert!(joint.width() < 0.7 * alone.width(), "{joint:?}, {alone:?}");
        let flawless = estimate_mean_of_tiers(&vec![counts(24, 0); 5], 0.05).unwrap();
        assert!(flawless.low == 0.0 && flawless.high < 0.08, "{flawless:?}");
        let hopeless = estimate_mean_of_tiers(&vec![counts(0, 24); 5], 0.05).unwrap();
        assert!(hopeless.high == 1.0 && (hopeless.low + flawless.high - 1.0).abs() < 1e-12, "{hopeless:?}");
    }

    #[test]
    fn the_joint_interval_of_one_tier_is_nearly_its_own_interval() {
        let tier = counts(40, 25);
        let (alone, joint) = (tier.estimate(0.05).unwrap(), estimate_mean_of_tiers(&[tier], 0.05).unwrap());
        assert!(joint.low <= alone.low && alone.low - joint.low < 0.005, "{joint:?}, {alone:?}");
        assert!(joint.high >= alone.high && joint.high - alone.high < 0.005, "{joint:?}, {alone:?}");
    }

    #[test]
    fn separately_stopped_tiers_keep_the_coverage() {
        const RUNS: u64 = 40;
        let percents = [2, 10, 30, 55, 80];
        let mut missed = 0;
        for run in 0..RUNS {
            let tiers: Vec<_> = (0..)
                .zip(percents)
                .map(|(tier, percent)| {
                    let mut draw = SeededDraw::from_numbers([13, run, tier]);
                    let mut counts = LossCounts::default();
                    while counts.items() < 120 && counts.estimate(0.05).is_none_or(|loss| loss.width() > 0.3)
                    {
                        let is_lost = draw.number_below(100) < percent;
                        counts.add_loss(if is_lost { LossShare::ALL } else { LossShare::NONE });
                    }
                    counts
                })
                .collect();
            let found = estimate_mean_of_tiers(&tiers, 0.05).unwrap();
            let truth = percents.iter().sum::<u64>() as u32;
            missed += u32::from(!(found.low..=found.high).contains(&(f64::from(truth) / 500.0)));
        }
        assert!(missed <= 2, "{missed} of {RUNS} runs missed the true value");
    }
}
