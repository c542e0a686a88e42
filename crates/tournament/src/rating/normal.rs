//! The standard normal distribution.

/// Beyond this many standard deviations the tail is below float precision.
const MAX_DEVIATIONS: f64 = 8.0;

/// Returns the probability that a standard normal variable is at most `x`.
///
/// Source: Marsaglia, "Evaluating the Normal Distribution" (2004).
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.abs() >= MAX_DEVIATIONS {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut odd) = (x, 0.0, 1.0);
    while term.abs() > f64::MIN_POSITIVE {
        sum += term;
        odd += 2.0;
        term *= x * x / odd;
    }
    0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_published_tables() {
        // Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), table 26.1.
        for (x, expected) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013),
            (1.0, 0.841_344_746_068_543),
            (1.96, 0.975_002_104_851_780),
            (3.0, 0.998_650_101_968_370),
            (5.0, 0.999_999_713_348_428),
        ] {
            assert!((normal_cdf(x) - expected).abs() < 1e-14, "{x}: {}", normal_cdf(x));
            assert!((normal_cdf(-x) + expected - 1.0).abs() < 1e-14);
        }
        let ends = [-1e300, -8.0, 8.0, f64::INFINITY].map(|x| normal_cdf(x).to_string());
        assert_eq!(ends, ["0", "0", "1", "1"]);
    }
}
