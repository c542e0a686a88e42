//! Student's t distribution.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The maximum number of degrees of freedom; more would change a quantile by less than 0.2%.
const MAX_FREEDOM: u32 = 1_000;

/// Student's t distribution with an integer number of degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StudentDistribution {
    freedom: u32,
}

impl StudentDistribution {
    /// Creates the distribution; `freedom` is clamped to the range from 1 to 1,000.
    pub(super) fn new(freedom: u32) -> Self {
        Self { freedom: freedom.clamp(1, MAX_FREEDOM) }
    }

    /// Returns the value below which `share` of the distribution lies. `share` is between 0 and 1, both exclusive.
    pub(super) fn quantile(self, share: f64) -> f64 {
        let (mut low, mut high) = (-FRAC_PI_2, FRAC_PI_2);
        // After 60 bisections the angle is at float precision.
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.cdf(middle.tan()) < share { low = middle } else { high = middle }
        }
        f64::midpoint(low, high).tan()
    }

    /// Returns the quantile for any number of degrees of freedom, 1 or more, and a share other than one half. Between
    /// two integers, the logarithm of the quantile is interpolated linearly in the inverse of the number; the error is
    /// below 3%.
    pub(super) fn quantile_between(freedom: f64, share: f64) -> f64 {
        let whole_freedom = freedom.floor().clamp(1.0, f64::from(MAX_FREEDOM));
        let quantile_at = |whole: f64| Self::new((whole as i64).unsigned_abs() as u32).quantile(share);
        let (low, high) = (quantile_at(whole_freedom), quantile_at(whole_freedom + 1.0));
        let part = (1.0 / whole_freedom - 1.0 / freedom.max(whole_freedom))
            / (1.0 / whole_freedom - 1.0 / (whole_freedom + 1.0));
        low * (high / low).powf(part.clamp(0.0, 1.0))
    }

    /// Returns the probability of a value that is at most `t`.
    ///
    /// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
    fn cdf(self, t: f64) -> f64 {
        let angle = (t / f64::from(self.freedom).sqrt()).atan();
        let (sine, cosine) = angle.sin_cos();
        // The terms contain powers of the cosine, from 0 or 1 in steps of two up to `freedom` - 2.
        let odd = self.freedom % 2;
        let (mut term, mut sum) = (if odd == 1 { cosine } else { 1.0 }, 0.0);
        for power in (odd..self.freedom.saturating_sub(1)).step_by(2) {
            sum += term;
            term *= cosine * cosine * f64::from(power + 1) / f64::from(power + 2);
        }
        let within = if odd == 1 { FRAC_2_PI * (angle + sine * sum) } else { sine * sum };
        f64::midpoint(1.0, within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_decrease_between_integers() {
        let quantile = |freedom| StudentDistribution::quantile_between(freedom, 0.975);
        assert!((quantile(4.0) - StudentDistribution::new(4).quantile(0.975)).abs() < 1e-12);
        assert!((quantile(0.2) - 12.706).abs() < 1e-3 && (quantile(1e9) - 1.962).abs() < 1e-3);
        assert!((quantile(1.5) / 6.05 - 1.0).abs() < 0.03, "{}", quantile(1.5));
        let falling: Vec<f64> = (10..200).map(|tenths| quantile(f64::from(tenths) / 10.0)).collect();
        assert!(falling.windows(2).all(|pair| pair[1] < pair[0]), "{falling:?}");
    }

    #[test]
    fn quantiles_agree_with_published_tables() {
        // Abramowitz and Stegun, table 26.10, for two-sided 95% and 99%.
        for (freedom, expected) in [
            (0, [12.706, 63.657]),
            (1, [12.706, 63.657]),
            (2, [4.303, 9.925]),
            (3, [3.182, 5.841]),
            (4, [2.776, 4.604]),
            (5, [2.571, 4.032]),
            (10, [2.228, 3.169]),
            (30, [2.042, 2.750]),
            (120, [1.980, 2.617]),
            (u32::MAX, [1.962, 2.581]),
        ] {
            let student = StudentDistribution::new(freedom);
            for (share, expected) in [0.975, 0.995].into_iter().zip(expected) {
                let found = student.quantile(share);
                assert!((found - expected).abs() < 1e-3, "{freedom}: {found} for {expected}");
                assert!((student.cdf(found) - share).abs() < 1e-9);
                assert!((student.quantile(1.0 - share) + found).abs() < 1e-6);
            }
        }
    }
}
