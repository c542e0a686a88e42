//! Statements that write many rows at once.

use super::dialect::Dialect;
use crate::StoreError;

/// The values of one column in all rows.
#[derive(Debug)]
pub(super) enum ColumnValues {
    /// Text, ids and JSON.
    Text(Vec<Option<String>>),
    Integer(Vec<Option<i64>>),
    Float(Vec<Option<f64>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

/// A statement that is applied to many rows. In its text, `{rows}` is replaced by a table `now` with the columns
/// `column1`, `column2` and so on.
#[derive(Debug)]
#[must_use = "a statement does nothing until it is run"]
pub(super) struct MultiRow<'a, T> {
    text: &'static str,
    rows: &'a [T],
    columns: Vec<ColumnValues>,
}

impl<'a, T> MultiRow<'a, T> {
    pub(super) fn new(text: &'static str, rows: &'a [T]) -> Self {
        Self { text, rows, columns: Vec::new() }
    }

    /// Adds a text column; `of` returns its value for a row.
    pub(super) fn text<V: Into<Option<String>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Text(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds an integer column.
    pub(super) fn integer<V: Into<Option<i64>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Integer(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds a float column.
    pub(super) fn float<V: Into<Option<f64>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Float(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds a bytes column.
    pub(super) fn bytes(mut self, of: impl FnMut(&'a T) -> &'a [u8]) -> Self {
        let bytes = self.rows.iter().map(of).map(|bytes| Some(bytes.to_vec()));
        self.columns.push(ColumnValues::Bytes(bytes.collect()));
        self
    }

    /// Runs the statement if there are any rows, and returns the number of changed rows.
    pub(super) async fn run<D: Dialect>(self, connection: &mut D::Connection) -> Result<u64, StoreError> {
        match self.rows.len() {
            0 => Ok(0),
            rows => D::write_rows(connection, self.text, self.columns, rows).await,
        }
    }
}
