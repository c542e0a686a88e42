//! Statements for all databases, and the differences between the databases.

use super::multi_row::ColumnValues;
use super::row::RowColumns;
use crate::StoreError;
use sqlx::error::BoxDynError;
use sqlx::{AssertSqlSafe, Database, Encode, Postgres, SqlSafeStr as _, SqlStr, Sqlite, Type};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_stream::{Stream, StreamExt as _};

/// The end of an SQL condition that is true if an id is in a list. The list is the first value of the statement: a JSON
/// object whose keys are the ids.
pub(super) const ID_LIST: &str = "IN (SELECT key::uuid FROM json_each($1::json))";

/// A kind of database.
pub(super) trait Dialect: Database<Row: RowColumns> {
    /// The statement that begins a transaction in which all reads see the same state.
    const BEGIN_SNAPSHOT: &'static str;
    /// The statement that checks all pages and returns the faults in the column `found`; `None` if the database checks
    /// its pages itself.
    const CHECK_PAGES: Option<&'static str>;
    /// The statement that returns the size of the database in the column `bytes`, and the size of its free part in the
    /// column `free_bytes`.
    const SIZE: &'static str;
    /// The time limit of a read, including the wait for a connection.
    const READ_TIMEOUT: Option<Duration>;

    /// Translates a [`Statement`] into the dialect of this database.
    fn translate(text: &'static str) -> SqlStr;

    /// Returns whether an error means that the tables belong to another program.
    fn is_foreign_schema(error: &sqlx::Error) -> bool;

    /// Converts an error from an open database.
    fn store_error(error: sqlx::Error) -> StoreError;

    fn bind<'v>(values: &mut Self::Arguments, value: impl SqlValue<'v>) -> Result<(), BoxDynError>;

    fn fetch(
        connection: &mut Self::Connection,
        statement: SqlStr,
        values: Self::Arguments,
    ) -> impl Stream<Item = Result<Self::Row, sqlx::Error>> + Send + Unpin;

    /// Runs the text of a [`MultiRow`](super::multi_row::MultiRow) with the values of its columns, and returns the
    /// number of changed rows.
    fn write_rows(
        connection: &mut Self::Connection,
        text: &'static str,
        columns: Vec<ColumnValues>,
        rows: usize,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

/// A cache of statements translated into the dialect of one database.
#[derive(Debug, Default)]
pub(super) struct Translations(Mutex<HashMap<(&'static str, usize), SqlStr>>);

impl Translations {
    /// Returns the translation of a statement for this number of rows, and creates it on the first call.
    pub(super) fn get_or_translate(
        &self,
        text: &'static str,
        rows: usize,
        translate: impl FnOnce() -> String,
    ) -> SqlStr {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let translated = || AssertSqlSafe(Arc::<str>::from(translate())).into_sql_str();
        known.entry((text, rows)).or_insert_with(translated).clone()
    }
}

/// A value that every database accepts.
pub(super) trait SqlValue<'v>:
    Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

impl<'v, T> SqlValue<'v> for T where
    T: Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

/// A statement for any database, with its values. It is written in SQL that all databases understand, apart from
/// PostgreSQL's casts (`id::text`), which are removed for other databases. On the Rust side, ids and JSON are text, and
/// small integers are `i64`.
#[derive(Debug)]
#[must_use = "a statement does nothing until it is run"]
pub(super) struct Statement<D: Dialect> {
    text: &'static str,
    values: Result<D::Arguments, StoreError>,
}

impl<D: Dialect> Statement<D> {
    pub(super) fn new(text: &'static str) -> Self {
        Self { text, values: Ok(D::Arguments::default()) }
    }

    /// Binds the next value.
    pub(super) fn bind<'v>(mut self, value: impl SqlValue<'v>) -> Self {
        if let Ok(values) = &mut self.values
            && let Err(error) = D::bind(values, value)
        {
            self.values = Err(StoreError::Refused(error.to_string()));
        }
        self
    }

    pub(super) async fn fetch<T>(
        self,
        connection: &mut D::Connection,
        mut read: impl FnMut(&D::Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = D::fetch(connection, D::translate(self.text), self.values?);
        let mut items = Vec::new();
        while let Some(row) = rows.next().await {
            items.push(read(&row.map_err(D::store_error)?)?);
        }
        Ok(items)
    }

    pub(super) async fn execute(self, connection: &mut D::Connection) -> Result<(), StoreError> {
        self.count_rows(connection).await.map(drop)
    }

    /// Runs the statement, and returns how many rows it yields.
    pub(super) async fn count_rows(self, connection: &mut D::Connection) -> Result<usize, StoreError> {
        Ok(self.fetch(connection, |_| Ok(())).await?.len())
    }
}

/// Removes PostgreSQL's casts from a statement, except in literals.
pub(super) fn strip_casts(text: &str) -> String {
    let remove_casts = |part: &str| {
        let mut pieces = part.split("::");
        let mut plain = pieces.next().unwrap_or_default().to_owned();
        plain.extend(
            pieces.map(|piece| piece.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric())),
        );
        plain
    };
    let parts = text.split('\'').zip([false, true].into_iter().cycle());
    let parts = parts.map(|(part, is_literal)| if is_literal { part.to_owned() } else { remove_casts(part) });
    parts.collect::<Vec<_>>().join("'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_casts_are_removed_from_sql() {
        let text =
            "SELECT id::text, (max(n) + 1)::bigint AS n FROM t WHERE id = $12::uuid AND b::int8::text > ''";
        let plain = "SELECT id, (max(n) + 1) AS n FROM t WHERE id = $12 AND b > ''";
        assert_eq!(strip_casts(text), plain);
        assert_eq!(strip_casts(plain), plain);
        let literals = "SELECT 'a::text', 'it''s b::c', n::text";
        assert_eq!(strip_casts(literals), "SELECT 'a::text', 'it''s b::c', n");
    }
}
