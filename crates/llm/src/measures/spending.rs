//! Spending of models: tokens, money and time.

use crate::{
    Amount,
    transcript_reader::{CallCost, TranscriptCall},
};
use lastnim_proto::pb;

/// The number of money units in one unit of the currency; see [`Amount::money`].
const MONEY_UNITS: f64 = 1e12;
const MILLIS_PER_SECOND: f64 = 1_000.0;

/// The spending of some calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Tokens and money.
    pub amount: Amount,
    /// The time from questions to decisions.
    pub millis: u64,
    /// Calls without a known cost.
    pub calls_without_cost: u64,
}

impl Spending {
    /// Adds up calls.
    pub fn of_calls<'a>(calls: impl Iterator<Item = &'a TranscriptCall>) -> Self {
        let mut spending = Self::default();
        for call in calls {
            match call.cost {
                Some(cost) => spending.amount = spending.amount + amount_of_cost(cost),
                None => spending.calls_without_cost += 1,
            }
        }
        spending
    }

    /// Adds other spending.
    pub fn add_spending(&mut self, other: &Self) {
        self.amount = self.amount + other.amount;
        self.millis = self.millis.saturating_add(other.millis);
        self.calls_without_cost += other.calls_without_cost;
    }

    /// Returns the spending per unit of `whole`; `None` if `whole` is not positive.
    pub fn rate(&self, whole: f64) -> Option<pb::SpendingRate> {
        (whole > 0.0).then(|| pb::SpendingRate {
            tokens: count_as_float(self.amount.tokens) / whole,
            money: self.amount.money_as_f64() / whole,
            seconds: seconds_of_millis(self.millis) / whole,
        })
    }
}

impl From<&Spending> for pb::Spending {
    fn from(spending: &Spending) -> Self {
        Self {
            tokens: spending.amount.tokens,
            money: spending.amount.money_as_f64(),
            seconds: seconds_of_millis(spending.millis),
            calls_without_cost: spending.calls_without_cost,
        }
    }
}

/// Converts a logged cost into units that add up exactly. Negative values count as zero.
#[expect(clippy::cast_sign_loss, reason = "the cast turns negative values into zero")]
fn amount_of_cost(cost: CallCost) -> Amount {
    Amount { tokens: cost.tokens, money: (cost.money * MONEY_UNITS).round() as u128, ..Amount::default() }
}

/// Returns the mean and quantiles of the durations; `None` if there are no durations.
pub fn seconds_per_question(mut millis: Vec<u64>) -> Option<pb::SecondsPerTake> {
    millis.sort_unstable();
    let count = millis.len();
    // The quantile is the smallest duration that at least this percentage of the durations does not exceed.
    let quantile = |percent: usize| millis.get((count * percent).div_ceil(100).max(1) - 1).copied();
    let total = millis.iter().fold(0_u64, |sum, &millis| sum.saturating_add(millis));
    Some(pb::SecondsPerTake {
        p50: seconds_of_millis(quantile(50)?),
        p95: seconds_of_millis(quantile(95)?),
        mean: seconds_of_millis(total) / count_as_float(count as u64),
    })
}

fn seconds_of_millis(millis: u64) -> f64 {
    count_as_float(millis) / MILLIS_PER_SECOND
}

/// Converts a count to a number for display.
#[expect(clippy::cast_precision_loss, reason = "it is only for display; budgets are compared exactly")]
pub fn count_as_float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_measured_values() {
        let measure = |millis: &[u64]| seconds_per_question(millis.to_vec()).unwrap();
        let expected = |mean, p50, p95| pb::SecondsPerTake { mean, p50, p95 };
        assert_eq!(measure(&[2_000]), expected(2.0, 2.0, 2.0));
        assert_eq!(measure(&[4_000, 1_000]), expected(2.5, 1.0, 4.0));
        let twenty: Vec<_> = (1..=20).map(|second| second * 1_000).collect();
        assert_eq!(measure(&twenty), expected(10.5, 10.0, 19.0));
        assert_eq!(seconds_per_question(Vec::new()), None);
    }

    #[test]
    fn spending_rates_need_a_positive_divisor() {
        let spending = Spending {
            amount: amount_of_cost(CallCost { tokens: 300, money: 0.0006 }),
            millis: 1_500,
            calls_without_cost: 0,
        };
        assert_eq!(spending.amount.money, 600_000_000);
        let rate = spending.rate(2.0).unwrap();
        assert_eq!(rate, pb::SpendingRate { tokens: 150.0, money: 0.0003, seconds: 0.75 });
        assert_eq!((spending.rate(0.0), spending.rate(-1.0)), (None, None));
        assert_eq!(amount_of_cost(CallCost { tokens: 0, money: -1.0 }).money, 0);
    }
}
