//! Writes the tables of the journal and the record parts.

use super::store_error_of;
use crate::StoreError;
use crate::sql::epoch::{check_epoch, lost_database_error};
use crate::sql::journal::{JournalWrite, RecordPart};
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The maximum number of record parts per statement.
const MAX_PARTS: usize = 32;

/// The statements that write events, one for each shape. Since there are few shapes, SQLite needs to prepare only a few
/// statements.
#[derive(Debug, Default)]
pub(super) struct JournalStatements(HashMap<StatementShape, Arc<str>>);

/// Adds a journal row in a separate transaction, as most writes do. The transaction is a single statement, so that
/// the waiting thread is woken only once, at the end.
async fn add_row(
    connection: &mut SqliteConnection,
    row: i64,
    events: &[u8],
    epoch: i64,
) -> Result<(), StoreError> {
    let added = sqlx::query("INSERT INTO journal (id, events) SELECT ?, ? FROM server WHERE epoch = ?")
        .bind(row)
        .bind(events)
        .bind(epoch)
        .execute(&mut *connection)
        .await
        .map_err(store_error_of)?;
    if added.rows_affected() > 0 {
        return Ok(());
    }
    let found = sqlx::query_scalar("SELECT epoch FROM server").fetch_optional(connection).await;
    Err(lost_database_error(found.map_err(store_error_of)?))
}

/// The steps that a statement consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct StatementShape {
    /// Whether the statement is a whole transaction.
    is_transaction: bool,
    adds_row: bool,
    parts: usize,
    removes_rows: bool,
}

impl StatementShape {
    /// Returns the text of the statement, which changes nothing if the database does not belong to this server.
    fn text(self) -> String {
        let mut text = String::new();
        if self.is_transaction {
            text.push_str("BEGIN IMMEDIATE; SELECT epoch FROM server;");
        }
        if self.adds_row {
            text.push_str("INSERT INTO journal (id, events) SELECT ?, ? FROM server WHERE epoch = ?;");
        }
        if self.parts > 0 {
            let rows = vec!["(?, ?, ?, ?, ?)"; self.parts].join(", ");
            let written = write!(
                text,
                "INSERT INTO record_parts (match_id, seq, next_seq, plies, events)
                SELECT column1, column2, column3, column4, column5 FROM server CROSS JOIN (VALUES {rows}) WHERE epoch = ?
                ON CONFLICT (match_id, seq) DO UPDATE SET next_seq = excluded.next_seq, plies = excluded.plies,
                    events = excluded.events;"
            );
            written.expect("writing to a string cannot fail");
        }
        if self.removes_rows {
            text.push_str("DELETE FROM journal WHERE id >= ? AND id < ? AND (SELECT epoch = ? FROM server);");
        }
        if self.is_transaction {
            text.push_str("COMMIT");
        }
        text
    }
}

impl JournalStatements {
    /// Returns whether a write fits in a transaction of one statement.
    pub(super) fn fits_one_statement(write: &JournalWrite) -> bool {
        write.parts.len() <= MAX_PARTS
    }

    /// Writes in a separate transaction.
    pub(super) async fn write_in_own_transaction(
        &mut self,
        connection: &mut SqliteConnection,
        write: &JournalWrite,
        epoch: i64,
    ) -> Result<(), StoreError> {
        match &write.row {
            Some((row, events)) if write.parts.is_empty() && write.removed.is_empty() => {
                add_row(connection, *row, events, epoch).await
            }
            _ => check_epoch(epoch, self.run(connection, true, write, &write.parts, epoch).await?),
        }
    }

    /// Writes in an open transaction whose epoch was checked.
    pub(super) async fn write(
        &mut self,
        connection: &mut SqliteConnection,
        write: &JournalWrite,
        epoch: i64,
    ) -> Result<(), StoreError> {
        let (first, others) = write.parts.split_at(write.parts.len().min(MAX_PARTS));
        self.run(connection, false, write, first, epoch).await?;
        self.write_parts(connection, others, epoch).await
    }

    /// Writes record parts in an open transaction whose epoch was checked.
    pub(super) async fn write_parts(
        &mut self,
        connection: &mut SqliteConnection,
        parts: &[RecordPart],
        epoch: i64,
    ) -> Result<(), StoreError> {
        for parts in parts.chunks(MAX_PARTS) {
            self.run(connection, false, &JournalWrite::default(), parts, epoch).await?;
        }
        Ok(())
    }

    /// Runs the statement for a write. If it is a transaction, returns the epoch that it found.
    async fn run(
        &mut self,
        connection: &mut SqliteConnection,
        is_transaction: bool,
        write: &JournalWrite,
        parts: &[RecordPart],
        epoch: i64,
    ) -> Result<Option<i64>, StoreError> {
        let shape = StatementShape {
            is_transaction,
            adds_row: write.row.is_some(),
            parts: parts.len(),
            removes_rows: !write.removed.is_empty(),
        };
        let mut values = StatementValues::default();
        if let Some((id, events)) = &write.row {
            values.add(*id)?;
            values.add(events.as_slice())?;
            values.add(epoch)?;
        }
        for part in parts {
            values.add(String::from(part.id))?;
            values.add(part.seq)?;
            values.add(part.next_seq)?;
            values.add(part.plies)?;
            values.add(part.bytes.as_slice())?;
        }
        if !parts.is_empty() {
            values.add(epoch)?;
        }
        if shape.removes_rows {
            values.add(write.removed.start)?;
            values.add(write.removed.end)?;
            values.add(epoch)?;
        }
        let text = self.0.entry(shape).or_insert_with(|| shape.text().into());
        if text.is_empty() {
            return Ok(None);
        }
        let found: Vec<i64> = sqlx::query_scalar_with(AssertSqlSafe(Arc::clone(text)), values.0)
            .fetch_all(connection)
            .await
            .map_err(store_error_of)?;
        Ok(found.first().copied())
    }
}

/// The values of a statement, in order.
#[derive(Default)]
struct StatementValues(SqliteArguments);

impl StatementValues {
    fn add<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> Result<(), StoreError> {
        self.0.add(value).map_err(|error| StoreError::Refused(error.to_string()))
    }
}
