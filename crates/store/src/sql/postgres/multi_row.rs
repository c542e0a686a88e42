//! Statements that write many rows at once.

use super::store_error_of;
use crate::StoreError;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{Encode, PgConnection, Postgres, Type};

/// A statement about many rows, each of whose parameters is an array: what one column holds of every row.
#[must_use = "a statement has to be run"]
pub(super) struct MultiRow<'a, T> {
    rows: &'a [T],
    query: Query<'a, Postgres, PgArguments>,
}

impl<'a, T> MultiRow<'a, T> {
    /// Begins a statement about these rows.
    pub(super) fn new(statement: &'static str, rows: &'a [T]) -> Self {
        Self { rows, query: sqlx::query(statement) }
    }

    /// Adds the next column; `of` says what it holds of a row.
    pub(super) fn column<'v, C>(self, of: impl FnMut(&'a T) -> C) -> Self
    where
        Vec<C>: Encode<'v, Postgres> + Type<Postgres>,
    {
        let column: Vec<C> = self.rows.iter().map(of).collect();
        Self { query: self.query.bind(column), ..self }
    }

    /// Runs it, if there are any rows. Returns how many it changed.
    pub(super) async fn run(self, connection: &mut PgConnection) -> Result<u64, StoreError> {
        if self.rows.is_empty() {
            return Ok(0);
        }
        Ok(self.query.execute(connection).await.map_err(store_error_of)?.rows_affected())
    }
}
