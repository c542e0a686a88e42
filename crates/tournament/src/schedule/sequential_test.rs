//! The sequential test behind SPRT tournaments.

use super::{BetCapitals, SprtAnswer};
use crate::{EffectBounds, ErrorRates};

/// A sequential test for the mean of independent bounded differences, without other assumptions.
///
/// Two gamblers bet against the two hypotheses, each with a capital of 1, at odds that are fair or worse if the
/// hypothesis is true. One bets a part of its capital against a mean of at most `none`: a difference `x` multiplies the
/// capital by `1 + part * (x - none)`. The other bets against a mean of at least `some`. By Ville's inequality, the
/// probability that a capital ever reaches `1 / alpha` at such odds is at most `alpha`. So the error rates are
/// guaranteed for any distribution of differences and any stopping time. The part is chosen for the fastest growth,
/// about the mean divided by the mean square of the earlier differences, but no single difference can cost more than
/// [`MAX_BET`] of the capital. Sources: Wald, "Sequential Tests of Statistical Hypotheses" (1945), for the two bounds;
/// Ville, "Étude critique de la notion de collectif" (1939); Waudby-Smith and Ramdas, "Estimating Means of Bounded
/// Random Variables by Betting" (2024), for the bets.
///
/// A test based on the normal distribution (GSPRT), which is common for games, takes about as many groups but relies on
/// the observed variance. Where a few groups caused nearly all of the difference, it was wrong in up to 54% of the
/// cases instead of 5%. The table shows the simulations behind this choice. Each row simulates 1,000 tests with
/// permitted error rates of 0.05. For both kinds of test, it gives the observed error rates if the candidate is no
/// better and if it is better, and the mean numbers of groups in these two cases.
///
/// | effects, differences per match | this test | normal distribution |
/// |---|---|---|
/// | 0 and 0.1, two seats, one game in ten decided each way | 0.04 0.05, 152 204 | 0.02 0.04, 125 173 |
/// | 0 and 0.05, three seats, regret: baseline 0.1, candidate 0.1 or 0.05 | 0.01 0.01, 204 196 | 0.01 0.02, 171 150 |
/// | 0 and 0.2, three seats, regret: baseline 0.5, candidate 0.5 or 0.3 | 0.03 0.02, 54 53 | 0.03 0.03, 53 46 |
/// | 0 and 0.1, three seats, regret: baseline 0.5, candidate 0.5 or 0.1 | 0.05 0.00, 175 23 | 0.04 0.00, 177 29 |
/// | 0 and 0.1, three seats, all mistakes on one position in 20 | 0.00 0.05, 83 116 | 0.00 0.20, 46 118 |
/// | 0 and 0.1, many small mistakes of one bot, few large ones of the other | 0.04 0.04, 112 423 | 0.19 0.00, 131 115 |
/// | 0 and 0.1, eight seats, mistakes of all 7 ranks in one match of 100 | 0.00 0.01, 300 316 | 0.01 0.04, 85 126 |
/// | 0 and 0.1, eight seats, all such mistakes on one position in 50 | 0.00 0.04, 287 369 | 0.00 0.53, 50 174 |
///
/// The guarantee is expensive with many seats: the difference in a single group could be as large as all ranks, and it
/// takes hundreds of groups to rule out that a few such groups cause the whole mean difference.
#[derive(Debug, Clone)]
pub(super) struct SequentialTest {
    effects: EffectBounds,
    errors: ErrorRates,
    /// The maximum absolute difference.
    bound: f64,
    /// The number of differences so far.
    differences: u32,
    /// The sum of the differences.
    sum: f64,
    /// The sum of the squared differences.
    squares: f64,
    capitals: BetCapitals,
}

/// The state to be encoded: the number of differences, their sum, the sum of their squares, and the capitals.
pub(super) type TestState = (u32, f64, f64, BetCapitals);

/// The largest part of a capital that one difference can cost.
const MAX_BET: f64 = 0.75;
/// The squared deviation of an imaginary difference that is added when the variance is estimated: half a point or rank,
/// squared.
const PRIOR_SQUARED_DEVIATION: f64 = 0.25;

impl SequentialTest {
    /// Creates a test of differences from `-bound` to `bound`.
    pub(super) fn new(effects: EffectBounds, errors: ErrorRates, bound: f64) -> Self {
        let (differences, sum, squares) = (0, 0.0, 0.0);
        Self { effects, errors, bound, differences, sum, squares, capitals: BetCapitals::default() }
    }

    /// Returns the state to be encoded.
    pub(super) fn state(&self) -> TestState {
        (self.differences, self.sum, self.squares, self.capitals)
    }

    /// Restores a state.
    pub(super) fn restore(&mut self, state: TestState) {
        (self.differences, self.sum, self.squares, self.capitals) = state;
    }

    /// Adds a difference, which is positive if the candidate was better.
    pub(super) fn add_difference(&mut self, difference: f64) {
        let (none, some) = (self.effects.none(), self.effects.some());
        let (to_better, to_no_better) = self.next_bets();
        self.capitals.better += (to_better * (difference - none)).ln_1p();
        self.capitals.no_better += (to_no_better * (some - difference)).ln_1p();
        self.differences += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// Returns the part of its capital that each gambler bets next: first the one who bets that the candidate is
    /// better, then the other.
    fn next_bets(&self) -> (f64, f64) {
        let (none, some) = (self.effects.none(), self.effects.some());
        let apart = some - none;
        let count = f64::from(self.differences);
        let mean = self.mean_difference().unwrap_or(f64::midpoint(none, some));
        // A negative value can only be a rounding error.
        let variance =
            ((self.squares - count * mean * mean).max(0.0) + PRIOR_SQUARED_DEVIATION) / (count + 1.0);
        let part = |lead: f64, room: f64| (lead / (variance + lead * lead)).min(MAX_BET / room.max(apart));
        (part(apart.max(mean - none), self.bound + none), part(apart.max(some - mean), self.bound - some))
    }

    /// Returns the mean difference; `None` before the first.
    pub(super) fn mean_difference(&self) -> Option<f64> {
        (self.differences > 0).then(|| self.sum / f64::from(self.differences))
    }

    /// Returns the capitals of the bets.
    pub(super) fn capitals(&self) -> BetCapitals {
        self.capitals
    }

    /// Returns the two bounds of [`BetCapitals::llr`]: at the first, the candidate is called no better, and at the
    /// second, better.
    pub(super) fn bounds(&self) -> (f64, f64) {
        (self.errors.beta().ln(), -self.errors.alpha().ln())
    }

    /// Returns the answer so far.
    pub(super) fn answer(&self) -> SprtAnswer {
        let (no_better, better) = self.bounds();
        if self.capitals.better >= better {
            SprtAnswer::Better
        } else if self.capitals.no_better >= -no_better {
            SprtAnswer::NoBetter
        } else {
            SprtAnswer::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededDraw;

    /// Differences, each with its probability in thousandths. With the remaining probability, the difference is 0.
    type Chances = &'static [(f64, u64)];

    /// Returns the share of tests that call the candidate better, and the mean number of differences in a test.
    fn simulate(effects: (f64, f64), chances: Chances) -> (f64, f64) {
        let (mut better, mut taken, tests) = (0, 0, 1_000_u32);
        for number in 0..tests {
            let mut draw = SeededDraw::new(20_261_121, number.into());
            let effects = EffectBounds::new(effects.0, effects.1).unwrap();
            let bound = chances.iter().fold(1.0_f64, |bound, (difference, _)| bound.max(difference.abs()));
            let mut test = SequentialTest::new(effects, ErrorRates::default(), bound);
            while test.answer() == SprtAnswer::Open {
                let mut left = draw.number_below(1_000);
                let drawn = chances.iter().find(|(_, chance)| match left.checked_sub(*chance) {
                    None => true,
                    Some(less) => {
                        left = less;
                        false
                    }
                });
                test.add_difference(drawn.map_or(0.0, |(difference, _)| *difference));
                taken += 1;
            }
            better += u32::from(test.answer() == SprtAnswer::Better);
        }
        (f64::from(better) / f64::from(tests), f64::from(taken) / f64::from(tests))
    }

    #[test]
    fn error_rates_hold_in_simulations() {
        // The standard deviation of a rate in 1,000 tests is 0.007, and the tolerance is about twice that.
        let (rate, noise) = (0.05, 0.015);
        let cases: [(&str, (f64, f64), Chances, Chances); 9] = [
            ("even noise", (0.0, 0.1), &[(0.5, 300), (-0.5, 300)], &[(0.5, 400), (-0.5, 200)]),
            ("about zero", (-0.1, 0.1), &[(0.5, 200), (-0.5, 400)], &[(0.5, 400), (-0.5, 200)]),
            ("mistakes are rare", (0.0, 0.1), &[(0.5, 10), (-0.5, 10)], &[(0.5, 200)]),
            ("large, rare mistakes", (0.0, 0.1), &[(1.0, 10), (-1.0, 10)], &[(1.0, 100)]),
            ("one-sided", (0.0, 0.1), &[(0.25, 200), (-1.0, 50)], &[(0.25, 400)]),
            ("one group in twenty", (0.0, 0.1), &[(2.0, 10), (-2.0, 10)], &[(2.0, 50)]),
            ("all ranks of eight seats", (0.0, 0.1), &[(7.0, 10), (-7.0, 10)], &[(7.0, 24), (-7.0, 9)]),
            (
                "large mistakes of the candidate",
                (0.0, 0.1),
                &[(0.25, 400), (-2.0, 50)],
                &[(0.25, 800), (-2.0, 50)],
            ),
            (
                "large mistakes of the baseline",
                (0.0, 0.1),
                &[(2.0, 50), (-0.25, 400)],
                &[(2.0, 100), (-0.25, 400)],
            ),
        ];
        for (case, effects, none, some) in cases {
            let wrongly_better = simulate(effects, none).0;
            assert!(wrongly_better <= rate + noise, "{case}: alpha {wrongly_better}");
            let wrongly_no_better = 1.0 - simulate(effects, some).0;
            assert!(wrongly_no_better <= rate + noise, "{case}: beta {wrongly_no_better}");
        }
    }

    #[test]
    fn a_clear_difference_is_detected_sooner() {
        let taken = |plus, minus| {
            let chances: Vec<(f64, u64)> = vec![(0.5, plus), (-0.5, minus)];
            simulate((0.0, 0.1), Box::leak(chances.into_boxed_slice())).1
        };
        let (clear, at_the_effect) = (taken(600, 100), taken(400, 200));
        assert!(clear * 2.0 < at_the_effect, "{clear} and {at_the_effect}");
    }

    #[test]
    fn capitals_follow_from_the_bets() {
        let mut test = SequentialTest::new(EffectBounds::new(0.0, 0.5).unwrap(), ErrorRates::default(), 1.0);
        assert_eq!((test.capitals().llr(), test.mean_difference()), (0.0, None));
        // Both first bets would be 0.5 / (0.25 + 0.25) = 1 of the capital, but the bet on better is limited to 0.75.
        test.add_difference(1.0);
        let BetCapitals { better, no_better } = test.capitals();
        assert!((better - 1.75_f64.ln()).abs() < 1e-12 && (no_better - 0.5_f64.ln()).abs() < 1e-12);
        assert_eq!((test.capitals().llr(), test.mean_difference()), (better, Some(1.0)));
        // Now the variance is 0.25 / 2, and the leads are 1 and 0.5.
        test.add_difference(0.0);
        let BetCapitals { better, no_better } = test.capitals();
        assert!(
            (better - 1.75_f64.ln()).abs() < 1e-12,
            "a difference of exactly `none` does not change the capital"
        );
        assert!((no_better - (0.5 * (1.0 + 0.5 * 0.5 / 0.375_f64)).ln()).abs() < 1e-12);
        let (lower, upper) = test.bounds();
        assert!((upper - 20_f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
    }

    #[test]
    fn impossible_effects_are_answered_at_once() {
        for (effects, difference, answer) in
            [((0.0, 5.0), 1.0, SprtAnswer::NoBetter), ((-5.0, -3.0), -1.0, SprtAnswer::Better)]
        {
            let effects = EffectBounds::new(effects.0, effects.1).unwrap();
            let mut test = SequentialTest::new(effects, ErrorRates::default(), 1.0);
            let mut taken = 0;
            while test.answer() == SprtAnswer::Open {
                test.add_difference(difference);
                taken += 1;
            }
            assert!(taken < 10 && test.answer() == answer && test.capitals().llr().is_finite(), "{test:?}");
        }
    }

    #[test]
    fn equal_bots_are_called_no_better() {
        let mut test = SequentialTest::new(EffectBounds::new(0.0, 0.1).unwrap(), ErrorRates::default(), 2.0);
        while test.answer() == SprtAnswer::Open {
            test.add_difference(0.0);
        }
        // A mean of 0.1 could come from a difference of 2 in one group of 20. It takes 59 groups without a difference
        // to rule that out.
        assert!(test.answer() == SprtAnswer::NoBetter && (59..120).contains(&test.differences), "{test:?}");
    }
}
