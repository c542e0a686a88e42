//! The gamma and beta distributions.

use std::f64::consts::PI;

/// Maximum number of terms of a series or a continued fraction: enough for parameters up to 10^8.
const MAX_TERMS: u32 = 100_000;
/// The relative size below which a term is negligible.
const PRECISION: f64 = 1e-14;
/// The number that replaces 0 in denominators.
const MIN_MAGNITUDE: f64 = 1e-300;

/// Returns the probability that a gamma variable with this positive shape and scale 1 is at most `x`.
///
/// Sources: DLMF 8.7.1 and 8.9.2; Lentz, "Generating Bessel Functions in Mie Scattering Calculations" (1976).
pub(crate) fn gamma_cdf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (shape * x.ln() - x - ln_gamma(shape)).exp();
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        for above in 1..MAX_TERMS {
            term *= x / (shape + f64::from(above));
            sum += term;
            if term < sum * PRECISION {
                break;
            }
        }
        return (front * sum).min(1.0);
    }
    let fraction = ContinuedFraction::starting_with(x + 1.0 - shape).evaluate(|step| {
        let step = f64::from(step);
        (step * (shape - step), x + 2.0 * step + 1.0 - shape)
    });
    (1.0 - front / fraction).clamp(0.0, 1.0)
}

/// Returns the probability that a beta variable with these positive parameters is at most `x`.
///
/// Source: DLMF 8.17.4 and 8.17.22.
pub(super) fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_cdf_below_mean(b, a, 1.0 - x);
    }
    beta_cdf_below_mean(a, b, x)
}

fn beta_cdf_below_mean(a: f64, b: f64, x: f64) -> f64 {
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let fraction = ContinuedFraction::starting_with(1.0).evaluate(|step| {
        let half = f64::from(step / 2);
        let numerator = if step % 2 == 0 {
            half * (b - half) * x / ((a + 2.0 * half - 1.0) * (a + 2.0 * half))
        } else {
            -(a + half) * (a + b + half) * x / ((a + 2.0 * half) * (a + 2.0 * half + 1.0))
        };
        (numerator, 1.0)
    });
    (front / fraction).clamp(0.0, 1.0)
}

/// A continued fraction, which is evaluated from its first term onwards by Lentz's method.
struct ContinuedFraction {
    /// The first term, or a tiny number if that is 0.
    first_term: f64,
}

impl ContinuedFraction {
    fn starting_with(term: f64) -> Self {
        Self { first_term: if term.abs() < MIN_MAGNITUDE { MIN_MAGNITUDE } else { term } }
    }

    /// Evaluates the fraction; `part` returns the numerator and denominator of each step. Steps are numbered from 1.
    fn evaluate(self, part: impl Fn(u32) -> (f64, f64)) -> f64 {
        let nonzero = |value: f64| if value.abs() < MIN_MAGNITUDE { MIN_MAGNITUDE } else { value };
        let (mut value, mut above, mut below) = (self.first_term, self.first_term, 0.0);
        for step in 1..MAX_TERMS {
            let (numerator, denominator) = part(step);
            below = 1.0 / nonzero(denominator + numerator * below);
            above = nonzero(denominator + numerator / above);
            let factor = above * below;
            value *= factor;
            if (factor - 1.0).abs() < PRECISION {
                break;
            }
        }
        value
    }
}

/// Returns the logarithm of the gamma function at a positive number.
///
/// Source: Lanczos, "A Precision Approximation of the Gamma Function" (1964), with Godfrey's coefficients for g = 7.
fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let terms = (1_u32..).zip(COEFFICIENTS);
    let sum =
        terms.fold(0.999_999_999_999_809_9, |sum, (at, coefficient)| sum + coefficient / (x + f64::from(at)));
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-11, "{found} for {expected}");
    }

    #[test]
    fn gamma_with_an_integer_shape_is_a_poisson_sum() {
        for shape in [1_u32, 2, 7, 40, 300] {
            for x in [0.01, 0.7, 3.0, 39.0, 41.0, 260.0, 330.0] {
                let mut chance = f64::exp(-x);
                let mut below = 0.0;
                for count in 0..shape {
                    below += chance;
                    chance *= x / f64::from(count + 1);
                }
                assert_near(gamma_cdf(shape.into(), x), 1.0 - below);
            }
        }
        assert_near(gamma_cdf(2.0, 0.0), 0.0);
        // The gamma distribution with shape one half is that of half the square of a standard normal variable.
        assert_near(gamma_cdf(0.5, 1.959_963_984_540_054_f64.powi(2) / 2.0), 0.95);
    }

    #[test]
    fn beta_with_integer_parameters_is_a_binomial_sum() {
        for (a, b) in [(1_u32, 1_u32), (1, 12), (3, 5), (20, 2), (35, 65)] {
            let trials = a + b - 1;
            for x in [0.001, 0.1, 0.35, 0.5, 0.9, 0.999_f64] {
                let mut chance = (1.0 - x).powi(trials.cast_signed());
                let mut tail_chance = 0.0;
                for count in 0..=trials {
                    tail_chance += if count >= a { chance } else { 0.0 };
                    chance *= f64::from(trials - count) / f64::from(count + 1) * x / (1.0 - x);
                }
                assert_near(beta_cdf(a.into(), b.into(), x), tail_chance);
            }
        }
        assert_near(beta_cdf(2.0, 3.0, 0.0), 0.0);
        assert_near(beta_cdf(2.0, 3.0, 1.0), 1.0);
    }

    #[test]
    fn large_parameters_approach_the_normal_distribution() {
        for large in [1e6, 1e8] {
            assert!((gamma_cdf(large, large + 1.96 * large.sqrt()) - 0.975).abs() < 1e-3);
            let deviation = 0.5 / (2.0 * large).sqrt();
            assert!((beta_cdf(large, large, 0.5 - 1.96 * deviation) - 0.025).abs() < 1e-3);
        }
        // For rare events in many trials, the beta distribution approaches the gamma distribution.
        assert!((beta_cdf(3.0, 1e8, 5e-8) - gamma_cdf(3.0, 5.0)).abs() < 1e-6);
    }
}
