//! Error rates of bots.

use lastnim_tournament::SeededDraw;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The error rate of [`Epsilon`](super::Epsilon), 0 to 1 in steps of a millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlunderRate {
    millionths: u32,
}

/// A word that is not a rate from 0 to 1 with at most six decimals.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("RATE {0:?}: expected a number from 0 to 1 with at most {DECIMALS} decimals, as in epsilon-0.1")]
pub struct BlunderRateError(pub String);

const DECIMALS: usize = 6;
const MILLION: u32 = 1_000_000;

impl BlunderRate {
    /// The example that error messages give.
    pub(super) const EXAMPLE: Self = Self { millionths: MILLION / 10 };

    /// Draws whether the next take is an error.
    pub(super) fn draw_is_error(self, draw: &mut SeededDraw) -> bool {
        draw.number_below(MILLION.into()) < self.millionths.into()
    }
}

impl fmt::Display for BlunderRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.millionths / MILLION, self.millionths % MILLION);
        let decimals = format!("{rest:0DECIMALS$}");
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            decimals => write!(f, "{whole}.{decimals}"),
        }
    }
}

impl FromStr for BlunderRate {
    type Err = BlunderRateError;

    fn from_str(text: &str) -> Result<Self, BlunderRateError> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let millionths = || {
            let whole: u32 = whole.parse().ok()?;
            let decimals: u32 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
            whole.checked_mul(MILLION)?.checked_add(decimals)
        };
        (is_plain(whole) && is_plain(decimals) && decimals.len() <= DECIMALS)
            .then(millionths)
            .flatten()
            .filter(|&millionths| millionths <= MILLION)
            .map(|millionths| Self { millionths })
            .ok_or_else(|| BlunderRateError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blunder_rate_must_be_between_0_and_1() {
        for good in ["0", "1", "0.1", "0.05", "0.000001", "0.999999"] {
            assert_eq!(good.parse::<BlunderRate>().unwrap().to_string(), good);
        }
        for (text, shown) in [("0.10", "0.1"), ("1.000000", "1"), ("00.5", "0.5")] {
            assert_eq!(text.parse::<BlunderRate>().unwrap().to_string(), shown);
        }
        let bad = ["", "2", "1.000001", "-0.1", "0.0000001", ".5", "0.", "1e-3", "NaN", "5%", "99999999999"];
        for bad in bad {
            let refused = bad.parse::<BlunderRate>().unwrap_err().to_string();
            let expected = "expected a number from 0 to 1 with at most 6 decimals, as in epsilon-0.1";
            assert_eq!(refused, format!("RATE {bad:?}: {expected}"));
        }
    }

    #[test]
    fn blunders_happen_at_the_given_rate() {
        let mut draw = SeededDraw::new(3, 0);
        let mut count = |rate: &str| {
            let rate: BlunderRate = rate.parse().unwrap();
            (0..10_000).filter(|_| rate.draw_is_error(&mut draw)).count()
        };
        assert_eq!((count("0"), count("1")), (0, 10_000));
        // The expected count is 2,000, and the standard deviation is 40.
        assert!((1_800..2_200).contains(&count("0.2")));
    }
}
