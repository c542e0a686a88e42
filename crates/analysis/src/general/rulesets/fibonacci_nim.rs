//! Fibonacci Nim.

use super::PileTake;
use crate::general::{Anyone, GameNumbersError, PileSizes, Rules};
use std::fmt;

/// There is one pile: take at most twice as many counters as the previous take; the first take must not be the whole
/// pile (Whinihan 1963).
#[derive(Debug, Clone, Copy)]
pub struct FibonacciNim;

/// A pile and the maximum next take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FibonacciPosition {
    pile: u32,
    max_take: u32,
}

impl FibonacciPosition {
    /// Creates a position with one pile. `max_take` is the maximum next take; by default it is all but one counter.
    ///
    /// # Errors
    /// If there is not exactly one pile, or `max_take` is out of range.
    pub fn parse(piles: &PileSizes, max_take: Option<u64>) -> Result<Self, GameNumbersError> {
        let &[pile] = piles.as_slice() else {
            return Err(GameNumbersError::NotOnePile(piles.as_slice().len()));
        };
        match max_take {
            None => Ok(Self::untouched(pile)),
            Some(max_take) => {
                let max_take =
                    u32::try_from(max_take).map_err(|_| GameNumbersError::MaxNextTake(max_take))?;
                Ok(Self { pile, max_take })
            }
        }
    }

    /// Creates the position before the first take, which must not be the whole pile.
    pub fn untouched(pile: u32) -> Self {
        Self { pile, max_take: pile.saturating_sub(1) }
    }
}

impl Rules for FibonacciNim {
    type MoverKind = Anyone;
    type Position = FibonacciPosition;
    type Move = PileTake;

    fn moves(
        &self,
        position: FibonacciPosition,
        _: Anyone,
    ) -> impl Iterator<Item = (PileTake, FibonacciPosition)> {
        let FibonacciPosition { pile, max_take } = position;
        (1..=max_take.min(pile)).map(move |take| {
            let after = FibonacciPosition { pile: pile - take, max_take: 2 * take };
            (PileTake { take, pile: 0 }, after)
        })
    }

    fn canonical_position(&self, position: FibonacciPosition) -> FibonacciPosition {
        FibonacciPosition { max_take: position.max_take.min(position.pile), ..position }
    }

    fn position_heap_bytes(&self, _: &FibonacciPosition) -> usize {
        0
    }
}

impl fmt::Display for FibonacciPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, of which at most {} may be taken", self.pile, self.max_take.min(self.pile))
    }
}
