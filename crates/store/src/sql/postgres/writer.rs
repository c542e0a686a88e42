//! The one connection that writes.

use super::journal::{check_epoch, write_events};
use super::{lock, matches, store_error_of};
use crate::sql::batch::{MatchChanges, unknown_matches};
use crate::sql::journal::{Journal, JournalWrite};
use crate::sql::journal_loading::LoadedJournal;
use crate::sql::matches::existing_matches;
use crate::sql::prune::prune_records;
use crate::sql::tournaments::write_tournaments;
use crate::sql::transcripts::write_transcripts;
use crate::sql::versions::write_seat_versions;
use crate::{Change, StoreError};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection, Postgres};

/// Writes to the tables, and knows what is in them of the matches that are not over. It holds the lock of the database.
/// After any failure it is dropped, and the next one reads that again.
#[derive(Debug)]
pub(super) struct PostgresWriter {
    connection: PgConnection,
    /// The number of this server.
    epoch: i64,
    journal: Journal,
}

impl PostgresWriter {
    /// Reads what is there, by a connection that has the lock of the database.
    pub(super) async fn load(mut connection: PgConnection, epoch: i64) -> Result<Self, StoreError> {
        lock::set_session_name(&mut connection, epoch).await?;
        sqlx::query("BEGIN").execute(&mut connection).await.map_err(store_error_of)?;
        check_epoch(&mut connection, epoch).await?;
        let mut loaded = LoadedJournal::read::<Postgres>(&mut connection).await?;
        let settled = JournalWrite { parts: std::mem::take(&mut loaded.parts), ..JournalWrite::default() };
        write_events(&mut connection, &settled, epoch).await?;
        loaded.remove_rows::<Postgres>(&mut connection).await?;
        sqlx::query("COMMIT").execute(&mut connection).await.map_err(store_error_of)?;
        Ok(Self { connection, epoch, journal: loaded.journal })
    }

    /// Connects again, and takes the lock again.
    pub(super) async fn reconnect(
        options: &PgConnectOptions,
        epoch: i64,
    ) -> Result<PgConnection, StoreError> {
        let mut connection = options.connect().await.map_err(store_error_of)?;
        check_epoch(&mut connection, epoch).await?;
        lock::retake_lock(&mut connection, epoch).await?;
        Ok(connection)
    }

    /// Checks that the database still belongs to this server.
    pub(super) async fn check_epoch(&mut self) -> Result<(), StoreError> {
        check_epoch(&mut self.connection, self.epoch).await
    }

    /// Writes changes in one transaction.
    pub(super) async fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let connection = &mut self.connection;
        let unknown = unknown_matches(changes, &self.journal);
        // Nothing has to be read first where only matches go on that are known.
        let goes_on =
            unknown.is_empty() && changes.iter().all(|change| matches!(change, Change::MatchEvents { .. }));
        let over = existing_matches::<Postgres>(connection, &unknown).await?;
        let mut batch = MatchChanges::sort_changes(changes, &mut self.journal, &over)?;
        let next_row = self.journal.next_row();
        let events = self.journal.plan_write(&batch.touched, std::mem::take(&mut batch.closed))?;
        // Another server raises the epoch only when it has the lock, which this session holds: nothing can come between.
        if goes_on && batch.ended.is_empty() {
            return write_events(connection, &events, self.epoch).await;
        }
        sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
        check_epoch(connection, self.epoch).await?;
        write_tournaments::<Postgres>(connection, changes).await?;
        matches::void_matches(connection, &batch.voided).await?;
        matches::create_matches(connection, &batch.matches, next_row).await?;
        write_seat_versions::<Postgres>(connection, changes).await?;
        write_events(connection, &events, self.epoch).await?;
        matches::end_matches(connection, &batch.ended).await?;
        matches::seal_matches(connection, &batch.sealed).await?;
        matches::quarantine_matches(connection, &batch.quarantined).await?;
        write_transcripts::<Postgres>(connection, changes).await?;
        prune_records::<Postgres>(connection, changes).await?;
        sqlx::query("COMMIT").execute(connection).await.map_err(store_error_of)?;
        Ok(())
    }
}
