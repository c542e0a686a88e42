//! A test that stops as soon as it knows enough.

use super::Answer;
use crate::tournament::{Effects, ErrorRates};

/// A generalised sequential probability ratio test on the mean of independent differences whose variance is unknown.
///
/// The likelihoods of both hypotheses are those of a normal distribution with the variance that suits each best, so that the
/// logarithm of their ratio is `N/2 ln(v0 / v1)` with `v0` and `v1` the mean squares about the two effects. It is held
/// against Wald's bounds `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)`. Sources: Wald, "Sequential Tests of
/// Statistical Hypotheses" (1945); Li, Liu and Ying, "Generalized Sequential Probability Ratio Test for Separate Families of
/// Hypotheses" (2014), for the generalisation; Van den Bergh, "A practical introduction to the GSPRT", for its
/// use on groups of games.
///
/// While few differences are known, their variance may look far too small: before the first mistake of anybody it is none at
/// all. So the mean squares count [`PRIOR`] differences beside those seen, each a whole point or rank a match away from
/// either effect, and no answer is given before [`LEAST`] are seen. Simulations show error rates within the nominal ones,
/// save where very few groups make nearly all of the difference.
#[derive(Debug, Clone)]
pub(super) struct SequentialTest {
    effects: Effects,
    errors: ErrorRates,
    differences: u32,
    sum: f64,
    squares: f64,
}

/// Differences that are counted beside those seen.
const PRIOR: f64 = 2.0;
/// The fewest differences that make an answer.
const LEAST: u32 = 8;

impl SequentialTest {
    pub(super) fn new(effects: Effects, errors: ErrorRates) -> Self {
        Self { effects, errors, differences: 0, sum: 0.0, squares: 0.0 }
    }

    /// Takes a difference: by how much the candidate was better.
    pub(super) fn add(&mut self, difference: f64) {
        self.differences += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// Returns the mean difference; none before the first.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.differences > 0).then(|| self.sum / f64::from(self.differences))
    }

    /// Returns the logarithm of the likelihood ratio; positive speaks for the candidate.
    pub(super) fn llr(&self) -> f64 {
        let count = f64::from(self.differences);
        let about = |effect: f64| {
            let squares = self.squares - 2.0 * effect * self.sum + count * effect * effect;
            // A sum of squares; what is below zero is rounding.
            squares.max(0.0) + PRIOR
        };
        0.5 * (count + PRIOR) * (about(self.effects.none()) / about(self.effects.some())).ln()
    }

    /// Returns the ratios at which the candidate is called no better, and better.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.errors.alpha(), self.errors.beta());
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// Returns what is known by now.
    pub(super) fn answer(&self) -> Answer {
        let (llr, (lower, upper)) = (self.llr(), self.bounds());
        if self.differences < LEAST {
            Answer::Open
        } else if llr >= upper {
            Answer::Better
        } else if llr <= lower {
            Answer::NoBetter
        } else {
            Answer::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Draw;

    /// Differences and how often each comes, in thousandths; 0 fills what is missing.
    type Chances = &'static [(f64, u64)];

    /// Returns the share of tests that call the candidate better, and how many differences they took on average.
    fn simulate(effects: (f64, f64), chances: Chances) -> (f64, f64) {
        let (mut better, mut taken, tests) = (0, 0, 1_000_u32);
        for number in 0..tests {
            let mut draw = Draw::new(20_261_121, number.into());
            let effects = Effects::new(effects.0, effects.1).unwrap();
            let mut test = SequentialTest::new(effects, ErrorRates::default());
            while test.answer() == Answer::Open {
                let mut left = draw.below(1_000);
                let drawn = chances.iter().find(|(_, chance)| match left.checked_sub(*chance) {
                    None => true,
                    Some(less) => {
                        left = less;
                        false
                    }
                });
                test.add(drawn.map_or(0.0, |(difference, _)| *difference));
                taken += 1;
            }
            better += u32::from(test.answer() == Answer::Better);
        }
        (f64::from(better) / f64::from(tests), f64::from(taken) / f64::from(tests))
    }

    #[test]
    fn it_is_wrong_as_often_as_it_may_be() {
        // Wald's bounds ignore by how much they are passed, so that errors are rarer than their rates; the rest is the
        // noise of 1,000 tests, of which 0.05 has a standard deviation of 0.007.
        let (rate, noise) = (0.05, 0.015);
        let cases: [(&str, (f64, f64), Chances, Chances); 5] = [
            ("even noise", (0.0, 0.1), &[(0.5, 300), (-0.5, 300)], &[(0.5, 400), (-0.5, 200)]),
            ("about zero", (-0.1, 0.1), &[(0.5, 200), (-0.5, 400)], &[(0.5, 400), (-0.5, 200)]),
            ("mistakes are rare", (0.0, 0.1), &[(0.5, 10), (-0.5, 10)], &[(0.5, 200)]),
            ("large, rare mistakes", (0.0, 0.1), &[(1.0, 10), (-1.0, 10)], &[(1.0, 100)]),
            ("one-sided", (0.0, 0.1), &[(0.25, 200), (-1.0, 50)], &[(0.25, 400)]),
        ];
        for (case, effects, none, some) in cases {
            let wrongly_better = simulate(effects, none).0;
            assert!(wrongly_better <= rate + noise, "{case}: alpha {wrongly_better}");
            let wrongly_no_better = 1.0 - simulate(effects, some).0;
            assert!(wrongly_no_better <= rate + noise, "{case}: beta {wrongly_no_better}");
        }
    }

    #[test]
    fn a_clear_difference_is_seen_sooner() {
        let taken = |plus, minus| {
            let chances: Vec<(f64, u64)> = vec![(0.5, plus), (-0.5, minus)];
            simulate((0.0, 0.1), Box::leak(chances.into_boxed_slice())).1
        };
        let (clear, at_the_effect) = (taken(600, 100), taken(400, 200));
        assert!(clear * 2.0 < at_the_effect, "{clear} and {at_the_effect}");
    }

    #[test]
    fn the_ratio_is_that_of_the_formula() {
        let mut test = SequentialTest::new(Effects::new(0.0, 0.5).unwrap(), ErrorRates::default());
        assert_eq!((test.llr(), test.mean()), (0.0, None));
        for difference in [1.0, 0.0, 0.5] {
            test.add(difference);
        }
        // About 0: 1 + 0 + 0.25; about 0.5: 0.25 + 0.25 + 0.
        let expected = 2.5 * ((1.25 + 2.0) / (0.5 + 2.0_f64)).ln();
        assert!((test.llr() - expected).abs() < 1e-12);
        assert_eq!(test.mean(), Some(0.5));
        let (lower, upper) = test.bounds();
        assert!((upper - 19_f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
    }
}
