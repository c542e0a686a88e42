//! A number with a few decimal places.

use super::SettingValue;
use serde_json::Value;
use std::{fmt, ops::RangeInclusive, str::FromStr};
use thiserror::Error;

/// The number of parts in a whole: decimals are stored in millionths.
const PARTS_PER_UNIT: u64 = 1_000_000;
/// The largest number that a decimal can have.
const MAX_VALUE: u64 = 1_000_000_000;

/// A number from 0 to a billion with up to six decimal places, such as a temperature or a price. Decimals are exact and
/// can be compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal {
    millionths: u64,
}

/// A string that is not a valid decimal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} is not a number from 0 to {MAX_VALUE} with at most six digits after the decimal point")]
pub struct DecimalError(String);

impl Decimal {
    /// Returns the number in millionths.
    pub fn millionths(self) -> u64 {
        self.millionths
    }

    /// Returns the nearest floating-point number.
    #[expect(clippy::cast_precision_loss, reason = "the number has at most 50 bits")]
    pub fn as_f64(self) -> f64 {
        self.millionths as f64 / PARTS_PER_UNIT as f64
    }
}

impl From<u32> for Decimal {
    fn from(whole: u32) -> Self {
        Self { millionths: u64::from(whole).min(MAX_VALUE) * PARTS_PER_UNIT }
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let parse = || {
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if !is_number(whole) || !is_number(part) || part.len() > 6 {
                return None;
            }
            let whole = whole.parse().ok().filter(|&whole: &u64| whole <= MAX_VALUE)?;
            let part: u64 = format!("{part:0<6}").parse().ok()?;
            Some(Self { millionths: whole * PARTS_PER_UNIT + part })
        };
        parse()
            .filter(|number| number.millionths <= MAX_VALUE * PARTS_PER_UNIT)
            .ok_or_else(|| DecimalError(text.into()))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.millionths / PARTS_PER_UNIT, self.millionths % PARTS_PER_UNIT);
        if part == 0 {
            return whole.fmt(f);
        }
        let digits = format!("{part:06}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl SettingValue for Decimal {
    fn to_json(&self) -> Value {
        if self.millionths.is_multiple_of(PARTS_PER_UNIT) {
            (self.millionths / PARTS_PER_UNIT).into()
        } else {
            self.as_f64().into()
        }
    }

    fn set(&mut self, json: &Value, range: &RangeInclusive<u64>) -> Result<(), String> {
        let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        // In JSON, a whole floating-point number has a decimal place, such as 2.0, which can be parsed as well.
        let number: Self = text.parse().map_err(|error: DecimalError| error.to_string())?;
        let (first, last) = (*range.start(), (*range.end()).min(MAX_VALUE));
        if number.millionths < first.saturating_mul(PARTS_PER_UNIT)
            || number.millionths > last * PARTS_PER_UNIT
        {
            return Err(format!("{json} is not a number from {first} to {last}"));
        }
        *self = number;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn decimals_are_read_exactly_from_texts_and_numbers() {
        for (text, shown) in
            [("0", "0"), ("0.70", "0.7"), ("12.000001", "12.000001"), ("1000000000", "1000000000")]
        {
            assert_eq!(text.parse::<Decimal>().unwrap().to_string(), shown);
        }
        for text in
            ["", ".5", "1.", "-1", "1e3", "0.1234567", "1000000000.000001", "1.2.3", "99999999999999999999"]
        {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        let mut number = Decimal::default();
        for (json, shown) in
            [(json!(0), "0"), (json!(0.7), "0.7"), (json!("1.25"), "1.25"), (json!(2.0), "2")]
        {
            number.set(&json, &(0..=2)).unwrap();
            assert_eq!(number.to_string(), shown);
        }
        assert_eq!(number.set(&json!(2.5), &(0..=2)), Err("2.5 is not a number from 0 to 2".into()));
        assert!(number.set(&json!(-1), &(0..=2)).is_err() && number.set(&json!([]), &(0..=2)).is_err());
        assert_eq!("0.7".parse::<Decimal>().unwrap().to_json(), json!(0.7));
    }
}
