//! Where the store of a test is.

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

/// A folder that is gone when the test is.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Makes one.
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("lastnim-store-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where the store of a test is, and what drives it.
pub struct Place {
    /// The store's name.
    pub url: StoreUrl,
    text: String,
    runtime: Runtime,
}

/// A connection past the store, as another client has it.
pub enum Client {
    /// To a file of SQLite.
    Sqlite(SqliteConnection),
    /// To a database of PostgreSQL.
    Postgres(PgConnection),
}

impl Client {
    /// Writes bytes as this database reads them in a statement.
    pub fn literal(&self, bytes: &[u8]) -> String {
        let mut digits = String::new();
        for byte in bytes {
            write!(digits, "{byte:02x}").expect("a text takes all that is written");
        }
        match self {
            Self::Sqlite(_) => format!("x'{digits}'"),
            Self::Postgres(_) => format!("'\\x{digits}'::bytea"),
        }
    }
}

impl Place {
    /// Names a place.
    pub fn new(text: &str) -> Self {
        Self { url: text.parse().unwrap(), text: text.to_owned(), runtime: Runtime::new().unwrap() }
    }

    /// Drives a future to its end.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Opens the store.
    pub fn open(&self) -> Arc<dyn Store> {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            match self.try_open() {
                // A process that another test is just starting has all open files for a moment, and with them their locks.
                Err(StoreError::Taken(_)) if Instant::now() < until => std::thread::yield_now(),
                opened => return opened.unwrap(),
            }
        }
    }

    /// Tries to open the store.
    pub fn try_open(&self) -> Result<Arc<dyn Store>, StoreError> {
        self.run(open_store(&self.url, RetentionLimits::default()))
    }

    /// Writes changes.
    pub fn write(&self, store: &Arc<dyn Store>, changes: &[Change]) {
        self.run(store.write(changes)).unwrap();
    }

    /// Connects past the store.
    pub fn client(&self) -> Client {
        self.run(async {
            match &self.url {
                StoreUrl::Memory => panic!("memory has no other clients"),
                StoreUrl::Sqlite(_) => Client::Sqlite(SqliteConnection::connect(&self.text).await.unwrap()),
                StoreUrl::Postgres(_) => Client::Postgres(PgConnection::connect(&self.text).await.unwrap()),
            }
        })
    }

    /// Runs statements past the store; returns how many rows they changed.
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

    /// Asks for bytes past the store.
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

    /// Asks for a number past the store.
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
