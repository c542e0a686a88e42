//! The store in a PostgreSQL database.

mod commits;
mod db_error;
mod journal;
mod lock;
mod multi_row;
mod schema;
mod session;
mod waiting;
mod writer;

use super::backend::WriteBackend;
use super::dialect::{Dialect, ID_LIST, SqlValue, Translations};
use super::multi_row::ColumnValues;
use super::read_only::ReadOnlyBackend;
use super::schema::check_readable;
use super::sql_store::{SqlStore, within_deadline};
use crate::{Change, Store, StoreError, StoreReader, StoreUrl};
use async_trait::async_trait;
use commits::Commits;
use db_error::store_error_of;
use session::{apply_settings, check_own_session, plain_options, read_timeline};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::{Arguments as _, ConnectOptions, PgConnection, Postgres, SqlStr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio_stream::Stream;
pub(crate) use waiting::wait_for_postgres;
use writer::{LockedSession, PostgresWriter};

/// The time limit for connecting and taking the lock.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit of a write transaction, and of the reads before the first one. After this time, it is unknown whether
/// the transaction was committed. A slow disk may need many seconds for a commit, and a short limit would make the
/// server restart that commit again and again.
const TRANSACTION_TIMEOUT: Duration = Duration::from_mins(1);
/// The time limit of a read, including the wait for a connection.
const READ_TIME_LIMIT: Duration = Duration::from_secs(10);
/// The maximum number of concurrent readers.
const MAX_READERS: u32 = 8;
/// How long a reader waits for a connection.
const READER_TIMEOUT: Duration = Duration::from_secs(5);

/// All statements, rewritten to suit PostgreSQL's planner.
static TRANSLATIONS: LazyLock<Translations> = LazyLock::new(Translations::default);

#[derive(Debug)]
pub(super) struct PostgresBackend {
    options: PgConnectOptions,
    commits: Arc<Commits>,
    /// `None` after a failure. The next call then creates a new writer, which reads the tables again.
    writer: Mutex<Option<PostgresWriter>>,
}

/// Opens a database and takes its lock for this server.
pub(crate) async fn open_postgres(url: &StoreUrl, holder: &str) -> Result<Arc<dyn Store>, StoreError> {
    let options = plain_options(url)?;
    let session = within_deadline(CONNECT_TIMEOUT, async {
        let mut connection = options.connect().await.map_err(|error| db_error::open_error_of(url, error))?;
        let pid = check_own_session(&mut connection, &options).await?;
        apply_settings(&mut connection, &[]).await?;
        lock::take_lock(&mut connection, pid, url).await?;
        Ok(LockedSession { connection, pid })
    });
    let mut session = session.await?;
    let (writer, commits) = within_deadline(TRANSACTION_TIMEOUT, async {
        let row = schema::create_and_claim_schema(&mut session.connection, url, holder).await?;
        let commits = Arc::new(Commits::new(row, read_timeline(&mut session.connection).await?));
        Ok((PostgresWriter::load(session, Arc::clone(&commits)).await?, commits))
    })
    .await?;
    let known = Arc::clone(&commits);
    let readers = PgPoolOptions::new()
        .max_connections(MAX_READERS)
        .acquire_timeout(READER_TIMEOUT)
        .after_connect(move |connection, _| {
            let known = Arc::clone(&known);
            Box::pin(async move {
                let prepared = prepare_reader(connection, &known).await;
                prepared.map_err(|error| sqlx::Error::Configuration(error.into()))
            })
        })
        .connect_lazy_with(options.clone());
    let backend = PostgresBackend { options, commits, writer: Mutex::new(Some(writer)) };
    Ok(Arc::new(SqlStore::new(backend, readers)))
}

/// Prepares a reading connection. Refuses a connection to a replica, or to a database that lost commits.
async fn prepare_reader(connection: &mut PgConnection, commits: &Commits) -> Result<(), StoreError> {
    let confirmed = commits.confirmed();
    apply_settings(connection, &[("statement_timeout", &READ_TIME_LIMIT.as_millis().to_string())]).await?;
    let (is_replica, epoch, commit): (bool, i64, i64) =
        sqlx::query_as("SELECT pg_is_in_recovery(), epoch, commit_number FROM server")
            .fetch_one(connection)
            .await
            .map_err(store_error_of)?;
    if is_replica || epoch != commits.epoch() || commit < confirmed {
        return Err(StoreError::Unavailable(
            "a connection leads to a replica, or to a database other than the one that this server writes to"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Opens a database for reading only, even while a server has it open.
pub(crate) async fn open_postgres_for_reading(url: &StoreUrl) -> Result<Arc<dyn StoreReader>, StoreError> {
    let options = plain_options(url)?;
    within_deadline(CONNECT_TIMEOUT, async {
        let mut connection = options.connect().await.map_err(|error| db_error::open_error_of(url, error))?;
        // This check comes first, because in a shared session the settings would also apply to other clients.
        check_own_session(&mut connection, &options).await?;
        check_readable(schema::table_version(&mut connection, url).await?)
    })
    .await?;
    let readers = PgPoolOptions::new()
        .max_connections(1)
        .after_connect(|connection, _| {
            Box::pin(async move {
                let applied = apply_settings(connection, &[("default_transaction_read_only", "on")]).await;
                applied.map_err(|error| sqlx::Error::Configuration(error.into()))
            })
        })
        .connect_lazy_with(options);
    Ok(Arc::new(SqlStore::new(ReadOnlyBackend, readers)))
}

impl Dialect for Postgres {
    const BEGIN_SNAPSHOT: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    const CHECK_PAGES: Option<&'static str> = None;
    const SIZE: &'static str =
        "SELECT pg_database_size(current_database()) AS bytes, 0::bigint AS free_bytes";
    const READ_TIMEOUT: Option<Duration> = Some(READ_TIME_LIMIT);

    fn translate(text: &'static str) -> SqlStr {
        // The planner assumes that `json_each` returns a hundred rows, and would scan the whole table. With an array,
        // it uses the index.
        let array_condition = "= ANY (ARRAY(SELECT key::uuid FROM json_each($1::json)))";
        TRANSLATIONS.get_or_translate(text, 0, || text.replace(ID_LIST, array_condition))
    }

    fn is_foreign_schema(error: &sqlx::Error) -> bool {
        db_error::is_foreign_schema_error(error)
    }

    fn store_error(error: sqlx::Error) -> StoreError {
        store_error_of(error)
    }

    fn bind<'v>(values: &mut PgArguments, value: impl SqlValue<'v>) -> Result<(), BoxDynError> {
        values.add(value)
    }

    fn fetch(
        connection: &mut PgConnection,
        statement: SqlStr,
        values: PgArguments,
    ) -> impl Stream<Item = Result<PgRow, sqlx::Error>> + Send + Unpin {
        sqlx::query_with(statement, values).fetch(connection)
    }

    fn write_rows(
        connection: &mut PgConnection,
        text: &'static str,
        columns: Vec<ColumnValues>,
        _rows: usize,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        multi_row::write_rows(connection, text, columns)
    }
}

impl PostgresBackend {
    /// Takes the writer out of its slot, or connects a new one, which reads the tables again.
    async fn take_writer(&self, slot: &mut Option<PostgresWriter>) -> Result<PostgresWriter, StoreError> {
        if let Some(writer) = slot.take() {
            return Ok(writer);
        }
        let connecting = PostgresWriter::reconnect(&self.options, &self.commits);
        let session = within_deadline(CONNECT_TIMEOUT, connecting).await?;
        within_deadline(TRANSACTION_TIMEOUT, PostgresWriter::load(session, Arc::clone(&self.commits))).await
    }
}

#[async_trait]
impl WriteBackend for PostgresBackend {
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut slot = self.writer.lock().await;
        // If this is cancelled or fails, the writer is dropped, since it may be in the middle of a transaction.
        let mut writer = self.take_writer(&mut slot).await?;
        within_deadline(TRANSACTION_TIMEOUT, writer.write(changes)).await?;
        *slot = Some(writer);
        Ok(())
    }

    async fn check(&self) -> Result<(), StoreError> {
        // If a write is in progress, that write checks the epoch itself.
        let Ok(mut slot) = self.writer.try_lock() else { return Ok(()) };
        let mut writer = self.take_writer(&mut slot).await?;
        within_deadline(CONNECT_TIMEOUT, writer.check_ownership()).await?;
        *slot = Some(writer);
        Ok(())
    }

    fn time_since_confirmed(&self) -> Option<Duration> {
        Some(self.commits.time_since_confirmed())
    }

    async fn set_holder_description(&self, holder: &str) -> Result<(), StoreError> {
        let mut slot = self.writer.lock().await;
        let mut writer = self.take_writer(&mut slot).await?;
        within_deadline(CONNECT_TIMEOUT, writer.set_holder_description(holder)).await?;
        *slot = Some(writer);
        Ok(())
    }

    async fn standby_servers(&self) -> Result<Vec<String>, StoreError> {
        within_deadline(CONNECT_TIMEOUT, async {
            let mut connection = self.options.connect().await.map_err(store_error_of)?;
            waiting::find_waiting_servers(&mut connection).await
        })
        .await
    }

    async fn close(&self) {
        drop(self.writer.lock().await.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn lists_of_ids_become_arrays_in_postgres() {
        let statement =
            "SELECT bot FROM entrants WHERE tournament_id IN (SELECT key::uuid FROM json_each($1::json))";
        let translated = Postgres::translate(statement);
        let expected = "SELECT bot FROM entrants WHERE tournament_id = ANY (ARRAY(SELECT key::uuid FROM json_each($1::json)))";
        assert_eq!(translated.as_str(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_database_times_out() {
        let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("postgres://me@{}/db", deaf.local_addr().unwrap()).parse().unwrap();
        let opening = tokio::time::timeout(CONNECT_TIMEOUT * 2, open_postgres(&url, "{}"));
        let Ok(Err(StoreError::Unavailable(why))) = opening.await else { panic!() };
        assert!(why.contains("10 seconds"), "{why}");
    }
}
