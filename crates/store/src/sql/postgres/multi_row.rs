//! Statements that write many rows at once. Each parameter is an array with one column's values.

use super::{TRANSLATIONS, store_error_of};
use crate::StoreError;
use crate::sql::multi_row::ColumnValues;
use sqlx::error::BoxDynError;
use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, PgConnection};

/// Runs a statement for all rows, and returns the number of changed rows.
pub(super) async fn write_rows(
    connection: &mut PgConnection,
    text: &'static str,
    columns: Vec<ColumnValues>,
) -> Result<u64, StoreError> {
    let statement = TRANSLATIONS.get_or_translate(text, 1, || {
        let arrays = columns.iter().zip(1..).map(|(column, at)| format!("${at}::{}", array_type(column)));
        let names = (1..=columns.len()).map(|at| format!("column{at}"));
        let (arrays, names): (Vec<_>, Vec<_>) = arrays.zip(names).unzip();
        text.replace("{rows}", &format!("unnest({}) AS now ({})", arrays.join(", "), names.join(", ")))
    });
    let mut values = PgArguments::default();
    for column in columns {
        add_array(column, &mut values).map_err(|error| StoreError::Refused(error.to_string()))?;
    }
    let done = sqlx::query_with(statement, values).execute(connection).await;
    Ok(done.map_err(store_error_of)?.rows_affected())
}

fn array_type(column: &ColumnValues) -> &'static str {
    match column {
        ColumnValues::Text(_) => "text[]",
        ColumnValues::Integer(_) => "bigint[]",
        ColumnValues::Float(_) => "double precision[]",
        ColumnValues::Bytes(_) => "bytea[]",
    }
}

fn add_array(column: ColumnValues, values: &mut PgArguments) -> Result<(), BoxDynError> {
    match column {
        ColumnValues::Text(column) => values.add(column),
        ColumnValues::Integer(column) => values.add(column),
        ColumnValues::Float(column) => values.add(column),
        ColumnValues::Bytes(column) => values.add(column),
    }
}
