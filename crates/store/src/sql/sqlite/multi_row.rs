//! Statements that write many rows at once.

use super::store_error_of;
use crate::StoreError;
use sqlx::sqlite::{SqliteArguments, SqliteQueryResult};
use sqlx::{Arguments, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};
use std::sync::Arc;

/// The rows that statements are prepared for: any number of rows is made of these, the largest first.
const SIZES: [usize; 6] = [512, 128, 32, 8, 2, 1];

/// A statement around a list of rows, for each of a few lengths of the list.
#[derive(Debug)]
pub(super) struct MultiRowStatement([Arc<str>; SIZES.len()]);

impl MultiRowStatement {
    /// Puts `row` where the statement has `{}`, as often as there are rows.
    pub(super) fn new(statement: &str, row: &str) -> Self {
        Self(SIZES.map(|rows| statement.replace("{}", &vec![row; rows].join(", ")).into()))
    }

    /// Runs it for all items; `bind` gives the values of a row. Returns how many rows it changed, and the last one added.
    pub(super) async fn run<T>(
        &self,
        connection: &mut SqliteConnection,
        items: &[T],
        mut bind: impl FnMut(&T, &mut RowValues) -> Result<(), StoreError>,
    ) -> Result<SqliteQueryResult, StoreError> {
        let (mut rest, mut changed) = (items, SqliteQueryResult::default());
        for (&rows, statement) in SIZES.iter().zip(&self.0) {
            while let Some((now, later)) = rest.split_at_checked(rows) {
                let mut values = RowValues::default();
                for item in now {
                    bind(item, &mut values)?;
                }
                let statement = AssertSqlSafe(Arc::clone(statement));
                let done = sqlx::query_with(statement, values.0)
                    .execute(&mut *connection)
                    .await
                    .map_err(store_error_of)?;
                changed.extend([done]);
                rest = later;
            }
        }
        Ok(changed)
    }
}

/// The values of a statement, in their order.
#[derive(Debug, Default)]
pub(super) struct RowValues(SqliteArguments);

impl RowValues {
    /// Returns them for a statement.
    pub(super) fn into_arguments(self) -> SqliteArguments {
        self.0
    }

    /// Adds the next one.
    pub(super) fn add<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(
        &mut self,
        value: T,
    ) -> Result<(), StoreError> {
        self.0.add(value).map_err(|error| StoreError::Refused(error.to_string()))
    }
}
