//! Products of very many factors.

use std::ops::Mul;

/// A number above 0 that may be far larger or smaller than a float: `mantissa * 2^(256 * exponent)`, with a mantissa from 2^-128 up to 2^128. Its
/// products are those of floats, the same on every platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScaledNumber {
    mantissa: f64,
    exponent: i64,
}

/// 2^128 and 2^256, and their reciprocals: products with them are exact.
const HALF_STEP: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
const STEP: f64 = HALF_STEP * HALF_STEP;

impl ScaledNumber {
    /// The number 1.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Takes a number above 0, and no larger than 2^128.
    pub fn new(number: f64) -> Self {
        Self { mantissa: number, exponent: 0 }
    }

    /// Raises it to a power, by squaring.
    pub fn power(self, exponent: u32) -> Self {
        let (mut power, mut square, mut left) = (Self::ONE, self, exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = power * square;
            }
            square = square * square;
            left /= 2;
        }
        power
    }

    /// Returns it as a float: infinite if it is larger than 2^128, and 0 if it is smaller than 2^-128.
    pub fn saturate(self) -> f64 {
        match self.exponent {
            0 => self.mantissa,
            1.. => f64::INFINITY,
            _ => 0.0,
        }
    }
}

impl Mul for ScaledNumber {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (mantissa, exponent) = (self.mantissa * other.mantissa, self.exponent + other.exponent);
        if mantissa >= HALF_STEP {
            Self { mantissa: mantissa / STEP, exponent: exponent + 1 }
        } else if mantissa < 1.0 / HALF_STEP {
            Self { mantissa: mantissa * STEP, exponent: exponent - 1 }
        } else {
            Self { mantissa, exponent }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_products_however_large() {
        let three = ScaledNumber::new(3.0);
        assert_eq!(three.power(0), ScaledNumber::ONE);
        assert_eq!(three.power(13).saturate(), 1_594_323.0);
        let tiny = ScaledNumber::new(1.0 / 16.0);
        assert_eq!((tiny * tiny).saturate(), 1.0 / 256.0);
        let (huge, nothing) = (ScaledNumber::new(1e4).power(100_000), tiny.power(100_000));
        assert_eq!((huge.saturate(), nothing.saturate()), (f64::INFINITY, 0.0));
        let sixteen = ScaledNumber::new(16.0).power(100_000);
        assert_eq!((sixteen * nothing).saturate(), 1.0, "powers of two lose nothing on the way");
    }
}
