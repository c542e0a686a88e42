//! Subtraction games.

use super::PileTake;
use crate::general::{
    Anyone, GameNumbers, GameNumbersError, NumberField, PileSizes, Rules, Ruleset, SequenceGame,
};
use std::fmt;

/// Take from one pile a number of counters that is in the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtractionGame {
    /// The allowed takes, ascending and distinct, each at least 1.
    set: Box<[u32]>,
}

/// Maximum size of a set.
const MAX_SET_SIZE: usize = 1024;

impl SubtractionGame {
    /// Creates the rules from a set of 1 to 1,024 positive numbers, in any order.
    ///
    /// # Errors
    /// If the set is empty or too large, or if it contains 0 or a number that is larger than any pile can be.
    pub fn parse(set: &[u64]) -> Result<Self, GameNumbersError> {
        if !(1..=MAX_SET_SIZE).contains(&set.len()) {
            return Err(GameNumbersError::SetCount { given: set.len(), max: MAX_SET_SIZE });
        }
        let numbers = set.iter().map(|&number| match u32::try_from(number) {
            Ok(number @ 1..) => Ok(number),
            _ => Err(GameNumbersError::SetNumber(number)),
        });
        let mut numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self { set: numbers.into_boxed_slice() })
    }

    /// Creates the rules from the set in `numbers`, or from the maximum take, with which the set is 1, 2, .., max
    /// (bounded Nim).
    ///
    /// # Errors
    /// If neither or both are given, or the given one is invalid.
    pub(crate) fn of_numbers(numbers: &GameNumbers) -> Result<Self, GameNumbersError> {
        match numbers.max {
            None if numbers.set.is_empty() => {
                Err(GameNumbersError::Missing { ruleset: Ruleset::Subtraction, what: NumberField::Set })
            }
            None => Self::parse(&numbers.set),
            Some(_) if !numbers.set.is_empty() => Err(GameNumbersError::SetAndMax),
            Some(max) if max == 0 || max > MAX_SET_SIZE as u64 => {
                Err(GameNumbersError::Max { given: max, limit: MAX_SET_SIZE })
            }
            Some(max) => Self::parse(&(1..=max).collect::<Vec<_>>()),
        }
    }

    /// Returns the allowed takes, in ascending order.
    pub fn allowed_takes(&self) -> &[u32] {
        &self.set
    }
}

impl Rules for SubtractionGame {
    const IS_SUM: bool = true;

    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = PileTake;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (PileTake, PileSizes)> {
        (0..piles.as_slice().len()).flat_map(move |pile| {
            let piles = piles.clone();
            let size = piles.as_slice()[pile];
            let takes = self.set.iter().take_while(move |&&take| take <= size);
            takes.map(move |&take| (PileTake { take, pile }, piles.with_size(pile, size - take)))
        })
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        // There is no move in a pile that is smaller than the smallest number of the set.
        piles.sorted_from(self.set[0])
    }

    fn independent_parts(&self, piles: &PileSizes) -> Vec<PileSizes> {
        piles.split_from(self.set[0])
    }

    fn periodic_sequence(&self) -> Option<SequenceGame> {
        Some(SequenceGame::Subtraction(self.clone()))
    }

    fn part_size(&self, pile: &PileSizes) -> Option<u32> {
        pile.as_slice().first().copied()
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}

impl fmt::Display for SubtractionGame {
    /// Writes the set: `{1,3,4}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{")?;
        for (place, number) in self.set.iter().enumerate() {
            write!(f, "{}{number}", if place == 0 { "" } else { "," })?;
        }
        write!(f, "}}")
    }
}
