//! A row of any database, read by the names of its columns.

use super::words::Word;
use crate::referee::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Why a row is none that was written.
pub(super) type Why = String;

/// A value that every database gives.
pub(super) trait Cell:
    for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

impl<T> Cell for T where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

/// A row, which says why where a column does not hold what was written.
pub(super) trait Columns {
    /// Returns the value of a column, unless it is null.
    fn nullable<T: Cell>(&self, column: &str) -> Result<Option<T>, Why>;

    /// Returns the value of a column.
    fn get<T: Cell>(&self, column: &str) -> Result<T, Why> {
        self.nullable(column)?.ok_or_else(|| format!("its {column} is missing"))
    }

    /// Shows a text in messages about the row.
    fn label(&self, column: &str) -> impl Display {
        fmt::from_fn(move |f| f.write_str(&self.get::<String>(column).unwrap_or_default()))
    }

    /// Reads a text.
    fn parsed<T: FromStr<Err: Display>>(&self, column: &str) -> Result<T, Why> {
        self.get::<String>(column)?.parse().map_err(|error: T::Err| error.to_string())
    }

    /// Reads a number.
    fn number<T: TryFrom<i64>>(&self, column: &str) -> Result<T, Why> {
        let number: i64 = self.get(column)?;
        number.try_into().map_err(|_| format!("{column} of {number}: out of range"))
    }

    /// Reads a time.
    fn time(&self, column: &str) -> Result<Timestamp, Why> {
        self.number(column).map(Timestamp::from_micros)
    }

    /// Reads a word.
    fn word<W: Word>(&self, column: &str) -> Result<W, Why> {
        W::of_word(&self.get::<String>(column)?)
    }

    /// Reads a word, unless it is null.
    fn nullable_word<W: Word>(&self, column: &str) -> Result<Option<W>, Why> {
        self.nullable::<String>(column)?.map(|word| W::of_word(&word)).transpose()
    }

    /// Reads so many bytes.
    fn bytes<const N: usize>(&self, column: &str) -> Result<[u8; N], Why> {
        self.nullable_bytes(column)?.ok_or_else(|| format!("its {column} is missing"))
    }

    /// Reads so many bytes, unless they are null.
    fn nullable_bytes<const N: usize>(&self, column: &str) -> Result<Option<[u8; N]>, Why> {
        let read = |bytes: Vec<u8>| {
            let length = bytes.len();
            bytes.try_into().map_err(|_| format!("{column} of {length} bytes: it has {N}"))
        };
        self.nullable::<Vec<u8>>(column)?.map(read).transpose()
    }
}

impl Columns for SqliteRow {
    fn nullable<T: Cell>(&self, column: &str) -> Result<Option<T>, Why> {
        self.try_get(column).map_err(|error| error.to_string())
    }
}

impl Columns for PgRow {
    fn nullable<T: Cell>(&self, column: &str) -> Result<Option<T>, Why> {
        self.try_get(column).map_err(|error| error.to_string())
    }
}
