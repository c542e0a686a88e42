//! Numbers for products of very many factors, and for sums of such products.

use std::ops::{Add, Mul};

/// A positive number that may be far outside the range of a float: `mantissa * 2^(256 * exponent)`, with a mantissa
/// from 2^-128 up to 2^128. A product is computed by one float multiplication, so it is identical on every platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScaledNumber {
    mantissa: f64,
    exponent: i64,
}

/// 2^128, half a step of the exponent. Multiplying or dividing by it is exact.
const HALF_STEP: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
/// 2^256, one step of the exponent. Multiplying or dividing by it is exact.
const STEP: f64 = HALF_STEP * HALF_STEP;
/// Number of bits of a float that hold its fraction.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const FRACTION_MASK: u64 = (1 << FRACTION_BITS) - 1;
const EXPONENT_BIAS: i64 = 1023;

impl ScaledNumber {
    /// The number 1.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Creates a number from a positive float from 2^-128 up to 2^128.
    pub fn new(number: f64) -> Self {
        Self { mantissa: number, exponent: 0 }
    }

    /// Raises the number to a power, by squaring.
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

    /// Returns the binary logarithm, rounded down to a multiple of 2^-24. The computation uses only products, so the
    /// result is identical on every platform.
    #[expect(clippy::cast_precision_loss, reason = "exponents of products stay far below 2^53")]
    pub fn log2(self) -> f64 {
        let bits = self.mantissa.to_bits();
        let whole = 256 * self.exponent + (bits >> FRACTION_BITS).cast_signed() - EXPONENT_BIAS;
        let mut rest = f64::from_bits(bits & FRACTION_MASK | EXPONENT_BIAS.cast_unsigned() << FRACTION_BITS);
        let (mut log, mut step) = (whole as f64, 0.5);
        for _ in 0..24 {
            rest *= rest;
            if rest >= 2.0 {
                rest /= 2.0;
                log += step;
            }
            step /= 2.0;
        }
        log
    }

    /// Normalises the result of one product or sum.
    fn normalised(mantissa: f64, exponent: i64) -> Self {
        if mantissa >= HALF_STEP {
            Self { mantissa: mantissa / STEP, exponent: exponent + 1 }
        } else if mantissa < 1.0 / HALF_STEP {
            Self { mantissa: mantissa * STEP, exponent: exponent - 1 }
        } else {
            Self { mantissa, exponent }
        }
    }

    /// Converts the number to a float: infinity if it is 2^128 or more, and 0 if it is below 2^-128.
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
        Self::normalised(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Add for ScaledNumber {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let added = match large.exponent - small.exponent {
            0 => small.mantissa,
            1 => small.mantissa / STEP,
            // The smaller number is too small to change the sum.
            _ => 0.0,
        };
        Self::normalised(large.mantissa + added, large.exponent)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the compared numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn powers_are_exact_products() {
        let three = ScaledNumber::new(3.0);
        assert_eq!(three.power(0), ScaledNumber::ONE);
        assert_eq!(three.power(13).saturate(), 1_594_323.0);
        let tiny = ScaledNumber::new(1.0 / 16.0);
        assert_eq!((tiny * tiny).saturate(), 1.0 / 256.0);
        let (huge, nothing) = (ScaledNumber::new(1e4).power(100_000), tiny.power(100_000));
        assert_eq!((huge.saturate(), nothing.saturate()), (f64::INFINITY, 0.0));
        let sixteen = ScaledNumber::new(16.0).power(100_000);
        assert_eq!((sixteen * nothing).saturate(), 1.0, "multiplying by powers of two loses no bits");
    }

    #[test]
    fn sums_and_logarithms_agree_with_floats() {
        let log = |number: f64| ScaledNumber::new(number).log2();
        assert_eq!((log(1.0), log(8.0), log(0.125)), (0.0, 3.0, -3.0));
        for number in [3.0, 0.7, 1e-30, 9_999.5] {
            assert!((log(number) - number.log2()).abs() < 1e-6, "{number}");
        }
        let huge = ScaledNumber::new(1e4).power(100_000);
        assert!((huge.log2() - 100_000.0 * 1e4_f64.log2()).abs() < 1e-3);
        assert_eq!((huge + ScaledNumber::ONE).log2(), huge.log2());
        assert_eq!((ScaledNumber::new(3.0) + ScaledNumber::new(5.0)).saturate(), 8.0);
        let half = ScaledNumber::new(HALF_STEP / 2.0);
        assert_eq!((half + half).log2(), 128.0);
        let small = ScaledNumber::new(0.5).power(129);
        assert_eq!((small + small).log2(), -128.0);
    }
}
