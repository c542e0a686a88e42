//! Statements that write many rows at once.

use super::{TRANSLATIONS, store_error_of};
use crate::StoreError;
use crate::sql::dialect::{Dialect, strip_casts};
use crate::sql::multi_row::ColumnValues;
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Sqlite, SqliteConnection};
use std::mem::take;

/// The numbers of rows for which statements are prepared. Rows are written in blocks of these sizes, largest first.
const SIZES: [usize; 6] = [512, 128, 32, 8, 2, 1];

/// Runs a statement for all rows, consuming the column values. Returns the number of changed rows.
pub(super) async fn write_rows(
    connection: &mut SqliteConnection,
    text: &'static str,
    mut columns: Vec<ColumnValues>,
    rows: usize,
) -> Result<u64, StoreError> {
    let (mut from, mut changed) = (0, 0);
    for size in SIZES {
        while rows - from >= size {
            let mut values = SqliteArguments::default();
            for row in from..from + size {
                for column in &mut columns {
                    let added = move_value(column, row, &mut values);
                    added.map_err(|error| StoreError::Refused(error.to_string()))?;
                }
            }
            let statement = TRANSLATIONS.get_or_translate(text, size, || {
                let row = format!("({})", vec!["?"; columns.len()].join(", "));
                strip_casts(text)
                    .replace("{rows}", &format!("(VALUES {}) AS now", vec![row; size].join(", ")))
            });
            let done = sqlx::query_with(statement, values).execute(&mut *connection).await;
            changed += done.map_err(store_error_of)?.rows_affected();
            from += size;
        }
    }
    Ok(changed)
}

fn move_value(
    column: &mut ColumnValues,
    row: usize,
    values: &mut SqliteArguments,
) -> Result<(), BoxDynError> {
    match column {
        ColumnValues::Text(column) => Sqlite::bind(values, take(&mut column[row])),
        ColumnValues::Integer(column) => Sqlite::bind(values, column[row]),
        ColumnValues::Float(column) => Sqlite::bind(values, column[row]),
        ColumnValues::Bytes(column) => Sqlite::bind(values, take(&mut column[row])),
    }
}
