//! Checks the pages of an open database in the background.

use super::store_error_of;
use crate::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// The time limit for checking one table. During such a check, the write-ahead log cannot be reset, so it grows.
const MAX_TABLE_CHECK_TIME: Duration = Duration::from_secs(30);
/// How many steps SQLite's virtual machine runs between two checks of the time limit.
const STEPS_PER_TIME_CHECK: i32 = 10_000;
/// The pause after each table, as a multiple of the time that its check took.
const PAUSE_RATIO: u32 = 9;

/// A repeating background check of the database. It ends when this value is dropped.
#[derive(Debug)]
pub(super) struct IntegrityCheck {
    task: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
    found: Arc<OnceLock<StoreError>>,
}

impl IntegrityCheck {
    /// Starts the check. The first run begins after the time `first`, and each further run begins when the time `every`
    /// has passed since the previous one ended. The options must be those of a read-only connection.
    pub(super) fn start(options: SqliteConnectOptions, first: Duration, every: Duration) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let found = Arc::new(OnceLock::new());
        let pass = IntegrityPass { options, is_over: Arc::clone(&is_over) };
        let task = tokio::spawn(check_repeatedly(pass, first, every, Arc::clone(&found)));
        Self { task, is_over, found }
    }

    /// Fails if the database was found corrupt.
    pub(super) fn check_result(&self) -> Result<(), StoreError> {
        self.found.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    pub(super) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}

impl Drop for IntegrityCheck {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn check_repeatedly(
    pass: IntegrityPass,
    first: Duration,
    every: Duration,
    found: Arc<OnceLock<StoreError>>,
) {
    tokio::time::sleep(first).await;
    loop {
        let began = Instant::now();
        match pass.check_all_tables().await {
            Ok(tables) => {
                tracing::debug!(tables, took = ?began.elapsed(), "the pages of the database are intact");
            }
            Err(error @ StoreError::Corrupt(_)) => {
                // This cannot fail: the task sets the value only once, right before it ends.
                let _ = found.set(error);
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "the database's pages could not be checked: the check will be repeated later");
            }
        }
        tokio::time::sleep(every).await;
    }
}

#[derive(Debug)]
struct IntegrityPass {
    options: SqliteConnectOptions,
    is_over: Arc<AtomicBool>,
}

impl IntegrityPass {
    /// Checks every table, and returns the number of tables.
    async fn check_all_tables(&self) -> Result<usize, StoreError> {
        let mut connection = self.options.connect().await.map_err(store_error_of)?;
        let looked = self.check_tables_with(&mut connection).await;
        // The connection was only used for reading, so a failure to close it does no harm.
        let _ = connection.close().await;
        looked
    }

    async fn check_tables_with(&self, connection: &mut SqliteConnection) -> Result<usize, StoreError> {
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .fetch_all(&mut *connection)
                .await
                .map_err(store_error_of)?;
        for table in &tables {
            let began = Instant::now();
            let is_over = Arc::clone(&self.is_over);
            let goes_on = move || !is_over.load(Ordering::Relaxed) && began.elapsed() < MAX_TABLE_CHECK_TIME;
            connection
                .lock_handle()
                .await
                .map_err(store_error_of)?
                .set_progress_handler(STEPS_PER_TIME_CHECK, goes_on);
            // Table names come from SQLite or lastnim; quotes are doubled to be safe.
            let look = format!("PRAGMA quick_check('{}')", table.replace('\'', "''"));
            let found: Result<Vec<String>, _> =
                sqlx::query_scalar(AssertSqlSafe(look)).fetch_all(&mut *connection).await;
            match found.map_err(store_error_of) {
                Ok(found) if found == ["ok"] => {}
                Ok(found) => {
                    return Err(StoreError::Corrupt(format!("table {table}: {}", found.join("; "))));
                }
                Err(StoreError::Unavailable(_)) if began.elapsed() >= MAX_TABLE_CHECK_TIME => {
                    tracing::warn!(table, within = ?MAX_TABLE_CHECK_TIME, "a table was not checked completely: it is too large for the time limit");
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(began.elapsed() * PAUSE_RATIO).await;
        }
        Ok(tables.len())
    }
}
