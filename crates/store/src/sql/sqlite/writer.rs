//! The only connection that writes.

use super::files::{OpenedFile, OpenedFiles};
use super::id_file::CommitMark;
use super::journal::JournalStatements;
use super::store_error_of;
use crate::sql::batch::WritePlan;
use crate::sql::epoch::check_epoch;
use crate::sql::journal::Journal;
use crate::sql::journal_loading::LoadedJournal;
use crate::{Change, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Sqlite, SqliteConnection};

/// Writes to the tables, and caches the state of unfinished matches. After a failure it is closed, and its successor
/// reads that state again.
#[derive(Debug)]
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    /// `None` only while the writer is being opened.
    files: Option<OpenedFiles>,
    /// This server's epoch.
    epoch: i64,
    journal: Journal,
    events: JournalStatements,
    /// The newest commit number.
    number: i64,
    /// The mark of the newest commit, with or without a number.
    newest: CommitMark,
}

impl SqliteWriter {
    /// Connects and reads the tables.
    pub(super) async fn open(
        options: &SqliteConnectOptions,
        epoch: i64,
        file: &OpenedFile,
    ) -> Result<Self, StoreError> {
        let mut writer = Self {
            connection: options.connect().await.map_err(store_error_of)?,
            files: None,
            epoch,
            journal: Journal::starting_at(0),
            events: JournalStatements::default(),
            number: 0,
            newest: CommitMark::numbered(0),
        };
        let noted = writer.load_journal().await.and_then(|()| OpenedFiles::of_database(file));
        match noted {
            Ok(files) => Ok(Self { files: Some(files), ..writer }),
            Err(error) => {
                writer.close().await;
                Err(error)
            }
        }
    }

    /// Disconnects; uncommitted changes are rolled back.
    pub(super) async fn close(self) {
        // An error does not matter, because the connection is no longer used.
        let _ = self.connection.close().await;
    }

    /// Copies the whole write-ahead log into the database. Returns whether that succeeded.
    pub(super) async fn checkpoint(&mut self) -> bool {
        let done: Result<(i64, i64, i64), _> =
            sqlx::query_as("PRAGMA wal_checkpoint(FULL)").fetch_one(&mut self.connection).await;
        match done {
            Ok((0, pages, copied)) if pages == copied => return true,
            Ok(_) => {
                tracing::warn!(
                    "part of the database is still in its write-ahead log, because another program is reading the database: if you copy the database, copy its -wal file too"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "part of the database is still in its write-ahead log: if you copy the database, copy its -wal file too");
            }
        }
        false
    }

    /// Empties the write-ahead log and disconnects: the database file alone is then a complete copy.
    pub(super) async fn truncate_and_close(mut self) {
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.connection).await
        {
            tracing::warn!(%error, "the write-ahead log could not be emptied: if you copy the database, copy its -wal file too");
        }
        if self.check_files().is_ok() {
            self.close().await;
        } else {
            // The connection is not closed, because SQLite would then remove the log by its path, which may belong to
            // another file by now. The process ends soon.
            std::mem::forget(self);
        }
    }

    /// Checks that writes still reach the files at the paths of the database.
    pub(super) fn check_files(&mut self) -> Result<(), StoreError> {
        self.files.as_mut().map_or(Ok(()), OpenedFiles::check_unchanged)
    }

    /// Returns the mark of the newest commit.
    pub(super) fn newest_commit(&self) -> CommitMark {
        self.newest
    }

    /// Writes changes in one transaction.
    pub(super) async fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let plan = WritePlan::new::<Sqlite>(&mut self.connection, &mut self.journal, changes).await?;
        if let Some((row, _)) = &plan.events.row
            && plan.has_only_events()
            && JournalStatements::fits_one_statement(&plan.events)
        {
            self.events.write_in_own_transaction(&mut self.connection, &plan.events, self.epoch).await?;
            self.newest = CommitMark { number: self.number, row: *row };
            return self.check_files();
        }
        self.begin().await?;
        self.events.write(&mut self.connection, &plan.events, self.epoch).await?;
        plan.write_other_changes::<Sqlite>(&mut self.connection).await?;
        self.commit().await?;
        // The changes must not be announced if the file that they were written to was removed.
        self.check_files()
    }

    /// Begins a transaction whose commit has a number.
    async fn begin(&mut self) -> Result<(), StoreError> {
        let found: Option<(i64, i64)> =
            sqlx::query_as("BEGIN IMMEDIATE; SELECT epoch, commit_number FROM server")
                .fetch_optional(&mut self.connection)
                .await
                .map_err(store_error_of)?;
        check_epoch(self.epoch, found.map(|(epoch, _)| epoch))?;
        self.number = found.map_or(0, |(_, number)| number) + 1;
        let raised = sqlx::query("UPDATE server SET commit_number = $1").bind(self.number);
        raised.execute(&mut self.connection).await.map_err(store_error_of)?;
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut self.connection).await.map_err(store_error_of)?;
        self.newest = CommitMark::numbered(self.number);
        Ok(())
    }

    async fn load_journal(&mut self) -> Result<(), StoreError> {
        self.begin().await?;
        let loaded = LoadedJournal::read::<Sqlite>(&mut self.connection).await?;
        self.events.write_parts(&mut self.connection, &loaded.parts, self.epoch).await?;
        loaded.remove_rows::<Sqlite>(&mut self.connection).await?;
        self.journal = loaded.journal;
        self.commit().await
    }
}
