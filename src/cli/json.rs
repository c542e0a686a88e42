//! The JSON of games, solutions and audits, as the command line reads and prints it.

mod explanation;
mod play_graph;

pub use explanation::ExplanationJson;
pub use play_graph::PlayGraphJson;

use crate::{
    game::{AllianceMatrix, BySeat, EndingError, Game, GameError, Row, Seat},
    oracle::{Audit, Explanation, Mover, OptimalTakes, PlyAudit, SeatAudit, Solution},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::error::Category;
use thiserror::Error;

/// A game, as in
/// `{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"first":0,"ending":"to_move_wins"}`.
///
/// Other keys are ignored.
#[derive(Debug, Clone, Deserialize)]
pub struct GameJson {
    /// The counters of each pile; emptied piles stand as 0 at the end.
    pub piles: Vec<u64>,
    /// By seat: the offsets of the winners that it would like to see, the most preferred first.
    pub alliance_matrix: Vec<Vec<u64>>,
    /// The seat to move first; 0 unless given.
    #[serde(default)]
    pub first: usize,
    /// The ending's name; `to_move_wins` unless given.
    #[serde(default)]
    pub ending: Option<String>,
}

/// JSON that is not what was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON, or of another shape.
    #[error("{}", without_line(.0))]
    Shape(serde_json::Error),
    /// There is no such ending.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The numbers are no game.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Says what is wrong with a document; where it has one line only, the column alone says where.
fn without_line(error: &serde_json::Error) -> String {
    let text = match error.classify() {
        Category::Syntax | Category::Eof => format!("this is no JSON: {error}"),
        Category::Data | Category::Io => error.to_string(),
    };
    match text.strip_suffix(&format!(" at line 1 column {}", error.column())) {
        Some(what) => format!("{what} at column {}", error.column()),
        None => text,
    }
}

/// Reads a JSON document.
///
/// # Errors
/// Says what is missing or of another type.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(JsonError::Shape)
}

impl GameJson {
    /// Accepts the game.
    ///
    /// # Errors
    /// Names the first value that does not fit.
    pub fn game(&self) -> Result<Game, JsonError> {
        let ending = self.ending.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        Ok(Game::parse(&self.piles, &self.alliance_matrix, self.first, ending)?)
    }
}

/// The takes of a played game, a key beside those of [`GameJson`].
#[derive(Debug, Clone, Deserialize)]
pub struct TakesJson {
    /// The takes, in order of play.
    pub takes: Vec<u64>,
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
pub(super) fn indices(seats: &BySeat<Seat>) -> Vec<usize> {
    seats.iter().map(|seat| seat.index()).collect()
}

/// Writes a matrix as an array of rows.
pub(super) fn matrix(matrix: &AllianceMatrix) -> Vec<&[u8]> {
    matrix.rows().iter().map(Row::offsets).collect()
}

/// Writes optimal takes as inclusive ranges.
pub(super) fn ranges(takes: &OptimalTakes) -> Vec<[u64; 2]> {
    takes.iter().map(|range| [range.lo, range.hi]).collect()
}
