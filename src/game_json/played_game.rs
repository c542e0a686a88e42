//! Reads games from JSON, with or without their takes.

use super::{JsonError, KnownKeys, MatrixJson, ValueShape};
use lastnim_core::game::Game;
use serde::Deserialize;

/// A played game, as in
/// `{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"first":0,"ending":"to_move_wins","takes":[2,1,1,1]}`.
///
/// Other keys are refused.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedGameJson {
    /// The number of counters in each pile. Only the last piles may be empty.
    pub piles: Vec<u64>,
    /// The preferences of all seats.
    #[serde(default)]
    pub alliance_matrix: MatrixJson,
    /// The number of seats. It is required if the matrix is missing or `"standard"`.
    #[serde(default)]
    pub players: Option<usize>,
    /// The seat that moves first; the default is 0.
    #[serde(default)]
    pub first: usize,
    /// The ending's name; the default is `to_move_wins`.
    #[serde(default)]
    pub ending: Option<String>,
    /// The takes, in order of play.
    pub takes: Vec<u64>,
}

impl KnownKeys for PlayedGameJson {
    const KEYS: &'static [(&'static str, ValueShape)] = &[
        ("piles", ValueShape::Numbers),
        ("alliance_matrix", ValueShape::Matrix),
        ("players", ValueShape::Number),
        ("first", ValueShape::Number),
        ("ending", ValueShape::Word),
        ("takes", ValueShape::Numbers),
    ];
    const REQUIRED_KEYS: &'static [&'static str] = &["piles", "takes"];
    const EXAMPLE: &'static str = r#"{"piles":[3],"players":2,"takes":[1,2]}"#;
}

impl PlayedGameJson {
    /// Parses the game, and returns it with its takes.
    ///
    /// # Errors
    /// The error names the first value that does not fit.
    pub fn parse_played(self) -> Result<(Game, Vec<u64>), JsonError> {
        let Self { piles, alliance_matrix, players, first, ending, takes } = self;
        Ok((parse_game(&piles, &alliance_matrix, players, first, ending.as_deref())?, takes))
    }
}

/// Parses a game of Last Nim; its ending is `to_move_wins` unless another is given.
///
/// # Errors
/// The error names the first value that does not fit.
pub fn parse_game(
    piles: &[u64],
    matrix: &MatrixJson,
    players: Option<usize>,
    first: usize,
    ending: Option<&str>,
) -> Result<Game, JsonError> {
    let ending = ending.map(str::parse).transpose()?.unwrap_or_default();
    Ok(Game::parse(piles, &matrix.rows(players)?, first, ending)?)
}
