//! Statements that write many rows at once.

use super::dialect::Dialect;
use crate::StoreError;

/// What one column holds of each row.
#[derive(Debug)]
pub(super) enum ColumnValues {
    /// Texts; also ids and JSON.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Integer(Vec<Option<i64>>),
    /// Numbers.
    Float(Vec<Option<f64>>),
    /// Bytes.
    Bytes(Vec<Option<Vec<u8>>>),
}

/// A statement about many rows. Where its text has `{rows}` there is a table of them, `now`, whose columns are called `column1`, `column2`
/// and so on.
#[derive(Debug)]
#[must_use = "a statement has to be run"]
pub(super) struct MultiRow<'a, T> {
    text: &'static str,
    rows: &'a [T],
    columns: Vec<ColumnValues>,
}

impl<'a, T> MultiRow<'a, T> {
    /// Begins a statement about these rows.
    pub(super) fn new(text: &'static str, rows: &'a [T]) -> Self {
        Self { text, rows, columns: Vec::new() }
    }

    /// Adds a column of texts; `of` says what it holds of a row.
    pub(super) fn text<V: Into<Option<String>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Text(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds a column of whole numbers.
    pub(super) fn integer<V: Into<Option<i64>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Integer(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds a column of numbers.
    pub(super) fn float<V: Into<Option<f64>>>(mut self, of: impl FnMut(&'a T) -> V) -> Self {
        self.columns.push(ColumnValues::Float(self.rows.iter().map(of).map(Into::into).collect()));
        self
    }

    /// Adds a column of bytes.
    pub(super) fn bytes(mut self, of: impl FnMut(&'a T) -> &'a [u8]) -> Self {
        let bytes = self.rows.iter().map(of).map(|bytes| Some(bytes.to_vec()));
        self.columns.push(ColumnValues::Bytes(bytes.collect()));
        self
    }

    /// Runs it, if there are any rows. Returns how many it changed.
    pub(super) async fn run<D: Dialect>(self, connection: &mut D::Connection) -> Result<u64, StoreError> {
        match self.rows.len() {
            0 => Ok(0),
            rows => D::write_rows(connection, self.text, self.columns, rows).await,
        }
    }
}
