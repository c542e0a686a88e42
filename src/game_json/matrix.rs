//! Reads alliance matrices from JSON.

use super::JsonError;
use lastnim_core::game::{AllianceMatrix, Row, SeatCount};
use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use std::{borrow::Cow, fmt};

/// The preferences of all seats: a row for each seat, or `"standard"`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MatrixJson {
    /// The matrix is not given.
    #[default]
    Missing,
    /// The standard matrix.
    Standard,
    /// The row of each seat: the offsets of the winners, with the most preferred winner first.
    Rows(Vec<Vec<u64>>),
}

const STANDARD: &str = "standard";

impl MatrixJson {
    /// Returns the rows. If the matrix is missing or `"standard"`, they are the standard rows for `players`
    /// seats.
    ///
    /// # Errors
    /// If there are neither rows nor a number of players, if the number is not one that a game can have, or if the rows
    /// are for a different number of players.
    pub fn rows(&self, players: Option<usize>) -> Result<Cow<'_, [Vec<u64>]>, JsonError> {
        match (self, players) {
            (Self::Rows(rows), Some(players)) if players != rows.len() => {
                Err(JsonError::Rows { players, rows: rows.len() })
            }
            (Self::Rows(rows), _) => Ok(Cow::Borrowed(rows)),
            (_, None) => Err(JsonError::NoMatrix),
            (_, Some(players)) => {
                let offsets = |row: &Row| row.offsets().iter().map(|&offset| offset.into()).collect();
                let matrix = AllianceMatrix::standard(SeatCount::new(players)?);
                Ok(Cow::Owned(matrix.rows().iter().map(offsets).collect()))
            }
        }
    }
}

impl<'de> Deserialize<'de> for MatrixJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MatrixVisitor)
    }
}

struct MatrixVisitor;

impl<'de> Visitor<'de> for MatrixVisitor {
    type Value = MatrixJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a matrix: an array of rows, or \"standard\"")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<MatrixJson, E> {
        match word {
            STANDARD => Ok(MatrixJson::Standard),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, rows: A) -> Result<MatrixJson, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(rows)).map(MatrixJson::Rows)
    }
}
