//! How many duplicate groups it takes to tell two bots apart.

use super::rating::gamma_cdf;

/// The quantile of the normal distribution for a two-sided test at the 5% level.
const CRITICAL_VALUE: f64 = 1.959_964;
/// The quantile of the normal distribution for a power of 80%.
const POWER_QUANTILE: f64 = 0.841_621;
/// The probability that the cautious variance is below the true variance.
const RISK: f64 = 0.2;

/// Variances up to this one may be mere rounding errors.
const MAX_ROUNDING_ERROR: f64 = 1e-9;

/// The differences between two bots in the duplicate groups of a pilot tournament.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PilotDifferences {
    groups: u32,
    sum: f64,
    squares: f64,
}

/// How many duplicate groups with both bots are needed to detect a difference between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSize {
    /// The number if the true variance equals that of the pilot.
    pub groups: u64,
    /// The number for a larger variance, which is below the true one in only one pilot of five.
    pub cautious: u64,
}

impl PilotDifferences {
    /// The minimum number of groups from which a variance is estimated.
    pub const MIN_GROUPS: u32 = 10;

    /// Adds the difference per match in one group.
    pub fn add_group(&mut self, difference: f64) {
        self.groups += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// Returns the number of groups.
    pub fn group_count(&self) -> u32 {
        self.groups
    }

    /// Returns the mean difference; `None` without groups.
    pub fn mean(&self) -> Option<f64> {
        (self.groups > 0).then(|| self.sum / f64::from(self.groups))
    }

    /// Returns the variance between groups; `None` with fewer than two.
    pub fn variance(&self) -> Option<f64> {
        let freedom = self.groups.checked_sub(1).filter(|&freedom| freedom > 0)?;
        let about_mean = self.squares - self.sum * self.mean()?;
        // A negative value is a rounding error.
        Some(about_mean.max(0.0) / f64::from(freedom))
    }

    /// Returns how many groups a two-sided paired t-test at the 5% level needs to detect a difference with 80% power;
    /// `None` if the pilot has fewer than [`Self::MIN_GROUPS`] groups, or if the difference was the same in all of
    /// them. `difference` is positive.
    ///
    /// ```text
    /// n = (z_0.975 + z_0.8)^2 s^2 / difference^2 + z_0.975^2 / 2
    /// ```
    ///
    /// The last term corrects for the t-distribution. For the cautious number, s^2 is replaced by the upper 80%
    /// confidence limit of the variance. Sources: Guenther, "Sample Size Formulas for Normal Theory T Tests" (1981);
    /// Browne, "On the Use of a Pilot Sample for Sample Size Determination" (1995).
    pub fn sample_size(&self, difference: f64) -> Option<SampleSize> {
        let variance = self.variance().filter(|&variance| variance > MAX_ROUNDING_ERROR)?;
        if self.groups < Self::MIN_GROUPS {
            return None;
        }
        let freedom = self.groups - 1;
        let cautious = variance * f64::from(freedom) / chi_square_quantile(freedom, RISK);
        let groups = |variance: f64| {
            let sums = (CRITICAL_VALUE + POWER_QUANTILE) / difference;
            whole_groups(sums * sums * variance + CRITICAL_VALUE * CRITICAL_VALUE / 2.0)
        };
        Some(SampleSize { groups: groups(variance), cautious: groups(cautious) })
    }
}

#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "it is positive, and saturates")]
fn whole_groups(groups: f64) -> u64 {
    groups.ceil() as u64
}

/// Returns the value below which a chi-squared variable falls with this probability, which is at most 1/2.
fn chi_square_quantile(freedom: u32, probability: f64) -> f64 {
    let shape = f64::from(freedom) / 2.0;
    // The mean is `freedom`, and the quantiles of such probabilities are below it.
    let (mut low, mut high) = (0.0, f64::from(freedom));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if gamma_cdf(shape, middle / 2.0) < probability { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededDraw;

    fn of_differences(differences: impl IntoIterator<Item = f64>) -> PilotDifferences {
        let mut pilot = PilotDifferences::default();
        differences.into_iter().for_each(|difference| pilot.add_group(difference));
        pilot
    }

    #[test]
    fn the_numbers_agree_with_published_tables() {
        // A standardised difference of 0.5 needs 34 pairs (Cohen 1988 and G*Power).
        let even = of_differences([-1.0, 1.0].repeat(50));
        let deviation = even.variance().unwrap().sqrt();
        assert_eq!(even.sample_size(deviation / 2.0).unwrap().groups, 34);
        // A standardised difference of 0.2 needs 199 pairs.
        assert_eq!(even.sample_size(deviation / 5.0).unwrap().groups, 199);
        for (freedom, expected) in [(9, 5.380), (19, 13.716), (99, 87.005)] {
            let found = chi_square_quantile(freedom, 0.2);
            assert!((found - expected).abs() < 0.01, "{freedom}: {found}");
        }
        // The cautious variance is 99 / 87.005 times the variance of the pilot.
        assert_eq!(even.sample_size(deviation / 2.0).unwrap().cautious, 38);
    }

    #[test]
    fn a_pilot_without_enough_information_has_no_sample_size() {
        for always in [0.0, 0.5, 1.0 / 3.0] {
            assert_eq!(of_differences([always; 30]).sample_size(0.1), None, "{always} in every group");
        }
        assert_eq!(of_differences([0.5, -0.5, 0.0].repeat(3)).sample_size(0.1), None, "nine groups");
        assert!(of_differences([0.5, -0.5].repeat(5)).sample_size(0.1).is_some());
        assert_eq!(PilotDifferences::default().mean(), None);
    }

    /// Differences, each with its probability in thousandths. With the remaining probability, the difference is 0.
    type Chances = &'static [(f64, u64)];

    fn drawn(draw: &mut SeededDraw, chances: Chances) -> f64 {
        let mut left = draw.number_below(1_000);
        for &(difference, chance) in chances {
            match left.checked_sub(chance) {
                None => return difference,
                Some(less) => left = less,
            }
        }
        0.0
    }

    /// Returns the share of t-tests with `groups` groups that detect a difference.
    fn power(draw: &mut SeededDraw, chances: Chances, groups: u64) -> f64 {
        let tests = 200_u32;
        let detected = (0..tests).filter(|_| {
            let sample = of_differences((0..groups).map(|_| drawn(draw, chances)));
            let (mean, variance) = (sample.mean().unwrap(), sample.variance().unwrap());
            mean.abs() > CRITICAL_VALUE * (variance / f64::from(sample.group_count())).sqrt()
        });
        f64::from(u32::try_from(detected.count()).unwrap()) / f64::from(tests)
    }

    #[test]
    fn cautious_sample_sizes_are_large_enough_for_most_pilots() {
        // The mean difference is 0.1 in all cases.
        let cases: [(&str, Chances, u32, f64); 3] = [
            ("often, by half a point", &[(0.5, 400), (-0.5, 200)], 20, 0.75),
            ("sometimes, by a point", &[(1.0, 200), (-1.0, 100)], 20, 0.70),
            ("rarely, by two ranks", &[(2.0, 60), (-2.0, 10)], 40, 0.70),
        ];
        for (case, chances, groups, expected) in cases {
            let mut draw = SeededDraw::new(35, groups.into());
            let pilots = 200_u32;
            let sufficed = (0..pilots).filter(|_| {
                let pilot = of_differences((0..groups).map(|_| drawn(&mut draw, chances)));
                pilot.sample_size(0.1).is_some_and(|size| power(&mut draw, chances, size.cautious) >= 0.77)
            });
            let share = f64::from(u32::try_from(sufficed.count()).unwrap()) / f64::from(pilots);
            assert!(share >= expected, "{case}: {share}");
        }
    }
}
