//! A game of any rules, ready to be solved.

use super::{
    Answer, Bounds, GameNumbers, GameNumbersError, PileSizes, Ruleset, Stopped,
    answering::{Question, answer_impartial, answer_partizan},
    last_nim_answer::answer_last_nim,
    rulesets::{
        CircularNim, Digits, EndNim, FibonacciNim, FibonacciPosition, GraphNim, GraphPosition, Kayles, Nim,
        SmallNim, StonePiles, Subtraction,
    },
};
use crate::{
    game::{AllianceMatrix, Ending, Piles, Seat},
    oracle::Budget,
};
use std::fmt;
use thiserror::Error;

/// A position of a game that is known by name, checked and ready to be solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralGame {
    ruleset: Ruleset,
    start: Start,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    LastNim(Piles),
    Nim(PileSizes),
    SmallNim(PileSizes),
    CircularNim(CircularNim, PileSizes),
    FibonacciNim(FibonacciPosition),
    GraphNim(GraphPosition),
    Kayles(PileSizes),
    Subtraction(Subtraction, PileSizes),
    Digits(PileSizes),
    StonePiles(PileSizes),
    EndNim(PileSizes),
}

/// A game that was not solved, as it takes more than it may.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{game} with {seats} seats: {stopped}")]
pub struct Unsolved {
    /// The game and the position that were asked for.
    pub game: String,
    /// How many seats it was to have.
    pub seats: usize,
    /// The bound that was met, and how far the search had come.
    pub stopped: Stopped,
}

impl GeneralGame {
    /// Accepts the numbers of a game.
    ///
    /// # Errors
    /// Names the first number that does not fit, or that is missing, or that the game has no use for.
    pub fn parse(ruleset: Ruleset, numbers: &GameNumbers) -> Result<Self, GameNumbersError> {
        numbers.check_uses(ruleset)?;
        let piles = || numbers.searched_piles();
        let start = match ruleset {
            Ruleset::LastNim => Start::LastNim(Piles::parse_partly_emptied(&numbers.piles)?),
            Ruleset::Nim => Start::Nim(piles()?),
            Ruleset::SmallNim => Start::SmallNim(piles()?),
            Ruleset::CircularNim => {
                let piles = piles()?;
                Start::CircularNim(CircularNim::parse(numbers.window.unwrap_or_default(), &piles)?, piles)
            }
            Ruleset::FibonacciNim => Start::FibonacciNim(FibonacciPosition::parse(&piles()?, numbers.most)?),
            Ruleset::GraphNim => {
                let position = GraphPosition::parse(&numbers.edges, numbers.vertex.unwrap_or_default())?;
                numbers.check_vertex()?;
                Start::GraphNim(position)
            }
            Ruleset::Kayles => Start::Kayles(piles()?),
            Ruleset::Subtraction => Start::Subtraction(Subtraction::parse(&numbers.set)?, piles()?),
            Ruleset::Digits => Start::Digits(piles()?),
            Ruleset::StonePiles => Start::StonePiles(piles()?),
            Ruleset::EndNim => Start::EndNim(piles()?),
        };
        Ok(Self { ruleset, start })
    }

    /// Returns which game it is.
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Solves it for seats with these preferences, of which `first` is to move.
    ///
    /// The ending says who wins when the seat to move has no move. A step of the budget is one move looked at.
    ///
    /// # Errors
    /// If it takes more states, memory, steps or time than it may: which of them, and how far the search had come.
    ///
    /// # Panics
    /// If `first` is no seat of the matrix.
    pub fn solve(
        &self,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
        bounds: Bounds,
        budget: &mut Budget<'_>,
    ) -> Result<Answer, Unsolved> {
        let question = Question { matrix, first, ending, bounds };
        let answer = match &self.start {
            Start::LastNim(piles) => answer_last_nim(piles, &question, budget),
            Start::Nim(piles) => answer_impartial(&Nim, piles, &question, budget),
            Start::SmallNim(piles) => answer_impartial(&SmallNim, piles, &question, budget),
            Start::CircularNim(rules, piles) => answer_impartial(rules, piles, &question, budget),
            Start::FibonacciNim(position) => answer_impartial(&FibonacciNim, position, &question, budget),
            Start::GraphNim(position) => answer_impartial(&GraphNim, position, &question, budget),
            Start::Kayles(rows) => answer_impartial(&Kayles, rows, &question, budget),
            Start::Subtraction(rules, piles) => answer_impartial(rules, piles, &question, budget),
            Start::Digits(numbers) => answer_impartial(&Digits, numbers, &question, budget),
            Start::StonePiles(piles) => answer_impartial(&StonePiles, piles, &question, budget),
            Start::EndNim(piles) => answer_partizan(&EndNim, piles, &question, budget),
        };
        answer.map_err(|stopped| Unsolved { game: self.to_string(), seats: matrix.seats().get(), stopped })
    }
}

impl fmt::Display for GeneralGame {
    /// Writes the game's name, its numbers if it has any, and the position: `subtraction {1,3,4} 21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.ruleset)?;
        match &self.start {
            Start::LastNim(piles) if piles.is_empty() => f.write_str("0"),
            Start::LastNim(piles) => piles.fmt(f),
            Start::Nim(piles)
            | Start::SmallNim(piles)
            | Start::Kayles(piles)
            | Start::Digits(piles)
            | Start::StonePiles(piles)
            | Start::EndNim(piles) => piles.fmt(f),
            Start::CircularNim(rules, piles) => write!(f, "{rules} {piles}"),
            Start::FibonacciNim(position) => position.fmt(f),
            Start::GraphNim(position) => position.fmt(f),
            Start::Subtraction(rules, piles) => write!(f, "{rules} {piles}"),
        }
    }
}
