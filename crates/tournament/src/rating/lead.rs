//! The lead of one bot over another.

use super::normal::normal_cdf;

/// The lead of one bot over another, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrengthLead {
    /// The difference between the strengths of the two bots.
    pub lead: f64,
    /// The standard error of the lead, 0 or more.
    pub error: f64,
    /// The degrees of freedom of the standard error.
    pub freedom: u32,
}

impl StrengthLead {
    /// Returns the lead in units of its standard error, adjusted so that it has nearly a standard normal distribution
    /// if the bots are equal.
    ///
    /// Source: Wallace, "Bounds on Normal Approximations to Student's and the Chi-Square Distributions" (1959).
    pub fn score(self) -> f64 {
        if self.lead == 0.0 {
            return 0.0;
        }
        let freedom = f64::from(self.freedom);
        let t = self.lead / self.error;
        let size =
            (freedom * (t * t / freedom).ln_1p()).sqrt() * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
        size.copysign(t)
    }

    /// Returns the probability, 0 to 1, that one of two equal bots would have at least this lead over the other.
    pub fn chance_if_equal(self) -> f64 {
        2.0 * normal_cdf(-self.score().abs())
    }
}

/// An estimate of the spread of the strengths in a field, which are assumed to be drawn from a normal distribution. The
/// estimate gives the probability that one bot is better than another.
///
/// The prior of the spread is uniform from 0 to a maximum; the posterior follows from the observed strengths. If all
/// bots may be equal, a lead is mostly due to chance and is shrunk; if the bots differ by more than chance would
/// explain, a lead counts almost fully. Sources: Efron and Morris, "Stein's Estimation Rule and Its Competitors"
/// (1973); Gelman, Hill and Yajima, "Why We (Usually) Don't Have to Worry About Multiple Comparisons" (2012).
#[derive(Debug, Clone, PartialEq)]
pub struct SpreadBelief {
    /// Possible standard deviations of the strengths, each with its probability.
    spreads: Vec<(f64, f64)>,
}

/// The number of possible spreads that are evaluated.
const SPREAD_COUNT: u32 = 60;

impl SpreadBelief {
    /// Computes the posterior from each bot's distance from the mean of the bots that it is compared with, and the
    /// variance of that distance. `greatest` is the maximum spread.
    pub fn of_strengths(strengths: &[(f64, f64)], greatest: f64) -> Self {
        let spreads =
            (0..SPREAD_COUNT).map(|place| greatest * (f64::from(place) + 0.5) / f64::from(SPREAD_COUNT));
        let log_chance = |spread: f64| -> f64 {
            let density = |&(strength, variance): &(f64, f64)| {
                let variance = variance + spread * spread;
                -0.5 * (variance.ln() + strength * strength / variance)
            };
            strengths.iter().map(density).sum()
        };
        let logs: Vec<(f64, f64)> = spreads.map(|spread| (spread, log_chance(spread))).collect();
        let greatest = logs.iter().map(|&(_, log)| log).fold(f64::NEG_INFINITY, f64::max);
        let mut spreads: Vec<_> =
            logs.into_iter().map(|(spread, log)| (spread, (log - greatest).exp())).collect();
        let sum: f64 = spreads.iter().map(|(_, chance)| chance).sum();
        for (_, chance) in &mut spreads {
            *chance /= sum;
        }
        Self { spreads }
    }

    /// Returns the probability, 0 to 1, that a bot with this lead over another is really better.
    pub fn probability_better(&self, lead: StrengthLead) -> f64 {
        let (score, variance) = (lead.score(), lead.error * lead.error);
        let shrunk = |&(spread, chance): &(f64, f64)| {
            let pair_variance = 2.0 * spread * spread;
            chance * normal_cdf(score * (pair_variance / (pair_variance + variance)).sqrt())
        };
        self.spreads.iter().map(shrunk).sum::<f64>().clamp(0.0, 1.0)
    }
}

/// Adjusts p-values for multiple comparisons: if all bots were equal, the probability that any adjusted p-value is at
/// most 5% would be at most 5%.
///
/// Source: Holm, "A Simple Sequentially Rejective Multiple Test Procedure" (1979).
pub fn adjust_p_values(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&one, &other| chances[one].total_cmp(&chances[other]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut before: f64 = 0.0;
    for (left, pair) in (1..=chances.len() as u32).rev().zip(order) {
        before = before.max(f64::from(left) * chances[pair]).min(1.0);
        adjusted[pair] = before;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_leads_agree_with_critical_values_of_students_t() {
        // The critical values of Student's t for two-sided 5% and 1%, with 5 and 30 degrees of freedom. They correspond
        // to normal scores of 1.96 and 2.576.
        for (freedom, t, expected) in
            [(5, 2.571, 1.96), (5, 4.032, 2.576), (30, 2.042, 1.96), (30, 2.75, 2.576)]
        {
            let score = StrengthLead { lead: -t, error: 1.0, freedom }.score();
            assert!((score + expected).abs() < 0.03, "{score} for {expected}");
        }
        assert!(StrengthLead { lead: 0.0, error: 0.0, freedom: 3 }.score().abs() < 1e-12);
        assert!(StrengthLead { lead: 1.0, error: 0.0, freedom: 3 }.chance_if_equal().abs() < 1e-12);
    }

    #[test]
    fn leads_are_less_certain_if_bots_may_be_equal() {
        let lead = StrengthLead { lead: 0.1, error: 0.05, freedom: 100 };
        let alone = normal_cdf(lead.score());
        let variance = 0.05_f64.powi(2) / 2.0;
        let equal: Vec<_> = (0..40).map(|bot| (0.03 * f64::from(bot % 3 - 1), variance)).collect();
        let spread: Vec<_> = (0..40).map(|bot| (0.01 * f64::from(bot - 20), variance)).collect();
        let chance_better =
            |strengths: &[_]| SpreadBelief::of_strengths(strengths, 0.5).probability_better(lead);
        assert!(
            chance_better(&equal) < 0.75 && chance_better(&spread) > 0.95,
            "{} {}",
            chance_better(&equal),
            chance_better(&spread)
        );
        assert!(chance_better(&spread) < alone);
        let none = StrengthLead { lead: 0.0, ..lead };
        assert!((SpreadBelief::of_strengths(&equal, 0.5).probability_better(none) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn p_values_are_adjusted_by_holms_method() {
        let adjusted = adjust_p_values(&[0.04, 0.01, 0.5, 0.015]);
        let expected = [0.08, 0.04, 0.5, 0.045];
        assert!(
            adjusted.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12),
            "{adjusted:?}"
        );
        assert_eq!(adjust_p_values(&[]), Vec::<f64>::new());
        assert_eq!(adjust_p_values(&[0.9, 0.9]), [1.0, 1.0]);
    }
}
