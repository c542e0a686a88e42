//! Amounts of tokens and money.

use super::TokenCount;
use lastnim_config::Decimal;
use serde_json::{Value, json};
use std::{
    fmt,
    ops::{Add, Sub},
};

/// The number of money units in one unit of the currency: money is counted in units of 10^-12 of the currency. If
/// prices per million tokens have up to six decimals, a token costs a whole number of these units.
const UNITS_PER_CURRENCY: u128 = 1_000_000_000_000;

/// A number of tokens and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// Tokens of prompts and replies.
    pub tokens: u64,
    /// Tokens of replies only.
    pub reply_tokens: u64,
    /// Money, in units of 10^-12 of the currency.
    pub money: u128,
}

/// Prices per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// The price of prompts.
    pub prompt: Decimal,
    /// The price of the part of prompts that the endpoint had cached.
    pub cached: Decimal,
    /// The price of replies.
    pub completion: Decimal,
}

impl Prices {
    /// Returns the tokens with their cost.
    pub fn amount_of(self, tokens: TokenCount) -> Amount {
        let TokenCount { prompt, completion, cached, .. } = tokens;
        let cost = |tokens: u64, price: Decimal| u128::from(tokens) * u128::from(price.millionths());
        Amount {
            tokens: prompt.saturating_add(completion),
            reply_tokens: completion,
            money: cost(prompt.saturating_sub(cached), self.prompt)
                + cost(cached, self.cached)
                + cost(completion, self.completion),
        }
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            reply_tokens: self.reply_tokens.saturating_add(other.reply_tokens),
            money: self.money.saturating_add(other.money),
        }
    }
}

impl Sub for Amount {
    type Output = Self;

    /// Subtracts, but not below zero.
    fn sub(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            reply_tokens: self.reply_tokens.saturating_sub(other.reply_tokens),
            money: self.money.saturating_sub(other.money),
        }
    }
}

/// Converts an amount of the currency into units.
pub fn money_to_units(money: Decimal) -> u128 {
    u128::from(money.millionths()) * (UNITS_PER_CURRENCY / 1_000_000)
}

impl Amount {
    /// Formats the money as an amount of the currency, rounded up to a millionth.
    pub fn money_text(&self) -> String {
        let millionths = self.money.div_ceil(UNITS_PER_CURRENCY / 1_000_000);
        format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
    }

    /// Returns the amount multiplied by `times` and divided by `by`, which is not zero, rounded down.
    #[must_use]
    pub fn scaled(self, times: u64, by: u64) -> Self {
        let scale_tokens = |tokens: u64| {
            u64::try_from(u128::from(tokens) * u128::from(times) / u128::from(by)).unwrap_or(u64::MAX)
        };
        Self {
            tokens: scale_tokens(self.tokens),
            reply_tokens: scale_tokens(self.reply_tokens),
            money: self.money.saturating_mul(times.into()) / u128::from(by),
        }
    }

    /// Returns the amount as JSON, with the money in the currency.
    pub fn to_json(&self) -> Value {
        json!({ "tokens": self.tokens, "money": self.money_as_f64() })
    }

    /// Returns the money as the nearest floating-point number.
    #[expect(clippy::cast_precision_loss, reason = "it is only for display; budgets are compared exactly")]
    pub fn money_as_f64(&self) -> f64 {
        self.money as f64 / UNITS_PER_CURRENCY as f64
    }
}

impl fmt::Display for Amount {
    /// Writes the tokens and, if there is any, the money, rounded up to a millionth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tokens, if self.tokens == 1 { "token" } else { "tokens" })?;
        if self.money == 0 { Ok(()) } else { write!(f, ", costing {}", self.money_text()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_exact() {
        let prices = Prices {
            prompt: "0.25".parse().unwrap(),
            cached: "0.025".parse().unwrap(),
            completion: Decimal::from(2),
        };
        let amount_of = |prompt, completion, cached| {
            prices.amount_of(TokenCount { prompt, completion, cached, ..TokenCount::default() })
        };
        let amount = amount_of(1_000_000, 500_001, 0);
        assert_eq!((amount.tokens, amount.money), (1_500_001, 1_250_002_000_000));
        assert_eq!(amount.to_string(), "1500001 tokens, costing 1.250002");
        assert_eq!(Amount { tokens: 7, ..Amount::default() }.to_string(), "7 tokens");
        assert_eq!(amount_of(1, 0, 0).to_string(), "1 token, costing 0.000001", "it is rounded up");
        assert_eq!(amount_of(1_000_000, 0, 900_000).to_string(), "1000000 tokens, costing 0.047500");
        assert_eq!(money_to_units("1.250002".parse().unwrap()), amount.money);
        let largest = amount_of(u64::MAX, u64::MAX, 0);
        assert_eq!((largest + largest).tokens, u64::MAX);
        assert_eq!(amount - largest, Amount::default());
    }
}
