//! Database rows, read by column name.

use super::keywords::StoredKeyword;
use lastnim_core::referee::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Postgres, Row as _, Sqlite, Type};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The reason why a row counts as damaged, for example a value that this program cannot have written.
pub(super) type DamageReason = String;

/// A column value that every database can return.
pub(super) trait ColumnValue:
    for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

impl<T> ColumnValue for T where
    T: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>
{
}

/// A row with getters that return an explanation if a value is unexpected.
pub(super) trait RowColumns {
    /// Returns the value of a column, or `None` if it is null.
    fn nullable<T: ColumnValue>(&self, column: &str) -> Result<Option<T>, DamageReason>;

    fn get<T: ColumnValue>(&self, column: &str) -> Result<T, DamageReason> {
        self.nullable(column)?.ok_or_else(|| format!("its column {column} is empty"))
    }

    /// Returns a text column for use in messages about the row; empty if the column cannot be read.
    fn label(&self, column: &str) -> impl Display {
        fmt::from_fn(move |f| f.write_str(&self.get::<String>(column).unwrap_or_default()))
    }

    /// Parses a text column.
    fn parse_text<T: FromStr<Err: Display>>(&self, column: &str) -> Result<T, DamageReason> {
        self.get::<String>(column)?.parse().map_err(|error: T::Err| error.to_string())
    }

    fn number<T: TryFrom<i64>>(&self, column: &str) -> Result<T, DamageReason> {
        let number: i64 = self.get(column)?;
        number.try_into().map_err(|_| format!("its column {column} is {number}, which is out of range"))
    }

    fn time(&self, column: &str) -> Result<Timestamp, DamageReason> {
        self.number(column).map(Timestamp::from_micros)
    }

    /// Reads an enum value.
    fn keyword<W: StoredKeyword>(&self, column: &str) -> Result<W, DamageReason> {
        W::from_keyword(&self.get::<String>(column)?)
    }

    /// Reads an enum value, or `None` if the column is null.
    fn nullable_keyword<W: StoredKeyword>(&self, column: &str) -> Result<Option<W>, DamageReason> {
        self.nullable::<String>(column)?.map(|keyword| W::from_keyword(&keyword)).transpose()
    }

    /// Reads exactly N bytes.
    fn bytes<const N: usize>(&self, column: &str) -> Result<[u8; N], DamageReason> {
        self.nullable_bytes(column)?.ok_or_else(|| format!("its column {column} is empty"))
    }

    /// Reads exactly N bytes, or `None` if the column is null.
    fn nullable_bytes<const N: usize>(&self, column: &str) -> Result<Option<[u8; N]>, DamageReason> {
        let to_array = |bytes: Vec<u8>| {
            let length = bytes.len();
            bytes.try_into().map_err(|_| format!("{column} of {length} bytes: expected {N}"))
        };
        self.nullable::<Vec<u8>>(column)?.map(to_array).transpose()
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
