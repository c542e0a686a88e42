//! Preserves the write-ahead log of a database that was not closed.

use super::store_error_of;
use crate::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

/// A connection that prevents SQLite from removing the write-ahead log. SQLite removes the log when the last connection
/// is closed for any reason, and no other connection is the last one while this connection is open. This connection
/// stays open until the database is closed or the process ends.
#[derive(Debug)]
pub(super) struct LogKeeper(Option<SqliteConnection>);

impl LogKeeper {
    /// Connects to an existing database.
    pub(super) async fn open(reading: &SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        let mut keeper = Self(Some(reading.connect().await?));
        if let Some(connection) = &mut keeper.0 {
            // For SQLite, a connection counts as open only after its first read.
            sqlx::query("SELECT count(*) FROM sqlite_master").fetch_all(connection).await?;
        }
        Ok(keeper)
    }

    /// Lets SQLite remove the log of a database that is marked as closed.
    pub(super) async fn release(&mut self) -> Result<(), StoreError> {
        match self.0.take() {
            Some(connection) => connection.close().await.map_err(store_error_of),
            None => Ok(()),
        }
    }
}

impl Drop for LogKeeper {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            std::mem::forget(connection);
        }
    }
}
