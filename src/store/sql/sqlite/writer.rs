//! The one connection that writes.

use super::events::{EventLog, OpenMatchRow, OpenMatchRows};
use super::files::{OpenedFile, OpenedFiles};
use super::matches::MatchTables;
use super::store_error_of;
use crate::store::sql::batch::{KnownProgress, MatchChanges, unknown_matches};
use crate::store::sql::epoch::check_own_epoch;
use crate::store::sql::matches::existing_matches;
use crate::store::sql::prune::prune_records;
use crate::store::sql::tournaments::write_tournaments;
use crate::store::sql::versions::write_seat_versions;
use crate::store::{Change, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Sqlite, SqliteConnection};

/// Writes to the tables, and knows what is in them of the matches that are not over. After any failure it is closed, and
/// the next one reads that again.
#[derive(Debug)]
pub(super) struct SqliteWriter {
    connection: SqliteConnection,
    /// None until they have been made.
    files: Option<OpenedFiles>,
    epoch: i64,
    known: KnownProgress,
    /// The same matches and their events.
    open: OpenMatchRows,
    /// The key of the match to come.
    next_key: i64,
    /// The id of the event to come.
    next_event: i64,
    matches: MatchTables,
    log: EventLog,
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
            known: KnownProgress::new(),
            open: OpenMatchRows::new(),
            next_key: 0,
            next_event: 0,
            matches: MatchTables::default(),
            log: EventLog::default(),
        };
        let noted = writer.load_open_matches().await.and_then(|()| OpenedFiles::of_database(file));
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
        self.begin().await?;
        let over =
            existing_matches::<Sqlite>(&mut self.connection, &unknown_matches(changes, &self.known)).await?;
        let batch = MatchChanges::sort_changes(changes, &mut self.known, &over)?;
        write_tournaments::<Sqlite>(&mut self.connection, changes).await?;
        for new in &batch.matches {
            self.open.insert(new.id, OpenMatchRow { key: self.next_key, events: Vec::new() });
            self.next_key += 1;
        }
        self.matches
            .create_matches(&mut self.connection, &batch.matches, &self.open, self.next_event)
            .await?;
        write_seat_versions::<Sqlite>(&mut self.connection, changes).await?;
        let runs = &batch.runs;
        self.next_event =
            self.log.append_events(&mut self.connection, runs, &mut self.open, self.next_event).await?;
        self.matches.end_matches(&mut self.connection, &batch.ended, &self.open).await?;
        self.matches.seal_matches(&mut self.connection, &batch.sealed).await?;
        self.matches.quarantine_matches(&mut self.connection, &batch.quarantined, &self.open).await?;
        prune_records::<Sqlite>(&mut self.connection, changes).await?;
        let over = batch.ended.iter().map(|ended| ended.id);
        for id in over.chain(batch.quarantined.iter().map(|found| found.id)) {
            self.open.remove(&id);
        }
        self.commit().await?;
        // What went to a file that nobody will find again is not announced.
        self.check_files()
    }

    async fn begin(&mut self) -> Result<(), StoreError> {
        let found = sqlx::query_scalar("BEGIN IMMEDIATE; SELECT epoch FROM server")
            .fetch_optional(&mut self.connection)
            .await;
        check_own_epoch(found.map_err(store_error_of)?, self.epoch)
    }

    async fn commit(&mut self) -> Result<(), StoreError> {
        sqlx::query("COMMIT").execute(&mut self.connection).await.map_err(store_error_of)?;
        Ok(())
    }

    async fn load_open_matches(&mut self) -> Result<(), StoreError> {
        self.begin().await?;
        self.next_key = sqlx::query_scalar("SELECT coalesce(max(key), 0) + 1 FROM matches")
            .fetch_one(&mut self.connection)
            .await
            .map_err(store_error_of)?;
        let (mut unlisted, next_event) = EventLog::read_unlisted_ids(&mut self.connection).await?;
        self.next_event = next_event;
        (self.open, self.known) =
            self.matches.load_unfinished(&mut self.connection, &mut unlisted, next_event).await?;
        self.commit().await
    }
}
