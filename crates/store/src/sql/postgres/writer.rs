//! The one connection that writes.

use super::journal::{check_ownership, write_events};
use super::{lock, matches, store_error_of};
use crate::sql::backend::WriteOutcome;
use crate::sql::batch::{MatchChanges, unknown_matches};
use crate::sql::journal::{Journal, JournalWrite};
use crate::sql::journal_loading::LoadedJournal;
use crate::sql::matches::existing_matches;
use crate::sql::ownership::{Ownership, OwnershipCheck};
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
    own: Ownership,
    journal: Journal,
}

impl PostgresWriter {
    /// Reads what is there, by a connection that has the lock of the database.
    pub(super) async fn load(mut connection: PgConnection, epoch: i64) -> Result<Self, StoreError> {
        lock::set_session_name(&mut connection, epoch).await?;
        sqlx::query("BEGIN").execute(&mut connection).await.map_err(store_error_of)?;
        // Nobody can claim anything before the end; what was claimed before is read now.
        let _ = check_ownership(&mut connection, &Ownership::unknown(epoch)).await?;
        let own = Ownership::read::<Postgres>(&mut connection, epoch).await?;
        let mut loaded = LoadedJournal::read::<Postgres>(&mut connection).await?;
        let settled = JournalWrite { parts: std::mem::take(&mut loaded.parts), ..JournalWrite::default() };
        let _ = write_events(&mut connection, &settled, &own).await?;
        loaded.remove_rows::<Postgres>(&mut connection).await?;
        sqlx::query("COMMIT").execute(&mut connection).await.map_err(store_error_of)?;
        Ok(Self { connection, own, journal: loaded.journal })
    }

    /// Undoes what was begun, and reads again what is there. The lock is held all the time.
    pub(super) async fn reload(mut self) -> Result<Self, StoreError> {
        sqlx::query("ROLLBACK").execute(&mut self.connection).await.map_err(store_error_of)?;
        Self::load(self.connection, self.own.epoch).await
    }

    /// Connects again, and takes the lock again.
    pub(super) async fn reconnect(
        options: &PgConnectOptions,
        epoch: i64,
    ) -> Result<PgConnection, StoreError> {
        let mut connection = options.connect().await.map_err(store_error_of)?;
        let _ = check_ownership(&mut connection, &Ownership::unknown(epoch)).await?;
        lock::retake_lock(&mut connection, epoch).await?;
        Ok(connection)
    }

    /// Checks that the database still belongs to this server.
    pub(super) async fn check_owner(&mut self) -> Result<(), StoreError> {
        // What was taken of it is read before the next write.
        let _ = check_ownership(&mut self.connection, &self.own).await?;
        Ok(())
    }

    /// Writes changes in one transaction.
    pub(super) async fn write(&mut self, changes: &[Change]) -> Result<WriteOutcome, StoreError> {
        let connection = &mut self.connection;
        self.own.check_changes::<Postgres>(connection, changes).await?;
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
            return Ok(match write_events(connection, &events, &self.own).await? {
                OwnershipCheck::UpToDate => WriteOutcome::Written,
                OwnershipCheck::ClaimsChanged => WriteOutcome::ClaimsChanged,
            });
        }
        sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
        if check_ownership(connection, &self.own).await? == OwnershipCheck::ClaimsChanged {
            return Ok(WriteOutcome::ClaimsChanged);
        }
        write_tournaments::<Postgres>(connection, changes, self.own.epoch).await?;
        matches::void_matches(connection, &batch.voided).await?;
        matches::create_matches(connection, &batch.matches, next_row, self.own.epoch).await?;
        write_seat_versions::<Postgres>(connection, changes).await?;
        // It was checked, and nobody can claim anything before the end.
        let _ = write_events(connection, &events, &self.own).await?;
        matches::end_matches(connection, &batch.ended).await?;
        matches::seal_matches(connection, &batch.sealed).await?;
        matches::quarantine_matches(connection, &batch.quarantined).await?;
        write_transcripts::<Postgres>(connection, changes).await?;
        prune_records::<Postgres>(connection, changes).await?;
        sqlx::query("COMMIT").execute(connection).await.map_err(store_error_of)?;
        Ok(WriteOutcome::Written)
    }
}
