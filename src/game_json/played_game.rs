//! A game, and a game with its takes.

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
    /// The counters of each pile; empty piles are 0 at the end.
    pub piles: Vec<u64>,
    /// The preferences of all seats.
    #[serde(default)]
    pub alliance_matrix: MatrixJson,
    /// The number of seats, which the standard matrix needs.
    #[serde(default)]
    pub players: Option<usize>,
    /// The seat to move first; 0 unless given.
    #[serde(default)]
    pub first: usize,
    /// The ending's name; `to_move_wins` unless given.
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
    const NEEDED: &'static [&'static str] = &["piles", "takes"];
    const EXAMPLE: &'static str = r#"{"piles":[3],"players":2,"takes":[1,2]}"#;
}

impl PlayedGameJson {
    /// Parses the game, and returns it with its takes.
    ///
    /// # Errors
    /// Names the first value that does not fit.
    pub fn parse_played(self) -> Result<(Game, Vec<u64>), JsonError> {
        let Self { piles, alliance_matrix, players, first, ending, takes } = self;
        Ok((parse_game(&piles, &alliance_matrix, players, first, ending.as_deref())?, takes))
    }
}

/// Parses a game of Last Nim; its ending is `to_move_wins` unless given.
///
/// # Errors
/// Names the first value that does not fit.
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
