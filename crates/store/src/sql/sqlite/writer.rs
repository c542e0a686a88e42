//! The one connection that writes.

use super::files::{OpenedFile, OpenedFiles};
use super::journal::JournalStatements;
use super::matches::MatchTables;
use super::store_error_of;
use crate::sql::batch::{MatchChanges, unknown_matches};
use crate::sql::epoch::check_epoch;
use crate::sql::journal::Journal;
use crate::sql::journal_loading::LoadedJournal;
use crate::sql::matches::existing_matches;
use crate::sql::prune::prune_records;
use crate::sql::tournaments::write_tournaments;
use crate::sql::transcripts::write_transcripts;
use crate::sql::versions::write_seat_versions;
use crate::{Change, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Sqlite, SqliteConnection};

/// Writes to the tables, and knows how far the matches have come in them that are not over. After any failure it is closed, and
/// the next one reads that again.
#[derive(Debug)]
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    /// None until they have been made.
    files: Option<OpenedFiles>,
    /// The number of this server.
    epoch: i64,
    journal: Journal,
    matches: MatchTables,
    events: JournalStatements,
}

impl SqliteWriter {
    /// Connects, and reads what is there.
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
            matches: MatchTables::default(),
            events: JournalStatements::default(),
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

    /// Disconnects; what is not committed is undone.
    pub(super) async fn close(self) {
        // It is of no more use, whether it ends well or not.
        let _ = self.connection.close().await;
    }

    /// Moves everything from the write-ahead log to the database itself, and disconnects: from now on its file is a copy.
    pub(super) async fn checkpoint_and_close(mut self) {
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut self.connection).await
        {
            tracing::warn!(%error, "part of the database is left in its write-ahead log: copy them together");
        }
        if self.check_files().is_ok() {
            self.close().await;
        } else {
            // SQLite would remove the log by its name, under which somebody else's may lie by now. The process ends soon.
            std::mem::forget(self);
        }
    }

    /// Checks that what is written goes to the files that lie under the database's names.
    pub(super) fn check_files(&mut self) -> Result<(), StoreError> {
        self.files.as_mut().map_or(Ok(()), OpenedFiles::check_unchanged)
    }

    /// Writes changes in one transaction.
    pub(super) async fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let unknown = unknown_matches(changes, &self.journal);
        // Nothing has to be read first where only matches go on that are known.
        let goes_on =
            unknown.is_empty() && changes.iter().all(|change| matches!(change, Change::MatchEvents { .. }));
        if !goes_on {
            self.begin().await?;
        }
        let over = existing_matches::<Sqlite>(&mut self.connection, &unknown).await?;
        let mut batch = MatchChanges::sort_changes(changes, &mut self.journal, &over)?;
        let next_row = self.journal.next_row();
        let events = self.journal.plan_write(&batch.touched, std::mem::take(&mut batch.closed))?;
        if goes_on && batch.ended.is_empty() && JournalStatements::fits_one_statement(&events) {
            self.events.write_alone(&mut self.connection, &events, self.epoch).await?;
            return self.check_files();
        }
        if goes_on {
            self.begin().await?;
        }
        write_tournaments::<Sqlite>(&mut self.connection, changes).await?;
        self.matches.void_matches(&mut self.connection, &batch.voided).await?;
        self.matches.create_matches(&mut self.connection, &batch.matches, next_row).await?;
        write_seat_versions::<Sqlite>(&mut self.connection, changes).await?;
        self.events.write(&mut self.connection, &events, self.epoch).await?;
        self.matches.end_matches(&mut self.connection, &batch.ended).await?;
        self.matches.seal_matches(&mut self.connection, &batch.sealed).await?;
        self.matches.quarantine_matches(&mut self.connection, &batch.quarantined).await?;
        write_transcripts::<Sqlite>(&mut self.connection, changes).await?;
        prune_records::<Sqlite>(&mut self.connection, changes).await?;
        self.commit().await?;
        // What went to a file that nobody will find again is not announced.
        self.check_files()
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        let found = sqlx::query_scalar("BEGIN IMMEDIATE; SELECT epoch FROM server")
            .fetch_optional(&mut self.connection)
            .await;
        check_epoch(self.epoch, found.map_err(store_error_of)?)
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut self.connection).await.map_err(store_error_of)?;
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
