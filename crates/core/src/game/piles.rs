//! The piles of a position.

use std::{fmt, sync::Arc};
use thiserror::Error;

/// Maximum number of piles in a game.
pub const MAX_PILES: usize = 1024;
/// Maximum number of counters in a pile: 2^63 - 1.
pub const MAX_COUNTERS: u64 = i64::MAX as u64;

/// The nonempty piles of a position, in order. The last one is in play. This type is cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Piles(Arc<[u64]>);

/// Why numbers are not valid piles.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PilesError {
    /// There are no piles, or too many.
    #[error("{0} piles: expected 1 to {MAX_PILES}")]
    Count(usize),
    /// A pile is too large.
    #[error("pile {pile} has {counters} counters: expected at most {MAX_COUNTERS}")]
    TooLarge {
        /// The index of the pile, from 0.
        pile: usize,
        /// The number of counters in the pile.
        counters: u64,
    },
    /// A pile is empty.
    #[error("pile {pile} has 0 counters: expected 1 to {MAX_COUNTERS} at the start")]
    Empty {
        /// The index of the pile, from 0.
        pile: usize,
    },
    /// A pile is empty, but a later one is not.
    #[error(
        "pile {pile} has 0 counters, but a later one has {behind}: the last pile is emptied first, so only the last piles may have 0"
    )]
    EmptyBefore {
        /// The index of the pile, from 0.
        pile: usize,
        /// The number of counters in the next nonempty pile.
        behind: u64,
    },
}

impl Piles {
    /// Parses the piles of a new game: 1 to 1,024 piles of 1 to 2^63 - 1 counters each.
    ///
    /// # Errors
    /// If there are no piles or too many, or a pile is invalid. The error names the first invalid pile.
    pub fn parse(counters: &[u64]) -> Result<Self, PilesError> {
        match counters.iter().position(|&counters| counters == 0) {
            Some(pile) => Err(PilesError::Empty { pile }),
            None => Self::parse_partly_emptied(counters),
        }
    }

    /// Parses the piles of a game that may be in progress or over: like [`parse`](Self::parse), but the last piles may
    /// be empty.
    ///
    /// # Errors
    /// If there are no piles or too many, or a pile is invalid. The error names the first invalid pile.
    pub fn parse_partly_emptied(counters: &[u64]) -> Result<Self, PilesError> {
        if !(1..=MAX_PILES).contains(&counters.len()) {
            return Err(PilesError::Count(counters.len()));
        }
        if let Some(pile) = counters.iter().position(|&counters| counters > MAX_COUNTERS) {
            return Err(PilesError::TooLarge { pile, counters: counters[pile] });
        }
        let nonempty = counters.iter().rposition(|&counters| counters > 0).map_or(0, |last| last + 1);
        let live = &counters[..nonempty];
        if let Some(pile) = live.iter().position(|&counters| counters == 0) {
            let behind = live[pile..].iter().copied().find(|&counters| counters > 0).unwrap_or(0);
            return Err(PilesError::EmptyBefore { pile, behind });
        }
        Ok(Self(live.into()))
    }

    /// Returns the number of counters in each nonempty pile, in order.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Returns the number of nonempty piles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no counter is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl AsRef<[u64]> for Piles {
    fn as_ref(&self) -> &[u64] {
        &self.0
    }
}

impl fmt::Display for Piles {
    /// Writes the counters, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, counters) in self.0.iter().enumerate() {
            write!(f, "{}{counters}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Piles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piles({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_pile() {
        let message = |counters: &[u64]| Piles::parse(counters).unwrap_err().to_string();
        assert_eq!(message(&[]), "0 piles: expected 1 to 1024");
        assert_eq!(message(&[1; 1025]), "1025 piles: expected 1 to 1024");
        assert_eq!(
            message(&[1, MAX_COUNTERS + 1]),
            "pile 1 has 9223372036854775808 counters: expected at most 9223372036854775807"
        );
        assert_eq!(message(&[3, 0]), "pile 1 has 0 counters: expected 1 to 9223372036854775807 at the start");
        let interior = Piles::parse_partly_emptied(&[3, 0, 0, 2]).unwrap_err();
        assert_eq!(interior, PilesError::EmptyBefore { pile: 1, behind: 2 });
    }

    #[test]
    fn emptied_piles_are_dropped() {
        assert_eq!(Piles::parse_partly_emptied(&[3, 2, 0, 0]).unwrap().as_slice(), [3, 2]);
        assert!(Piles::parse_partly_emptied(&[0]).unwrap().is_empty());
        assert_eq!(Piles::parse(&[MAX_COUNTERS; MAX_PILES]).unwrap().len(), MAX_PILES);
    }
}
