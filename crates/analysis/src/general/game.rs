//! A game of any rules, ready to be solved.

use super::{
    GameNumbers, GameNumbersError, GeneralAnswer, MemoryBounds, PileSizes, Ruleset, SearchStopped,
    answering::{PositionQuestion, answer_impartial, answer_partizan, explain_grundy},
    last_nim_answer::answer_last_nim,
    rulesets::{
        CircularNim, EndNim, FibonacciNim, FibonacciPosition, GraphNim, GraphPosition, Kayles, Nim, SmallNim,
        StonePiles, SubtractDigit, SubtractionGame,
    },
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Piles, Seat},
    oracle::Budget,
};
use std::fmt;
use thiserror::Error;

/// A validated position of a named game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralGame {
    ruleset: Ruleset,
    start: StartPosition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum StartPosition {
    LastNim(Piles),
    Nim(PileSizes),
    SmallNim(PileSizes),
    CircularNim(CircularNim, PileSizes),
    FibonacciNim(FibonacciPosition),
    GraphNim(GraphPosition),
    Kayles(PileSizes),
    Subtraction(SubtractionGame, PileSizes),
    Digits(PileSizes),
    StonePiles(PileSizes),
    EndNim(PileSizes),
}

/// A game that was not solved because of a limit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{game} with {seats} seats: {stopped}")]
pub struct SolveStopped {
    /// The game and the position.
    pub game: String,
    /// The number of seats.
    pub seats: usize,
    /// The limit, and how far the search got.
    pub stopped: SearchStopped,
}

impl GeneralGame {
    /// Parses a game from its numbers.
    ///
    /// # Errors
    /// Names the first number that is invalid, missing, or not used by the game.
    pub fn parse(ruleset: Ruleset, numbers: &GameNumbers) -> Result<Self, GameNumbersError> {
        numbers.check_fields_used(ruleset)?;
        let piles = || numbers.piles_for_search();
        let start = match ruleset {
            Ruleset::LastNim => StartPosition::LastNim(Piles::parse_partly_emptied(&numbers.piles)?),
            Ruleset::Nim => StartPosition::Nim(piles()?),
            Ruleset::SmallNim => StartPosition::SmallNim(piles()?),
            Ruleset::CircularNim => {
                let piles = piles()?;
                StartPosition::CircularNim(
                    CircularNim::parse(numbers.window.unwrap_or_default(), &piles)?,
                    piles,
                )
            }
            Ruleset::FibonacciNim => {
                StartPosition::FibonacciNim(FibonacciPosition::parse(&piles()?, numbers.most)?)
            }
            Ruleset::GraphNim => {
                let position = GraphPosition::parse(&numbers.edges, numbers.vertex.unwrap_or_default())?;
                numbers.check_vertex()?;
                StartPosition::GraphNim(position)
            }
            Ruleset::Kayles => StartPosition::Kayles(piles()?),
            Ruleset::Subtraction => {
                StartPosition::Subtraction(SubtractionGame::of_numbers(numbers)?, piles()?)
            }
            Ruleset::Digits => StartPosition::Digits(piles()?),
            Ruleset::StonePiles => StartPosition::StonePiles(piles()?),
            Ruleset::EndNim => StartPosition::EndNim(piles()?),
        };
        Ok(Self { ruleset, start })
    }

    /// Returns the ruleset.
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Solves the game for seats with these preferences; `first` is to move.
    ///
    /// The ending determines the winner when the seat to move has no move. A step of the budget is one move examined.
    ///
    /// # Errors
    /// If it exceeds the limits on states, memory, steps or time: names the limit and how far the search got.
    ///
    /// # Panics
    /// If the matrix has no seat `first`.
    pub fn solve(
        &self,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<GeneralAnswer, SolveStopped> {
        let question = PositionQuestion { matrix, first, ending, bounds };
        let answer = match &self.start {
            StartPosition::LastNim(piles) => answer_last_nim(piles, &question, budget),
            StartPosition::Nim(piles) => answer_impartial(&Nim, piles, &question, budget),
            StartPosition::SmallNim(piles) => answer_impartial(&SmallNim, piles, &question, budget),
            StartPosition::CircularNim(rules, piles) => answer_impartial(rules, piles, &question, budget),
            StartPosition::FibonacciNim(position) => {
                answer_impartial(&FibonacciNim, position, &question, budget)
            }
            StartPosition::GraphNim(position) => answer_impartial(&GraphNim, position, &question, budget),
            StartPosition::Kayles(rows) => answer_impartial(&Kayles, rows, &question, budget),
            StartPosition::Subtraction(rules, piles) => answer_impartial(rules, piles, &question, budget),
            StartPosition::Digits(numbers) => answer_impartial(&SubtractDigit, numbers, &question, budget),
            StartPosition::StonePiles(piles) => answer_impartial(&StonePiles, piles, &question, budget),
            StartPosition::EndNim(piles) => answer_partizan(&EndNim, piles, &question, budget),
        };
        answer.map_err(|stopped| SolveStopped {
            game: self.to_string(),
            seats: matrix.seats().get(),
            stopped,
        })
    }

    /// Adds an explanation of the Grundy values to an answer: for each part, an option for each smaller value.
    ///
    /// Does nothing if there are no Grundy values, or for Last Nim, whose values follow from a formula.
    ///
    /// # Errors
    /// If it exceeds the limits on states, memory, steps or time.
    pub fn explain_grundy(
        &self,
        answer: &mut GeneralAnswer,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<(), SolveStopped> {
        let Some(Ok(grundy)) = answer.two_players.as_mut().map(|two| two.grundy.as_mut()) else {
            return Ok(());
        };
        let explained = match &self.start {
            StartPosition::LastNim(_) | StartPosition::EndNim(_) => return Ok(()),
            StartPosition::Nim(piles) => explain_grundy(&Nim, piles, bounds, budget),
            StartPosition::SmallNim(piles) => explain_grundy(&SmallNim, piles, bounds, budget),
            StartPosition::CircularNim(rules, piles) => explain_grundy(rules, piles, bounds, budget),
            StartPosition::FibonacciNim(position) => explain_grundy(&FibonacciNim, position, bounds, budget),
            StartPosition::GraphNim(position) => explain_grundy(&GraphNim, position, bounds, budget),
            StartPosition::Kayles(rows) => explain_grundy(&Kayles, rows, bounds, budget),
            StartPosition::Subtraction(rules, piles) => explain_grundy(rules, piles, bounds, budget),
            StartPosition::Digits(numbers) => explain_grundy(&SubtractDigit, numbers, bounds, budget),
            StartPosition::StonePiles(piles) => explain_grundy(&StonePiles, piles, bounds, budget),
        };
        *grundy = explained.map_err(|stopped| SolveStopped { game: self.to_string(), seats: 2, stopped })?;
        Ok(())
    }
}

impl fmt::Display for GeneralGame {
    /// Writes the game's name, its numbers if any, and the position: `subtraction {1,3,4} 21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.ruleset)?;
        match &self.start {
            StartPosition::LastNim(piles) if piles.is_empty() => f.write_str("0"),
            StartPosition::LastNim(piles) => piles.fmt(f),
            StartPosition::Nim(piles)
            | StartPosition::SmallNim(piles)
            | StartPosition::Kayles(piles)
            | StartPosition::Digits(piles)
            | StartPosition::StonePiles(piles)
            | StartPosition::EndNim(piles) => piles.fmt(f),
            StartPosition::CircularNim(rules, piles) => write!(f, "{rules} {piles}"),
            StartPosition::FibonacciNim(position) => position.fmt(f),
            StartPosition::GraphNim(position) => position.fmt(f),
            StartPosition::Subtraction(rules, piles) => write!(f, "{rules} {piles}"),
        }
    }
}
