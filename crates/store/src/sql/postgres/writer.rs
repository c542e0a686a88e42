//! The only writing connection.

use super::journal::{check_epoch, write_events};
use super::{lock, store_error_of};
use crate::sql::batch::WritePlan;
use crate::sql::journal::{Journal, JournalWrite};
use crate::sql::journal_loading::LoadedJournal;
use crate::{Change, StoreError};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection, Postgres};

/// Writes to the tables, and caches the state of unfinished matches. It holds the lock of the database. After a failure
/// it is dropped, and its successor reads that state again.
#[derive(Debug)]
pub(super) struct PostgresWriter {
    connection: PgConnection,
    /// This server's epoch.
    epoch: i64,
    journal: Journal,
}

impl PostgresWriter {
    /// Reads the tables over a connection that has the lock of the database.
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

    /// Reconnects and takes the lock again.
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
        let plan = WritePlan::new::<Postgres>(connection, &mut self.journal, changes).await?;
        // The epoch cannot change in between: raising it needs the lock, which this session holds.
        if plan.has_events_alone() {
            return write_events(connection, &plan.events, self.epoch).await;
        }
        sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
        check_epoch(connection, self.epoch).await?;
        write_events(connection, &plan.events, self.epoch).await?;
        plan.write_rest::<Postgres>(connection).await?;
        sqlx::query("COMMIT").execute(connection).await.map_err(store_error_of)?;
        Ok(())
    }
}
