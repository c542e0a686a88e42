//! The named games.

use lastnim_core::game::{Ending, find_closest_word};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A named game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ruleset {
    /// Take from the last nonempty pile.
    #[default]
    LastNim,
    /// Take from any pile.
    Nim,
    /// Take from a smallest nonempty pile.
    SmallNim,
    /// Take from any piles within a window of adjacent piles in a circle.
    CircularNim,
    /// Take at most twice the previous take.
    FibonacciNim,
    /// Lower the weight of an edge and move along it.
    GraphNim,
    /// Remove one stone or two adjacent stones from a row.
    Kayles,
    /// Take a number of counters that is in a given set.
    Subtraction,
    /// Subtract one of a number's digits.
    Digits,
    /// Split a pile into piles of different sizes.
    StonePiles,
    /// Take from the leftmost pile or from the rightmost one, depending on the seat.
    EndNim,
}

/// The error returned for a name that no game has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown game {given:?}: {}expected one of {}", suggestion_text(*nearest), all_names())]
pub struct RulesetError {
    /// The name given.
    pub given: String,
    /// The game with the most similar name, if any.
    pub nearest: Option<Ruleset>,
}

impl Ruleset {
    /// All games.
    pub const ALL: [Self; 11] = [
        Self::LastNim,
        Self::Nim,
        Self::SmallNim,
        Self::CircularNim,
        Self::FibonacciNim,
        Self::GraphNim,
        Self::Kayles,
        Self::Subtraction,
        Self::Digits,
        Self::StonePiles,
        Self::EndNim,
    ];

    /// Returns the name used in files, in messages and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::LastNim => "last-nim",
            Self::Nim => "nim",
            Self::SmallNim => "small-nim",
            Self::CircularNim => "circular-nim",
            Self::FibonacciNim => "fibonacci-nim",
            Self::GraphNim => "graph-nim",
            Self::Kayles => "kayles",
            Self::Subtraction => "subtraction",
            Self::Digits => "digits",
            Self::StonePiles => "stone-piles",
            Self::EndNim => "end-nim",
        }
    }

    /// Returns alternative names of the game; answers use its main name.
    pub fn other_names(self) -> &'static [&'static str] {
        match self {
            Self::Kayles => &["advanced-nim"],
            Self::Subtraction => &["take-away", "bounded-nim"],
            _ => &[],
        }
    }

    fn is_called(self, name: &str) -> bool {
        self.name() == name || self.other_names().contains(&name)
    }

    /// Returns the default ending: for Last Nim the ending used in the paper, and for all other games that of normal
    /// play.
    pub fn default_ending(self) -> Ending {
        match self {
            Self::LastNim => Ending::ToMoveWins,
            _ => Ending::LastMoverWins,
        }
    }

    /// Returns a short description of a move.
    pub fn move_rule(self) -> &'static str {
        match self {
            Self::LastNim => "take any number from the last nonempty pile",
            Self::Nim => "take any number from one pile",
            Self::SmallNim => "take any number from a smallest nonempty pile",
            Self::CircularNim => {
                "the piles form a circle: take any numbers from piles within a window of adjacent piles"
            }
            Self::FibonacciNim => {
                "one pile: take at most twice the previous take; the first take must leave something"
            }
            Self::GraphNim => {
                "reduce the weight of an edge at the token's vertex, and move the token along this edge"
            }
            Self::Kayles => "remove one stone or two adjacent stones from a row; this can split the row",
            Self::Subtraction => "take from one pile; the number taken must be in the set",
            Self::Digits => "choose a number, and subtract one of its nonzero decimal digits from it",
            Self::StonePiles => "split one pile into two or more piles of pairwise different sizes",
            Self::EndNim => {
                "even seats take from the leftmost nonempty pile, odd seats from the rightmost one"
            }
        }
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Ruleset {
    type Err = RulesetError;

    /// Parses the main name or an alternative name of a game, in any case, with hyphens or underscores.
    fn from_str(word: &str) -> Result<Self, RulesetError> {
        let name: String = word.chars().take(MAX_NAME_CHARS).map(normalise_letter).collect();
        let ruleset_called = |name: &str| Self::ALL.into_iter().find(|ruleset| ruleset.is_called(name));
        if let Some(ruleset) = ruleset_called(&name) {
            return Ok(ruleset);
        }
        let names =
            Self::ALL.into_iter().flat_map(|ruleset| [&[ruleset.name()], ruleset.other_names()].concat());
        let nearest = find_closest_word(&name, names).and_then(ruleset_called);
        Err(RulesetError { given: word.chars().take(MAX_NAME_CHARS).collect(), nearest })
    }
}

/// The maximum number of characters that are read from a name; every valid name is much shorter.
const MAX_NAME_CHARS: usize = 40;

/// Returns a character of a name in lower case; underscores become hyphens.
fn normalise_letter(letter: char) -> char {
    if letter == '_' { '-' } else { letter.to_ascii_lowercase() }
}

fn suggestion_text(nearest: Option<Ruleset>) -> String {
    nearest.map(|nearest| format!("did you mean {nearest}? ")).unwrap_or_default()
}

fn all_names() -> String {
    Ruleset::ALL.map(Ruleset::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_found_by_its_name() {
        for ruleset in Ruleset::ALL {
            assert_eq!(ruleset.name().parse(), Ok(ruleset));
            assert_eq!(ruleset.name().replace('-', "_").to_uppercase().parse(), Ok(ruleset));
        }
    }

    #[test]
    fn a_game_is_found_by_alternative_names() {
        for (name, ruleset) in [
            ("advanced-nim", Ruleset::Kayles),
            ("Advanced_Nim", Ruleset::Kayles),
            ("take-away", Ruleset::Subtraction),
            ("bounded-nim", Ruleset::Subtraction),
        ] {
            assert_eq!(name.parse(), Ok(ruleset));
        }
        assert_eq!("takeaway".parse::<Ruleset>().unwrap_err().nearest, Some(Ruleset::Subtraction));
    }

    #[test]
    fn an_unknown_game_suggests_a_similar_name() {
        let nearest = |word: &str| word.parse::<Ruleset>().unwrap_err().nearest;
        assert_eq!(nearest("kayle"), Some(Ruleset::Kayles));
        assert_eq!(nearest("fibonaci"), Some(Ruleset::FibonacciNim));
        assert_eq!(nearest("substraction"), Some(Ruleset::Subtraction));
        let error = "endnim".parse::<Ruleset>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown game \"endnim\": did you mean end-nim? expected one of last-nim, nim, small-nim, circular-nim, \
             fibonacci-nim, graph-nim, kayles, subtraction, digits, stone-piles, end-nim"
        );
        for far in ["foo", "chess", "", &"x".repeat(1 << 20)] {
            assert_eq!(nearest(far), None, "{far:.9}");
        }
    }
}
