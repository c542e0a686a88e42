//! The command-line flags that describe a game.

use crate::{
    Failure,
    game_json::{JsonError, MatrixJson},
    text::numbers,
};
use clap::Args;
use lastnim_analysis::variants::TiedMatrix;
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, Seat};
use lastnim_proto::number_text;
use std::borrow::Cow;

/// A game: its piles, the rows, the seat that moves first, and who wins at the end.
#[derive(Debug, Args)]
#[command(next_help_heading = "Game")]
pub struct GameArgs {
    /// The counters of each pile; the last nonempty pile is played
    #[arg(long, required = true, value_name = "N,N,..")]
    piles: Option<String>,
    /// A row for each seat: offsets from the seat, the most preferred winner first
    #[arg(long, default_value = STANDARD, value_name = "ROW;ROW;..|standard")]
    matrix: String,
    /// The number of seats, for the standard matrix
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// The seat that moves first
    #[arg(long, default_value_t = 0, value_name = "SEAT")]
    first: usize,
    /// Who wins when no counter is left [default: to-move-wins]
    #[arg(long, value_name = "to-move-wins|last-mover-wins")]
    ending: Option<Ending>,
}

const STANDARD: &str = "standard";

impl GameArgs {
    /// Parses the game.
    ///
    /// # Errors
    /// Names the first flag or number that is invalid.
    pub fn parse_game(&self) -> Result<Game, Failure> {
        let piles = numbers::read_numbers(self.piles.as_deref().unwrap_or_default(), "piles")?;
        let rows = self.parse_rows()?;
        Game::parse(&piles, &rows, self.first, self.ending.unwrap_or_default()).map_err(Failure::input)
    }

    /// Parses the piles of a game of Last Nim that may be in progress or over, so the last piles may be empty.
    ///
    /// # Errors
    /// Names the first number that is invalid.
    pub fn parse_piles(&self) -> Result<Piles, Failure> {
        let piles = numbers::read_numbers(self.piles.as_deref().unwrap_or_default(), "piles")?;
        Piles::parse_partly_emptied(&piles).map_err(Failure::input)
    }

    /// Returns the number of the seat that moves first.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the number of seats, if given.
    pub fn players(&self) -> Option<usize> {
        self.players
    }

    /// Parses the rows if they have ties; returns `None` if they have none.
    ///
    /// # Errors
    /// Names the first row that is invalid, or the flag that contradicts the rows.
    pub fn parse_ties(&self) -> Result<Option<TiedMatrix>, Failure> {
        if !number_text::has_ties(&self.matrix) {
            return Ok(None);
        }
        let rows = number_text::read_tied_rows(&self.matrix).map_err(Failure::input)?;
        if let Some(players) = self.players.filter(|&players| players != rows.len()) {
            return Err(Failure::input(JsonError::Rows { players, rows: rows.len() }));
        }
        TiedMatrix::parse(&rows).map(Some).map_err(Failure::input)
    }

    /// Returns the text of the piles, if given.
    pub fn piles(&self) -> Option<&str> {
        self.piles.as_deref()
    }

    /// Parses the rows and the seat that moves first.
    ///
    /// # Errors
    /// Names the first flag or number that is invalid.
    pub fn parse_matrix_and_first(&self) -> Result<(AllianceMatrix, Seat), Failure> {
        let matrix = AllianceMatrix::parse(&self.parse_rows()?).map_err(Failure::input)?;
        let first = matrix.seats().seat(self.first);
        let first = first.map_err(|error| Failure::input(format!("first: {error}")))?;
        Ok((matrix, first))
    }

    /// Returns the ending, if given.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn parse_rows(&self) -> Result<Vec<Vec<u64>>, Failure> {
        let matrix = match self.matrix.trim() {
            STANDARD => MatrixJson::Standard,
            rows => MatrixJson::Rows(numbers::read_rows(rows)?),
        };
        matrix.rows(self.players).map(Cow::into_owned).map_err(|error| match error {
            JsonError::NoMatrix => Failure::input(
                "the standard matrix needs the number of seats: give --players, or every row with --matrix",
            ),
            other => Failure::input(other),
        })
    }
}
