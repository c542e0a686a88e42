//! Random signs.

use crate::SeededDraw;

/// A source of random signs.
pub(super) struct RandomSigns<'a> {
    draw: &'a mut SeededDraw,
    bits: u64,
    /// Number of unused bits.
    left: u32,
}

impl<'a> RandomSigns<'a> {
    /// Creates a source that draws 64 signs at a time.
    pub(super) fn new(draw: &'a mut SeededDraw) -> Self {
        Self { draw, bits: 0, left: 0 }
    }

    /// Returns `number`, which must not be negative, with a random sign.
    pub(super) fn with_random_sign(&mut self, number: f64) -> f64 {
        if self.left == 0 {
            (self.bits, self.left) = (self.draw.next_bits(), u64::BITS);
        }
        let sign = self.bits << (u64::BITS - 1);
        self.bits >>= 1;
        self.left -= 1;
        f64::from_bits(number.to_bits() ^ sign)
    }
}
