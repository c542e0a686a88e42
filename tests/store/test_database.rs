//! The database of a test.

use lastnim_store::{Change, RetentionLimits, Store, StoreError, StoreUrl, open_store};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// A folder that is removed at the end of the test.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("lastnim-store-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A database for the store of a test, and a runtime.
pub struct TestDatabase {
    pub url: StoreUrl,
    text: String,
    runtime: Runtime,
}

/// A connection of another client.
pub enum Client {
    /// A SQLite file.
    Sqlite(SqliteConnection),
    /// A PostgreSQL database.
    Postgres(PgConnection),
}

impl Client {
    /// Returns bytes as a literal of this database.
    pub fn literal(&self, bytes: &[u8]) -> String {
        let mut digits = String::new();
        for byte in bytes {
            write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
        }
        match self {
            Self::Sqlite(_) => format!("x'{digits}'"),
            Self::Postgres(_) => format!("'\\x{digits}'::bytea"),
        }
    }
}

impl TestDatabase {
    /// Creates the database that a store URL names.
    pub fn new(text: &str) -> Self {
        Self { url: text.parse().unwrap(), text: text.to_owned(), runtime: Runtime::new().unwrap() }
    }

    /// Runs a future to its end.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    pub fn open(&self) -> Arc<dyn Store> {
        let until = Instant::now() + Duration::from_mins(5);
        loop {
            match self.try_open() {
                // A process that another test spawns inherits open files, and their locks, for a moment.
                Err(StoreError::Taken(_)) if Instant::now() < until => std::thread::yield_now(),
                opened => return opened.unwrap(),
            }
        }
    }

    pub fn try_open(&self) -> Result<Arc<dyn Store>, StoreError> {
        self.run(open_store(&self.url, RetentionLimits::default()))
    }

    pub fn write(&self, store: &Arc<dyn Store>, changes: &[Change]) {
        self.run(store.write(changes)).unwrap();
    }

    /// Connects as another client.
    pub fn client(&self) -> Client {
        self.run(async {
            match &self.url {
                StoreUrl::Memory => panic!("memory has no other clients"),
                StoreUrl::Sqlite(_) => Client::Sqlite(SqliteConnection::connect(&self.text).await.unwrap()),
                StoreUrl::Postgres(_) => Client::Postgres(PgConnection::connect(&self.text).await.unwrap()),
            }
        })
    }

    /// Runs statements as another client; returns the number of changed rows.
    pub fn execute(&self, client: &mut Client, statements: &str) -> u64 {
        self.run(async {
            match client {
                Client::Sqlite(connection) => sqlx::raw_sql(AssertSqlSafe(statements))
                    .execute(connection)
                    .await
                    .unwrap()
                    .rows_affected(),
                Client::Postgres(connection) => sqlx::raw_sql(AssertSqlSafe(statements))
                    .execute(connection)
                    .await
                    .unwrap()
                    .rows_affected(),
            }
        })
    }

    /// Queries bytes as another client.
    pub fn bytes(&self, client: &mut Client, query: &str) -> Vec<u8> {
        self.run(async {
            match client {
                Client::Sqlite(connection) => {
                    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
                }
                Client::Postgres(connection) => {
                    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
                }
            }
        })
    }

    /// Queries a number as another client.
    pub fn number(&self, client: &mut Client, query: &str) -> i64 {
        self.run(async {
            match client {
                Client::Sqlite(connection) => {
                    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
                }
                Client::Postgres(connection) => {
                    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
                }
            }
        })
    }
}
