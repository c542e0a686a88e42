//! Looks through the pages of an open database in the background.

use super::store_error_of;
use crate::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How long one table may be looked through: meanwhile the write-ahead log cannot begin anew, and grows.
const LONGEST_LOOK: Duration = Duration::from_secs(30);
/// Steps of SQLite between two looks at the clock.
const STEPS: i32 = 10_000;
/// The part of the time in which it looks at most: after each table it pauses so many times as long as that took.
const PAUSES: u32 = 9;

/// A task that looks through the database again and again. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct IntegrityCheck {
    task: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
    found: Arc<OnceLock<StoreError>>,
}

impl IntegrityCheck {
    /// Begins to look, `every` so often, the first time after `first`. The options are of a connection that only reads.
    pub(super) fn start(options: SqliteConnectOptions, first: Duration, every: Duration) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let found = Arc::new(OnceLock::new());
        let pass = IntegrityPass { options, is_over: Arc::clone(&is_over) };
        let task = tokio::spawn(check_repeatedly(pass, first, every, Arc::clone(&found)));
        Self { task, is_over, found }
    }

    /// Fails if a look has found the database corrupt.
    pub(super) fn check_result(&self) -> Result<(), StoreError> {
        self.found.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Ends it.
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
            Ok(tables) => tracing::debug!(tables, took = ?began.elapsed(), "the database is intact"),
            Err(error @ StoreError::Corrupt(_)) => {
                // Only the first one is kept, and this is it.
                let _ = found.set(error);
                return;
            }
            Err(error) => tracing::warn!(%error, "the pages of the database could not be checked"),
        }
        tokio::time::sleep(every).await;
    }
}

/// What a look needs.
#[derive(Debug)]
struct IntegrityPass {
    options: SqliteConnectOptions,
    is_over: Arc<AtomicBool>,
}

impl IntegrityPass {
    /// Looks through every table, and returns how many there are.
    async fn check_all_tables(&self) -> Result<usize, StoreError> {
        let mut connection = self.options.connect().await.map_err(store_error_of)?;
        let looked = self.check_tables_by(&mut connection).await;
        // It only read: whether it ends well is of no account.
        let _ = connection.close().await;
        looked
    }

    async fn check_tables_by(&self, connection: &mut SqliteConnection) -> Result<usize, StoreError> {
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .fetch_all(&mut *connection)
                .await
                .map_err(store_error_of)?;
        for table in &tables {
            let began = Instant::now();
            let is_over = Arc::clone(&self.is_over);
            let goes_on = move || !is_over.load(Ordering::Relaxed) && began.elapsed() < LONGEST_LOOK;
            connection.lock_handle().await.map_err(store_error_of)?.set_progress_handler(STEPS, goes_on);
            // A name of SQLite's own making or of lastnim's: a quote in it would be doubled.
            let look = format!("PRAGMA quick_check('{}')", table.replace('\'', "''"));
            let found: Result<Vec<String>, _> =
                sqlx::query_scalar(AssertSqlSafe(look)).fetch_all(&mut *connection).await;
            match found.map_err(store_error_of) {
                Ok(found) if found == ["ok"] => {}
                Ok(found) => {
                    return Err(StoreError::Corrupt(format!("table {table}: {}", found.join("; "))));
                }
                Err(StoreError::Unavailable(_)) if began.elapsed() >= LONGEST_LOOK => {
                    tracing::warn!(table, within = ?LONGEST_LOOK, "a table is too large to be checked whole");
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(began.elapsed() * PAUSES).await;
        }
        Ok(tables.len())
    }
}
