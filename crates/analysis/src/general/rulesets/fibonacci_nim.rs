//! Fibonacci Nim.

use super::PileTake;
use crate::general::{Anyone, GameNumbersError, PileSizes, Rules};
use std::fmt;

/// Take from one pile at most twice what was taken before; the first take may not be the whole pile (Whinihan 1963).
#[derive(Debug, Clone, Copy)]
pub struct FibonacciNim;

/// A pile, and how much of it may be taken next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FibonacciPosition {
    pile: u32,
    most: u32,
}

impl FibonacciPosition {
    /// Puts up one pile, of which at most `most` may be taken next; all but one counter unless given.
    ///
    /// # Errors
    /// If there is another number of piles, or `most` does not fit.
    pub fn parse(piles: &PileSizes, most: Option<u64>) -> Result<Self, GameNumbersError> {
        let &[pile] = piles.as_slice() else {
            return Err(GameNumbersError::NotOnePile(piles.as_slice().len()));
        };
        match most {
            None => Ok(Self::untouched(pile)),
            Some(most) => {
                let most = u32::try_from(most).map_err(|_| GameNumbersError::Most(most))?;
                Ok(Self { pile, most })
            }
        }
    }

    /// Puts up a pile before the first take, which may not be all of it.
    pub fn untouched(pile: u32) -> Self {
        Self { pile, most: pile.saturating_sub(1) }
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
        let FibonacciPosition { pile, most } = position;
        (1..=most.min(pile)).map(move |take| {
            let after = FibonacciPosition { pile: pile - take, most: 2 * take };
            (PileTake { take, pile: 0 }, after)
        })
    }

    fn canonical_position(&self, position: FibonacciPosition) -> FibonacciPosition {
        FibonacciPosition { most: position.most.min(position.pile), ..position }
    }

    fn position_heap_bytes(&self, _: &FibonacciPosition) -> usize {
        0
    }
}

impl fmt::Display for FibonacciPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, of which at most {} may be taken", self.pile, self.most.min(self.pile))
    }
}
