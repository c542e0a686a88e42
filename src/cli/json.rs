//! The JSON of games, solutions and audits, as the command line reads and prints it.

mod explanation;
mod keys;
mod matrix;
mod play_graph;

pub use explanation::{BestLineJson, ExplanationJson};
pub use keys::{Keyed, UnknownKey};
pub use matrix::MatrixJson;
pub use play_graph::{PlayGraphJson, PlayKind};

use crate::{
    game::{AllianceMatrix, BySeat, EndingError, Game, GameError, Row, Seat, SeatCountError},
    oracle::{Audit, Explanation, Mover, OptimalTakes, PlyAudit, SeatAudit, Solution},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::error::Category;
use thiserror::Error;

/// A game.
#[derive(Debug, Clone)]
pub struct GameJson {
    /// The counters of each pile; emptied piles stand as 0 at the end.
    pub piles: Vec<u64>,
    /// Everybody's preferences.
    pub alliance_matrix: MatrixJson,
    /// The number of seats, which the standard matrix needs.
    pub players: Option<usize>,
    /// The seat to move first.
    pub first: usize,
    /// The ending's name; `to_move_wins` unless given.
    pub ending: Option<String>,
}

/// A played game, as in
/// `{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"first":0,"ending":"to_move_wins","takes":[2,1,1,1]}`.
///
/// Other keys are refused.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedGameJson {
    /// The counters of each pile; emptied piles stand as 0 at the end.
    pub piles: Vec<u64>,
    /// Everybody's preferences.
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

impl Keyed for PlayedGameJson {
    const KEYS: &'static [&'static str] =
        &["piles", "alliance_matrix", "players", "first", "ending", "takes"];
}

impl PlayedGameJson {
    /// Accepts the game, and returns it with its takes.
    ///
    /// # Errors
    /// Names the first value that does not fit.
    pub fn played(self) -> Result<(Game, Vec<u64>), JsonError> {
        let Self { piles, alliance_matrix, players, first, ending, takes } = self;
        Ok((GameJson { piles, alliance_matrix, players, first, ending }.game()?, takes))
    }
}

/// JSON that is not what was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON, or of another shape.
    #[error("{0}")]
    Shape(String),
    /// It has a key that nobody reads.
    #[error(transparent)]
    UnknownKey(#[from] UnknownKey),
    /// There is neither a matrix nor a number of seats.
    #[error("alliance_matrix is missing: give every row, or \"players\" for the standard matrix")]
    NoMatrix,
    /// There cannot be so many seats.
    #[error("players: {0}")]
    Players(#[from] SeatCountError),
    /// The matrix is one for another number of seats.
    #[error("{players} players and a matrix of {rows} rows: it has one for each")]
    Rows {
        /// The seats.
        players: usize,
        /// The rows.
        rows: usize,
    },
    /// There is no such ending.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The numbers are no game.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Says what is wrong with a document, and where; if it has one line only, the column alone says that.
fn fault(error: &serde_json::Error, document: &str) -> String {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let place = if line <= 1 { format!("column {column}") } else { format!("line {line} column {column}") };
    match error.classify() {
        Category::Syntax => {
            let what = if what == "expected ident" { "expected a value" } else { what };
            format!("this is no JSON: {what} at {place}, found {:?}", word(document, line, column))
        }
        Category::Eof => {
            let what = what.replace("EOF while parsing", "the text ends within");
            format!("this is no JSON: {what} at {place}")
        }
        Category::Data | Category::Io => format!("{what} at {place}"),
    }
}

/// The most characters of a document that a refusal repeats.
const MAX_CHARACTERS: usize = 20;

/// Returns the word, or else the character, at a byte of a line, both counted from 1.
fn word(document: &str, line: usize, column: usize) -> String {
    let line = document.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let is_in_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut at = column.saturating_sub(1).min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    let before = line[..at].chars().rev().take(MAX_CHARACTERS).take_while(|&char| is_in_word(char));
    let start = at - before.map(char::len_utf8).sum::<usize>();
    let found = &line[if line[at..].starts_with(is_in_word) { start } else { at }..];
    let word: String = found.chars().take(MAX_CHARACTERS).take_while(|&char| is_in_word(char)).collect();
    if word.is_empty() { found.chars().take(1).collect() } else { word }
}

/// Reads a JSON document.
///
/// # Errors
/// Says what is missing or of another type.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::Shape(fault(&error, text)))
}

/// Reads a JSON document that has no other keys than are known.
///
/// # Errors
/// Names a key that is unknown, and says what is missing or of another type.
pub fn read_known<T: DeserializeOwned + Keyed>(text: &str) -> Result<T, JsonError> {
    read(text).map_err(|error| match UnknownKey::find(text, T::KEYS) {
        Some(unknown) => unknown.into(),
        None => error,
    })
}

impl GameJson {
    /// Accepts the game.
    ///
    /// # Errors
    /// Names the first value that does not fit.
    pub fn game(&self) -> Result<Game, JsonError> {
        let ending = self.ending.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        let rows = self.alliance_matrix.rows(self.players)?;
        Ok(Game::parse(&self.piles, &rows, self.first, ending)?)
    }
}

/// A line of a batch that was refused.
#[derive(Debug, Clone, Serialize)]
pub struct RefusedLineJson {
    /// The line's number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub error: String,
}

/// The solution of a game.
#[derive(Debug, Clone, Serialize)]
pub struct SolutionJson {
    winner: usize,
    value: usize,
    winner_by_first: Vec<usize>,
    optimal_takes: Vec<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationJson>,
}

impl SolutionJson {
    /// Solves a game.
    pub fn of(game: &Game) -> Self {
        let (solution, position) = (Solution::new(game), game.position());
        let winners = solution.winners(&position);
        let winner = winners[game.first()];
        Self {
            winner: winner.index(),
            value: game.matrix.seats().distance(game.first(), winner),
            winner_by_first: indices(&winners),
            optimal_takes: ranges(&solution.optimal_takes(&position)),
            explanation: None,
        }
    }

    /// Adds why the seat wins.
    #[must_use]
    pub fn explained(mut self, explanation: &Explanation) -> Self {
        self.explanation = Some(explanation.into());
        self
    }
}

/// The audit of a game.
#[derive(Debug, Clone, Serialize)]
pub struct AuditJson {
    winner: usize,
    predicted_winner: usize,
    plies: Vec<PlyAuditJson>,
    seats: Vec<SeatAuditJson>,
    ledger: Vec<Vec<i32>>,
    kingmaking_plies: Vec<u32>,
    first_error: Option<u32>,
}

#[derive(Debug, Clone, Serialize)]
struct PlyAuditJson {
    ply: u32,
    seat: usize,
    take: u64,
    predicted_before: usize,
    predicted_after: usize,
    regret: u32,
    optimal_takes: Vec<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steward: Option<bool>,
}

#[derive(Debug, Clone, Serialize)]
struct SeatAuditJson {
    seat: usize,
    rank_predicted: u32,
    rank_actual: u32,
    satisfaction: f64,
    regret: u32,
    luck: i32,
    accuracy: Option<f64>,
}

impl From<&Audit> for AuditJson {
    fn from(audit: &Audit) -> Self {
        Self {
            winner: audit.winner.index(),
            predicted_winner: audit.predicted_winner.index(),
            plies: audit.plies.iter().map(PlyAuditJson::from).collect(),
            seats: audit.seats.enumerate().map(SeatAuditJson::from).collect(),
            ledger: audit.ledger.iter().map(|costs| costs.as_slice().to_vec()).collect(),
            kingmaking_plies: audit.kingmaking_plies.clone(),
            first_error: audit.first_error,
        }
    }
}

impl From<&PlyAudit> for PlyAuditJson {
    fn from(ply: &PlyAudit) -> Self {
        Self {
            ply: ply.ply,
            seat: ply.seat.index(),
            take: ply.take,
            predicted_before: ply.predicted_before.index(),
            predicted_after: ply.predicted_after.index(),
            regret: ply.regret,
            optimal_takes: ranges(&ply.optimal_takes),
            steward: (ply.mover == Mover::Steward).then_some(true),
        }
    }
}

impl From<(Seat, &SeatAudit)> for SeatAuditJson {
    fn from((seat, audit): (Seat, &SeatAudit)) -> Self {
        Self {
            seat: seat.index(),
            rank_predicted: audit.rank_predicted,
            rank_actual: audit.rank_actual,
            satisfaction: audit.satisfaction,
            regret: audit.regret,
            luck: audit.luck,
            accuracy: audit.accuracy,
        }
    }
}

/// Writes a seat for each seat.
pub fn indices(seats: &BySeat<Seat>) -> Vec<usize> {
    seats.iter().map(|seat| seat.index()).collect()
}

/// Writes a matrix as an array of rows.
pub fn matrix(matrix: &AllianceMatrix) -> Vec<&[u8]> {
    matrix.rows().iter().map(Row::offsets).collect()
}

/// Writes optimal takes as inclusive ranges.
pub fn ranges(takes: &OptimalTakes) -> Vec<[u64; 2]> {
    takes.iter().map(|range| [range.lo, range.hi]).collect()
}
