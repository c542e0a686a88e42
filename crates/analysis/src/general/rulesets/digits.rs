//! The game of digits.

use crate::general::{Anyone, PileSizes, Rules};
use std::fmt;

/// Choose a number, and subtract one of its nonzero decimal digits from it.
#[derive(Debug, Clone, Copy)]
pub struct SubtractDigit;

/// A move that subtracts a digit from a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DigitMove {
    /// The digit, 1 to 9.
    pub digit: u32,
    /// The number before the move.
    pub number: u32,
}

impl Rules for SubtractDigit {
    const IS_SUM: bool = true;

    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = DigitMove;

    fn moves(&self, numbers: PileSizes, _: Anyone) -> impl Iterator<Item = (DigitMove, PileSizes)> {
        (0..numbers.as_slice().len()).flat_map(move |index| {
            let numbers = numbers.clone();
            let number = numbers.as_slice()[index];
            let digits = (1..=9).rev().filter(move |&digit| has_digit(number, digit));
            digits.map(move |digit| (DigitMove { digit, number }, numbers.with_size(index, number - digit)))
        })
    }

    fn canonical_position(&self, numbers: PileSizes) -> PileSizes {
        numbers.sorted_from(1)
    }

    fn independent_parts(&self, numbers: &PileSizes) -> Vec<PileSizes> {
        numbers.split_from(1)
    }

    fn position_heap_bytes(&self, numbers: &PileSizes) -> usize {
        numbers.heap_bytes()
    }
}

fn has_digit(mut number: u32, digit: u32) -> bool {
    while number > 0 {
        if number % 10 == digit {
            return true;
        }
        number /= 10;
    }
    false
}

impl fmt::Display for DigitMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subtract {} from {}", self.digit, self.number)
    }
}
