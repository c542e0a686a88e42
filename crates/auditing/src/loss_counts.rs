//! Losses in benchmark items, with a confidence interval for the mean that is valid at any stopping time.

use super::scaled_number::ScaledNumber;
use std::ops::Add;

/// The loss in one item as a share of the maximum loss, from 0 to 1, counted in twelfths. Twelfths are exact if the
/// maximum loss is 1 to 4 ranks, that is, with two to five seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LossShare {
    twelfths: u8,
}

impl LossShare {
    /// No loss.
    pub const NONE: Self = Self { twelfths: 0 };
    /// The maximum loss.
    pub const ALL: Self = Self { twelfths: TWELFTHS };

    /// Returns `ranks` divided by `all`, capped at 1; `None` if 12 is not a multiple of `all`, as with six seats.
    pub fn of_ranks(ranks: u32, all: u32) -> Option<Self> {
        let step = u32::from(TWELFTHS).checked_div(all).filter(|step| step * all == u32::from(TWELFTHS))?;
        let twelfths = u8::try_from(ranks.min(all) * step).expect("at most twelve");
        Some(Self { twelfths })
    }

    /// Returns the share as a number from 0 to 1.
    pub fn as_f64(self) -> f64 {
        f64::from(self.twelfths) / f64::from(TWELFTHS)
    }
}

/// The number of twelfths in a whole.
const TWELFTHS: u8 = 12;
const SHARES: usize = TWELFTHS as usize + 1;

/// The number of items with each possible loss. The order of the items does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LossCounts([u32; SHARES]);

/// A mean with its confidence interval, usually of 95%.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossEstimate {
    /// The mean over the items.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl LossEstimate {
    /// Returns the width of the interval.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// The ends of intervals are multiples of 1 / `STEPS`, rounded outwards.
const STEPS: u32 = 10_000;
/// Number of gamblers whose bets determine each end of the interval.
const GAMBLERS: u8 = 8;
/// The bet of each gambler, as a share of the maximum bet.
const BETS: [f64; GAMBLERS as usize] = [0.0625, 0.1875, 0.3125, 0.4375, 0.5625, 0.6875, 0.8125, 0.9375];

impl LossCounts {
    /// Adds an item.
    pub fn add_loss(&mut self, loss: LossShare) {
        self.0[usize::from(loss.twelfths)] += 1;
    }

    /// Returns the number of items.
    pub fn items(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Returns the mean loss as a share of the maximum; `None` without items.
    pub fn mean(&self) -> Option<f64> {
        let sum: u32 = (0..).zip(&self.0).map(|(twelfths, count)| twelfths * count).sum();
        let items = self.items();
        (items > 0).then(|| f64::from(sum) / (f64::from(TWELFTHS) * f64::from(items)))
    }

    /// Estimates the mean loss in the population from which the items are drawn; `None` without items. Whatever rule
    /// decides when to stop adding items, the interval misses that mean with probability at most `error`.
    ///
    /// Each end is found by betting against every mean beyond it (Waudby-Smith and Ramdas, "Estimating Means of Bounded
    /// Random Variables by Betting", 2024). A gambler starts with a fortune of 1 and bets a fixed share of it that
    /// losses exceed a mean `m`. If the true mean is `m`, the fortune does not grow on average, so the probability that
    /// it ever reaches `2 / error` is at most `error / 2` (Ville 1939). The fortune used here is the mean over eight
    /// gamblers who bet 1/16, 3/16, ..., 15/16 of the maximum. Its computation needs only products and sums, which are
    /// bit-identical on every platform.
    ///
    /// # Panics
    /// Unless 0 < `error` <= 1.
    pub fn estimate(&self, error: f64) -> Option<LossEstimate> {
        assert!(error > 0.0 && error <= 1.0, "an error of {error}: expected a number above 0 and up to 1");
        let value = self.mean()?;
        let [below, above] = [self, &self.reversed()].map(|counts| counts.refuted_steps(2.0 / error));
        let end = |steps: u32| f64::from(steps) / f64::from(STEPS);
        Some(LossEstimate { value, low: end(below), high: end(STEPS - above) })
    }

    /// Returns the largest mean, in steps, for which the gamblers who bet on larger losses have reached `fortune` on
    /// average.
    fn refuted_steps(&self, fortune: f64) -> u32 {
        // The smaller the mean, the more the gamblers have won.
        let (mut refuted, mut kept) = (0, STEPS + 1);
        while kept - refuted > 1 {
            let middle = refuted.midpoint(kept);
            if self.reaches_fortune(f64::from(middle) / f64::from(STEPS), fortune) {
                refuted = middle;
            } else {
                kept = middle;
            }
        }
        refuted
    }

    /// Returns whether the gamblers who bet that losses exceed `mean` have reached `fortune` on average.
    fn reaches_fortune(&self, mean: f64, fortune: f64) -> bool {
        let fortunes = self.fortunes(mean);
        fortunes.into_iter().map(ScaledNumber::saturate).sum::<f64>() >= fortune * f64::from(GAMBLERS)
    }

    /// Returns the binary logarithm of the mean fortune of the gamblers who bet that losses exceed `mean`.
    pub(super) fn log_fortune(&self, mean: f64) -> f64 {
        let share = ScaledNumber::new(1.0 / f64::from(GAMBLERS));
        let sum = self.fortunes(mean).into_iter().map(|fortune| fortune * share).reduce(Add::add);
        sum.expect("there is at least one gambler").log2()
    }

    /// Returns the fortune of each gambler who bets that losses exceed `mean`.
    fn fortunes(&self, mean: f64) -> [ScaledNumber; GAMBLERS as usize] {
        BETS.map(|bet| {
            let shares = (0_u8..).zip(&self.0).filter(|&(_, &count)| count > 0);
            shares.fold(ScaledNumber::ONE, |product, (twelfths, &count)| {
                let loss = LossShare { twelfths }.as_f64();
                product * ScaledNumber::new(1.0 - bet + bet * loss / mean).power(count)
            })
        })
    }

    /// Returns the counts with each loss subtracted from the maximum: a loss of 3/12 becomes one of 9/12.
    pub(super) fn reversed(&self) -> Self {
        let mut reversed = self.clone();
        reversed.0.reverse();
        reversed
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the compared numbers are exact")]
mod tests {
    use super::*;
    use lastnim_tournament::SeededDraw;

    fn counts(losses: &[(u32, u32, u32)]) -> LossCounts {
        let mut counts = LossCounts::default();
        for &(ranks, all, times) in losses {
            (0..times).for_each(|_| counts.add_loss(LossShare::of_ranks(ranks, all).unwrap()));
        }
        counts
    }

    #[test]
    fn shares_of_one_to_four_ranks_are_exact() {
        assert_eq!(LossShare::of_ranks(1, 1), Some(LossShare::ALL));
        assert_eq!(LossShare::of_ranks(0, 3), Some(LossShare::NONE));
        assert_eq!(LossShare::of_ranks(3, 4).unwrap().as_f64(), 0.75);
        assert_eq!(LossShare::of_ranks(1, 3).unwrap().as_f64(), 4.0 / 12.0);
        assert_eq!(LossShare::of_ranks(9, 2), Some(LossShare::ALL), "a share is at most 1");
        assert_eq!((LossShare::of_ranks(1, 5), LossShare::of_ranks(0, 0)), (None, None));
    }

    #[test]
    fn an_interval_narrows_around_the_mean() {
        assert_eq!(LossCounts::default().estimate(0.05), None);
        let mut widths = Vec::new();
        for times in [1, 5, 30, 200] {
            let found =
                counts(&[(0, 1, 7 * times), (1, 2, 2 * times), (1, 1, times)]).estimate(0.05).unwrap();
            assert!((found.value - 0.2).abs() < 1e-12 && found.low < 0.2 && found.high > 0.2, "{found:?}");
            widths.push(found.width());
        }
        assert!(widths.is_sorted_by(|wider, narrower| wider > narrower), "{widths:?}");
        let sure = counts(&[(0, 1, 50)]).estimate(0.05).unwrap();
        assert!(sure.low == 0.0 && sure.value == 0.0 && (0.05..0.12).contains(&sure.high), "{sure:?}");
        let hopeless = counts(&[(1, 1, 50)]).estimate(0.05).unwrap();
        assert_eq!((hopeless.high, hopeless.low), (1.0, 1.0 - sure.high));
    }

    #[test]
    fn huge_numbers_of_items_are_handled() {
        let many = counts(&[(0, 1, 90_000), (1, 1, 10_000)]).estimate(0.05).unwrap();
        assert!(many.low < 0.1 && many.high > 0.1 && many.width() < 0.05, "{many:?}");
    }

    /// Distributions of losses: each pair is a frequency in sixtieths and a loss in twelfths.
    const LOSS_DISTRIBUTIONS: [&[(u32, u8)]; 5] = [
        &[(60, 0)],
        &[(57, 0), (3, 12)],
        &[(45, 0), (5, 3), (5, 6), (5, 12)],
        &[(20, 0), (10, 4), (10, 8), (20, 12)],
        &[(6, 0), (54, 12)],
    ];

    /// Draws items until the interval is no wider than `width`. Returns whether the interval ever missed the mean,
    /// whether it missed it at the end, and the number of items.
    fn stop_once_narrow(kind: &[(u32, u8)], seed: u64, width: f64, max_items: u32) -> (bool, bool, u32) {
        let truth: f64 = kind
            .iter()
            .map(|&(weight, twelfths)| f64::from(weight) * LossShare { twelfths }.as_f64() / 60.0)
            .sum();
        let mut draw = SeededDraw::new(11, seed);
        let (mut counts, mut ever) = (LossCounts::default(), false);
        for items in 1..=max_items {
            let mut left = draw.number_below(60) as u32;
            let drawn = kind.iter().find(|(weight, _)| {
                let here = left < *weight;
                left = left.saturating_sub(*weight);
                here
            });
            counts.add_loss(LossShare { twelfths: drawn.unwrap().1 });
            let found = counts.estimate(0.05).unwrap();
            let missed = truth < found.low || truth > found.high;
            ever |= missed;
            if found.width() <= width || items == max_items {
                return (ever, missed, items);
            }
        }
        unreachable!("the loop ends at the last item")
    }

    #[test]
    fn optional_stopping_keeps_the_coverage_and_saves_items() {
        const RUNS: u32 = 60;
        let (mut ever, mut at_stop, mut items) = (0, 0, 0);
        for kind in LOSS_DISTRIBUTIONS {
            for seed in 0..RUNS {
                let (missed_ever, missed, took) = stop_once_narrow(kind, seed.into(), 0.25, 120);
                ever += u32::from(missed_ever);
                at_stop += u32::from(missed);
                items += took;
            }
        }
        let all = RUNS * LOSS_DISTRIBUTIONS.len() as u32;
        // The seeds are fixed, so the counts never change. At most 5% of the runs may miss the true value at any point.
        assert!(
            ever * 20 <= all,
            "{ever} of {all} runs missed the true value at some point, and {at_stop} when they stopped"
        );
        assert!(at_stop <= ever && items * 10 < all * 120 * 7, "{items} items in {all} runs");
    }
}
