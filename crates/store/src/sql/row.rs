//! A row of any database, read by the names of its columns.

use super::words::StoredWord;
use lastnim_core::referee::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Why a row is none that was written.
pub(super) type DamageReason = String;

/// A value that every database gives.
pub(super) trait ColumnValue:
    for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

impl<T> ColumnValue for T where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

/// A row, which says why where a column does not hold what was written.
pub(super) trait RowColumns {
    /// Returns the value of a column, unless it is null.
    fn nullable<T: ColumnValue>(&self, column: &str) -> Result<Option<T>, DamageReason>;

    /// Returns the value of a column.
    fn get<T: ColumnValue>(&self, column: &str) -> Result<T, DamageReason> {
        self.nullable(column)?.ok_or_else(|| format!("its {column} is missing"))
    }

    /// Shows a text in messages about the row.
    fn label(&self, column: &str) -> impl Display {
        fmt::from_fn(move |f| f.write_str(&self.get::<String>(column).unwrap_or_default()))
    }

    /// Reads a text.
    fn parse_text<T: FromStr<Err: Display>>(&self, column: &str) -> Result<T, DamageReason> {
        self.get::<String>(column)?.parse().map_err(|error: T::Err| error.to_string())
    }

    /// Reads a number.
    fn number<T: TryFrom<i64>>(&self, column: &str) -> Result<T, DamageReason> {
        let number: i64 = self.get(column)?;
        number.try_into().map_err(|_| format!("{column} of {number}: out of range"))
    }

    /// Reads a time.
    fn time(&self, column: &str) -> Result<Timestamp, DamageReason> {
        self.number(column).map(Timestamp::from_micros)
    }

    /// Reads a word.
    fn word<W: StoredWord>(&self, column: &str) -> Result<W, DamageReason> {
        W::from_word(&self.get::<String>(column)?)
    }

    /// Reads a word, unless it is null.
    fn nullable_word<W: StoredWord>(&self, column: &str) -> Result<Option<W>, DamageReason> {
        self.nullable::<String>(column)?.map(|word| W::from_word(&word)).transpose()
    }

    /// Reads so many bytes.
    fn bytes<const N: usize>(&self, column: &str) -> Result<[u8; N], DamageReason> {
        self.nullable_bytes(column)?.ok_or_else(|| format!("its {column} is missing"))
    }

    /// Reads so many bytes, unless they are null.
    fn nullable_bytes<const N: usize>(&self, column: &str) -> Result<Option<[u8; N]>, DamageReason> {
        let read = |bytes: Vec<u8>| {
            let length = bytes.len();
            bytes.try_into().map_err(|_| format!("{column} of {length} bytes: it has {N}"))
        };
        self.nullable::<Vec<u8>>(column)?.map(read).transpose()
    }
}

impl RowColumns for SqliteRow {
    fn nullable<T: ColumnValue>(&self, column: &str) -> Result<Option<T>, DamageReason> {
        self.try_get(column).map_err(|error| error.to_string())
    }
}

impl RowColumns for PgRow {
    fn nullable<T: ColumnValue>(&self, column: &str) -> Result<Option<T>, DamageReason> {
        self.try_get(column).map_err(|error| error.to_string())
    }
}
