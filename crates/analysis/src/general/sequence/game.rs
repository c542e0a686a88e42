//! Games in which a pile is fully described by its size.

use crate::general::{GameNumbers, GameNumbersError, Ruleset, rulesets::SubtractionGame};
use std::fmt;
use thiserror::Error;

/// A two-player game in which a pile is fully described by its size, so that the Grundy values by size form a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SequenceGame {
    /// Nim.
    Nim,
    /// Fibonacci Nim, before the first take, which may be up to all but one counter.
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

/// The reason why no sequence can be computed for a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SequenceGameError {
    /// The values of single piles do not determine the values of the game's positions, or the game has no Grundy
    /// values.
    #[error(
        "{ruleset} has no sequence: {why}; the games with a sequence are nim, fibonacci-nim, kayles, subtraction, digits and stone-piles"
    )]
    NoSequence {
        /// The game.
        ruleset: Ruleset,
        /// The reason.
        why: &'static str,
    },
    /// The numbers are invalid.
    #[error(transparent)]
    Numbers(#[from] GameNumbersError),
}

impl SequenceGame {
    /// Creates a game from its name and, for subtraction, the allowed takes.
    ///
    /// # Errors
    /// If the game has no sequence, or the allowed takes are invalid.
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
                return no_sequence(
                    "a single pile is an ordinary Nim pile, and the values of several piles do not follow from those of each pile",
                );
            }
            Ruleset::GraphNim => return no_sequence("its positions are graphs, not piles"),
            Ruleset::EndNim => {
                return no_sequence("its moves depend on the seat, so it has no Grundy values");
            }
        };
        numbers.check_unused_takes(ruleset)?;
        Ok(game)
    }

    /// Returns the ruleset.
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

    /// Returns the allowed takes; empty if the game has no set.
    pub fn allowed_takes(&self) -> &[u32] {
        match self {
            Self::Subtraction(game) => game.allowed_takes(),
            _ => &[],
        }
    }
}

impl fmt::Display for SequenceGame {
    /// Writes the game's name, followed by its set if it has one, as in `subtraction {1,3,4}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subtraction(game) => write!(f, "{} {game}", self.ruleset()),
            _ => self.ruleset().fmt(f),
        }
    }
}
