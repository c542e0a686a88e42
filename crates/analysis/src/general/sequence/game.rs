//! The games whose positions are piles that are known by their sizes.

use crate::general::{GameNumbers, GameNumbersError, Ruleset, rulesets::SubtractionGame};
use std::fmt;
use thiserror::Error;

/// A game for two in which a pile is known by its size, so that its Grundy values are a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SequenceGame {
    /// Nim.
    Nim,
    /// Fibonacci Nim, before the first take: all but one counter may be taken.
    FibonacciNim,
    /// Kayles.
    Kayles,
    /// A subtraction game.
    Subtraction(SubtractionGame),
    /// The game of digits.
    Digits,
    /// Stone piles.
    StonePiles,
}

/// A game that has no sequence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SequenceGameError {
    /// A position of the game is more than the size of a pile, or the game is not one of two for whom Grundy values decide.
    #[error(
        "{ruleset} has no sequence: {why}; games that have one are nim, fibonacci-nim, kayles, subtraction, digits and stone-piles"
    )]
    NoSequence {
        /// The game.
        ruleset: Ruleset,
        /// Why it has none.
        why: &'static str,
    },
    /// The numbers do not fit the game.
    #[error(transparent)]
    Numbers(#[from] GameNumbersError),
}

impl SequenceGame {
    /// Accepts a game by its name, and for subtraction what may be taken.
    ///
    /// # Errors
    /// If it has no sequence, or what may be taken does not fit.
    pub fn parse(ruleset: Ruleset, set: &[u64], max: Option<u64>) -> Result<Self, SequenceGameError> {
        let numbers = GameNumbers { set: set.to_vec(), max, ..GameNumbers::default() };
        let no_sequence = |why| Err(SequenceGameError::NoSequence { ruleset, why });
        let game = match ruleset {
            Ruleset::Nim => Self::Nim,
            Ruleset::FibonacciNim => Self::FibonacciNim,
            Ruleset::Kayles => Self::Kayles,
            Ruleset::Subtraction => Self::Subtraction(SubtractionGame::of_numbers(&numbers)?),
            Ruleset::Digits => Self::Digits,
            Ruleset::StonePiles => Self::StonePiles,
            Ruleset::LastNim | Ruleset::SmallNim | Ruleset::CircularNim => {
                return no_sequence("one pile of it is a pile of nim, and several are no sum of piles");
            }
            Ruleset::GraphNim => return no_sequence("its positions are graphs"),
            Ruleset::EndNim => {
                return no_sequence("its moves depend on the seat, so that there are no Grundy values");
            }
        };
        numbers.check_unused_takes(ruleset)?;
        Ok(game)
    }

    /// Returns the game by its name.
    pub fn ruleset(&self) -> Ruleset {
        match self {
            Self::Nim => Ruleset::Nim,
            Self::FibonacciNim => Ruleset::FibonacciNim,
            Self::Kayles => Ruleset::Kayles,
            Self::Subtraction(_) => Ruleset::Subtraction,
            Self::Digits => Ruleset::Digits,
            Self::StonePiles => Ruleset::StonePiles,
        }
    }

    /// Returns what may be taken from a pile, where the game has a set of that.
    pub fn allowed_takes(&self) -> &[u32] {
        match self {
            Self::Subtraction(game) => game.allowed_takes(),
            _ => &[],
        }
    }
}

impl fmt::Display for SequenceGame {
    /// Writes the game's name, with its set if it has one: `subtraction {1,3,4}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subtraction(game) => write!(f, "{} {game}", self.ruleset()),
            _ => self.ruleset().fmt(f),
        }
    }
}
