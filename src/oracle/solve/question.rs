//! Reads questions about games with arbitrary rulesets from JSON.

use crate::{
    args::limits,
    game_json::{JsonError, KnownKeys, MatrixJson, ValueShape, parse_game},
};
use lastnim_analysis::general::{GameNumbers, GameNumbersError, GeneralGame, Ruleset, RulesetError};
use lastnim_core::game::{AllianceMatrix, AllianceMatrixError, Ending, Game, Seat, SeatError};
use serde::Deserialize;
use thiserror::Error;

/// A question about a game with an arbitrary ruleset, as in
/// `{"game":"kayles","piles":[5],"alliance_matrix":[[0,1],[0,1]],"ending":"last_mover_wins"}`.
///
/// Other keys are refused.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameQuestionJson {
    /// The game's name. Without a name, the game is Last Nim, and the answer is shorter.
    game: Option<String>,
    piles: Vec<u64>,
    alliance_matrix: MatrixJson,
    players: Option<usize>,
    first: usize,
    ending: Option<String>,
    set: Vec<u64>,
    max: Option<u64>,
    window: Option<u64>,
    most: Option<u64>,
    edges: Vec<[u64; 3]>,
    vertex: Option<u64>,
}

impl KnownKeys for GameQuestionJson {
    const KEYS: &'static [(&'static str, ValueShape)] = &[
        ("game", ValueShape::Word),
        ("piles", ValueShape::Numbers),
        ("alliance_matrix", ValueShape::Matrix),
        ("players", ValueShape::Number),
        ("first", ValueShape::Number),
        ("ending", ValueShape::Word),
        ("set", ValueShape::Numbers),
        ("max", ValueShape::Number),
        ("window", ValueShape::Number),
        ("most", ValueShape::Number),
        ("edges", ValueShape::ListsOf(3)),
        ("vertex", ValueShape::Number),
    ];
    const EXAMPLE: &'static str = r#"{"piles":[1,2,2],"players":3}"#;
}

/// A parsed question.
#[derive(Debug)]
pub enum GameQuestion {
    /// A question about Last Nim that does not name the game.
    LastNim(Game),
    /// A question that names its game.
    General { game: GeneralGame, matrix: AllianceMatrix, first: Seat, ending: Ending },
}

/// A question that cannot be answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameQuestionError {
    /// The question is not valid JSON, or its ending or its game of Last Nim is invalid.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The game is unknown.
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    /// The numbers do not fit the game.
    #[error("{}", limits::describe_number_error(.0, |name| format!("{name:?}")))]
    Numbers(#[from] GameNumbersError),
    /// The matrix is invalid.
    #[error(transparent)]
    Matrix(#[from] AllianceMatrixError),
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(#[from] SeatError),
    /// The search reached a limit.
    #[error("{0}")]
    Unsolved(String),
}

impl GameQuestionJson {
    /// Parses the question.
    ///
    /// # Errors
    /// The error names the first value that does not fit.
    pub fn parse_question(self) -> Result<GameQuestion, GameQuestionError> {
        let ruleset: Ruleset = self.game.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let Self {
            piles,
            alliance_matrix,
            players,
            first,
            ending,
            set,
            max,
            window,
            most,
            edges,
            vertex,
            ..
        } = self;
        let numbers = GameNumbers { piles, set, max, window, most, edges, vertex };
        let game = GeneralGame::parse(ruleset, &numbers)?;
        if self.game.is_none() {
            let game = parse_game(&numbers.piles, &alliance_matrix, players, first, ending.as_deref())?;
            return Ok(GameQuestion::LastNim(game));
        }
        let ending = ending.as_deref().map(str::parse).transpose().map_err(JsonError::Ending)?;
        let matrix = AllianceMatrix::parse(&alliance_matrix.rows(players)?)?;
        let first = matrix.seats().seat(first)?;
        Ok(GameQuestion::General { game, matrix, first, ending: ending.unwrap_or(ruleset.default_ending()) })
    }
}
