//! A position of one of the named games, ready to be solved.

use super::{
    GameNumbers, GameNumbersError, GeneralAnswer, GeneralRobustness, MemoryBounds, PileSizes, Ruleset,
    SearchStopped,
    answering::{PositionQuestion, answer_impartial, answer_partizan, explain_grundy},
    last_nim_answer::{answer_last_nim, assess_last_nim},
    robustness::assess_robustness,
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

/// Evaluates an expression with the rules and the position of an impartial game. A start position that matches one of
/// the listed patterns uses the expression of that pattern instead; Last Nim and partizan games must be listed.
macro_rules! with_rules {
    ($start:expr, ($rules:ident, $position:ident) => $impartial:expr, $($special:pat => $answer:expr),+ $(,)?) => {
        match $start {
            $($special => $answer,)+
            StartPosition::Nim($position) => {
                let $rules = &Nim;
                $impartial
            }
            StartPosition::SmallNim($position) => {
                let $rules = &SmallNim;
                $impartial
            }
            StartPosition::FibonacciNim($position) => {
                let $rules = &FibonacciNim;
                $impartial
            }
            StartPosition::GraphNim($position) => {
                let $rules = &GraphNim;
                $impartial
            }
            StartPosition::Kayles($position) => {
                let $rules = &Kayles;
                $impartial
            }
            StartPosition::Digits($position) => {
                let $rules = &SubtractDigit;
                $impartial
            }
            StartPosition::StonePiles($position) => {
                let $rules = &StonePiles;
                $impartial
            }
            StartPosition::CircularNim($rules, $position) => $impartial,
            StartPosition::Subtraction($rules, $position) => $impartial,
        }
    };
}

/// The error returned when a game is not solved because the search reached a limit.
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

    /// Solves the game for seats whose preferences are in `matrix`, with seat `first` to move.
    ///
    /// `ending` determines who wins when the seat to move has no move. Each move that is examined costs one step of the
    /// budget.
    ///
    /// # Errors
    /// If the search exceeds the limits on states, memory, steps or time. The error names the limit and says how far
    /// the search got.
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
        let answer = with_rules!(
            &self.start,
            (rules, position) => answer_impartial(rules, position, &question, budget),
            StartPosition::LastNim(piles) => answer_last_nim(piles, &question, budget),
            StartPosition::EndNim(piles) => answer_partizan(&EndNim, piles, &question, budget),
        );
        answer.map_err(|stopped| self.solve_stopped(matrix, stopped))
    }

    /// Solves the game and assesses how robust its winner is, searching for coalitions of up to `max_coalition` seats
    /// that turn against another seat.
    ///
    /// If the budget runs out during the search for coalitions, the answer says so.
    ///
    /// # Errors
    /// If any other part of the calculation exceeds the limits on states, memory, steps or time.
    ///
    /// # Panics
    /// If the matrix has no seat `first`.
    pub fn solve_and_assess(
        &self,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
        max_coalition: usize,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<(GeneralAnswer, GeneralRobustness), SolveStopped> {
        let mut answer = self.solve(matrix, first, ending, bounds, budget)?;
        let question = PositionQuestion { matrix, first, ending, bounds };
        let assessed = with_rules!(
            &self.start,
            (rules, position) => {
                assess_robustness(rules, position, &question, &answer, max_coalition, budget)
            },
            StartPosition::LastNim(piles) => {
                Ok(assess_last_nim(piles, &question, &mut answer, max_coalition, budget))
            },
            StartPosition::EndNim(piles) => {
                assess_robustness(&EndNim, piles, &question, &answer, max_coalition, budget)
            },
        );
        let assessed = assessed.map_err(|stopped| self.solve_stopped(matrix, stopped))?;
        Ok((answer, assessed))
    }

    fn solve_stopped(&self, matrix: &AllianceMatrix, stopped: SearchStopped) -> SolveStopped {
        SolveStopped { game: self.to_string(), seats: matrix.seats().get(), stopped }
    }

    /// Adds an explanation of the Grundy values to an answer: for each part, it lists one option for each value that is
    /// smaller than the value of the part.
    ///
    /// Does nothing if there are no Grundy values, or for Last Nim, whose values follow from a formula.
    ///
    /// # Errors
    /// If the search exceeds the limits on states, memory, steps or time.
    pub fn explain_grundy(
        &self,
        answer: &mut GeneralAnswer,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<(), SolveStopped> {
        let Some(Ok(grundy)) = answer.two_players.as_mut().map(|two| two.grundy.as_mut()) else {
            return Ok(());
        };
        let explained = with_rules!(
            &self.start,
            (rules, position) => explain_grundy(rules, position, bounds, budget),
            StartPosition::LastNim(_) | StartPosition::EndNim(_) => return Ok(()),
        );
        *grundy = explained.map_err(|stopped| SolveStopped { game: self.to_string(), seats: 2, stopped })?;
        Ok(())
    }
}

impl fmt::Display for GeneralGame {
    /// Writes the game's name, the numbers of its rules, if any, and its position, as in `subtraction {1,3,4} 21`.
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
