//! The JSON of questions about a game of any rules, and of their answers.

use crate::{
    cli::{
        args::limits,
        json::{self, GameJson, JsonError, Keyed, MatrixJson},
    },
    game::{AllianceMatrix, AllianceMatrixError, Ending, Seat, SeatError},
    oracle::general::{
        Answer, AnsweredOption, GameNumbers, GameNumbersError, GeneralGame, Grundy, Ruleset, RulesetError,
    },
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A question about a game of any rules, as in
/// `{"game":"kayles","piles":[5],"alliance_matrix":[[0,1],[0,1]],"ending":"last_mover_wins"}`.
///
/// Other keys are refused.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionJson {
    /// The game's name; unless given it is Last Nim, with the short answer about it.
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    piles: Vec<u64>,
    #[serde(default)]
    alliance_matrix: MatrixJson,
    #[serde(default)]
    players: Option<usize>,
    #[serde(default)]
    first: usize,
    #[serde(default)]
    ending: Option<String>,
    #[serde(default)]
    set: Vec<u64>,
    #[serde(default)]
    window: Option<u64>,
    #[serde(default)]
    most: Option<u64>,
    #[serde(default)]
    edges: Vec<[u64; 3]>,
    #[serde(default)]
    vertex: Option<u64>,
}

impl Keyed for QuestionJson {
    const KEYS: &'static [&'static str] = &[
        "game",
        "piles",
        "alliance_matrix",
        "players",
        "first",
        "ending",
        "set",
        "window",
        "most",
        "edges",
        "vertex",
    ];
}

/// A question that was read.
#[derive(Debug)]
pub enum Question {
    /// About Last Nim, without its name.
    LastNim(GameJson),
    /// About a game by its name.
    General { game: GeneralGame, matrix: AllianceMatrix, first: Seat, ending: Ending },
}

/// A question that cannot be answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// It is no question, or one about Last Nim that does not fit.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// There is no such game.
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    /// The numbers are none of that game.
    #[error("{}", limits::numbers(.0, |name| format!("{name:?}")))]
    Numbers(#[from] GameNumbersError),
    /// The matrix does not fit.
    #[error(transparent)]
    Matrix(#[from] AllianceMatrixError),
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(#[from] SeatError),
    /// It takes more than it may.
    #[error("{0}")]
    Unsolved(String),
}

impl QuestionJson {
    /// Accepts the question.
    ///
    /// # Errors
    /// Names the first value that does not fit.
    pub fn question(self) -> Result<Question, QuestionError> {
        let ruleset: Ruleset = self.game.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let Self { piles, alliance_matrix, players, first, ending, set, window, most, edges, vertex, .. } =
            self;
        let numbers = GameNumbers { piles, set, window, most, edges, vertex };
        let game = GeneralGame::parse(ruleset, &numbers)?;
        if self.game.is_none() {
            let piles = numbers.piles;
            return Ok(Question::LastNim(GameJson { piles, alliance_matrix, players, first, ending }));
        }
        let ending = ending.as_deref().map(str::parse).transpose().map_err(JsonError::Ending)?;
        let matrix = AllianceMatrix::parse(&alliance_matrix.rows(players)?)?;
        let first = matrix.seats().seat(first)?;
        Ok(Question::General { game, matrix, first, ending: ending.unwrap_or(ruleset.default_ending()) })
    }
}

/// The solution of a game of any rules.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerJson {
    game: &'static str,
    winner: usize,
    value: usize,
    winner_by_first: Vec<usize>,
    options: Vec<OptionJson>,
    method: &'static str,
    states: u64,
    #[serde(flatten)]
    two_players: Option<TwoPlayersJson>,
}

#[derive(Debug, Clone, Serialize)]
struct OptionJson {
    play: String,
    position: String,
    winner: usize,
    optimal: bool,
    /// In ranks of the mover's row.
    regret: u32,
}

#[derive(Debug, Clone, Serialize)]
struct TwoPlayersJson {
    outcome: String,
    grundy: Option<GrundyJson>,
}

/// A Grundy value, and the ending that it is about, which need not be the question's.
#[derive(Debug, Clone, Serialize)]
struct GrundyJson {
    value: u64,
    ending: &'static str,
}

impl AnswerJson {
    /// Writes the answer to a question about a game.
    pub fn of(game: &GeneralGame, answer: Answer) -> Self {
        let option = |option: AnsweredOption| OptionJson {
            winner: option.winner.index(),
            optimal: option.is_optimal(),
            regret: option.regret,
            play: option.play,
            position: option.position,
        };
        Self {
            game: game.ruleset().name(),
            winner: answer.winner.index(),
            value: answer.value,
            winner_by_first: json::indices(&answer.winner_by_first),
            options: answer.options.into_iter().map(option).collect(),
            method: answer.method.name(),
            states: answer.states,
            two_players: answer.two_players.map(|two| TwoPlayersJson {
                outcome: two.outcome.to_string(),
                grundy: two
                    .grundy
                    .ok()
                    .map(|grundy| GrundyJson { value: grundy.value, ending: Grundy::ENDING.name() }),
            }),
        }
    }
}
