//! Opens a store by its URL.

use super::sql::{
    copy_database, open_postgres, open_postgres_for_reading, open_sqlite, open_sqlite_for_reading,
    wait_for_postgres,
};
use super::{MemoryStore, RetentionLimits, Store, StoreError, StoreReader, StoreUrl};
use futures_core::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Options for opening a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// The limits on the data that an in-memory store keeps.
    pub retention: RetentionLimits,
    /// Accepts a SQLite database even if the id file next to it names a different database, and creates a new database
    /// even if the one that the id file names is missing.
    pub accept_other: bool,
    /// Accepts a SQLite database that was not closed and whose write-ahead log is missing, although its newest changes
    /// may be lost.
    pub accept_lost_wal: bool,
    /// How often the pages of a SQLite database are checked in the background.
    pub integrity_interval: Duration,
    /// This server's description of itself, as a JSON object. Servers that wait for the same PostgreSQL database read
    /// it.
    pub holder: String,
}

/// The server that has a PostgreSQL database open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseHolder {
    /// The server's [description](OpenOptions::holder) of itself; empty until the server has created the tables.
    pub description: String,
    /// The address from which the server is connected to the database.
    pub host: String,
    /// For how long this server has seen no query from it; a live server sends one at least every second. `None` if
    /// this server's database user has no right to see that.
    pub silent_for: Option<Duration>,
    /// The number of the newest commit.
    pub commit: u64,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            retention: RetentionLimits::default(),
            accept_other: false,
            accept_lost_wal: false,
            integrity_interval: Duration::from_mins(15),
            holder: "{}".to_owned(),
        }
    }
}

/// Opens a store, and creates its database and tables if they are missing. The database belongs to this server until
/// the store is dropped.
///
/// The functions of this module return boxed futures, because each crate that awaits an `async` function compiles that
/// function again.
///
/// # Errors
/// [`StoreError::Unusable`] if the database cannot be opened, or is not the one that belongs there;
/// [`StoreError::OtherVersion`] if the tables were created by another version of the program; [`StoreError::Taken`] if
/// another server has the database open; and [`StoreError::Unavailable`] if a retry may succeed.
pub fn open_store_with<'a>(
    url: &'a StoreUrl,
    options: &'a OpenOptions,
) -> BoxFuture<'a, Result<Arc<dyn Store>, StoreError>> {
    Box::pin(async move {
        let store: Arc<dyn Store> = match url {
            StoreUrl::Memory => Arc::new(MemoryStore::new(options.retention)),
            StoreUrl::Sqlite(path) => open_sqlite(path, options).await?,
            StoreUrl::Postgres(_) => open_postgres(url, &options.holder).await?,
        };
        Ok(store)
    })
}

/// Waits until no live server has a PostgreSQL database open. Ends the session of a server that has sent no query for
/// `max_silence`. Calls `note_holder` with what it finds, several times a second. Returns the number of the database's
/// newest commit. If it is lower than one that `note_holder` got, the database lost commits. While this waits,
/// [`Store::standby_servers`] of the other server includes `own_name`.
///
/// Another server may open the database before the caller does: [`open_store_with`] then fails with
/// [`StoreError::Taken`].
///
/// # Errors
/// [`StoreError::Unusable`] if the store is not in PostgreSQL, [`StoreError::Unavailable`] if a retry may succeed, and the
/// errors of `note_holder`.
pub fn wait_for_database<'a>(
    url: &'a StoreUrl,
    own_name: &'a str,
    max_silence: Duration,
    note_holder: &'a mut (dyn FnMut(&DatabaseHolder) -> Result<(), StoreError> + Send),
) -> BoxFuture<'a, Result<u64, StoreError>> {
    Box::pin(wait_for_postgres(url, own_name, max_silence, note_holder))
}

/// Opens a store as [`open_store_with`] does, with the given memory limits and defaults for all other options.
///
/// # Errors
/// The same as for [`open_store_with`].
pub async fn open_store(url: &StoreUrl, retention: RetentionLimits) -> Result<Arc<dyn Store>, StoreError> {
    open_store_with(url, &OpenOptions { retention, ..OpenOptions::default() }).await
}

/// Opens a store for reading only, even while a server uses it.
///
/// # Errors
/// [`StoreError::Unusable`] if there is nothing to read. The other errors are the same as for [`open_store_with`].
pub fn open_reader(url: &StoreUrl) -> BoxFuture<'_, Result<Arc<dyn StoreReader>, StoreError>> {
    open_reader_with(url, false)
}

/// Opens a store as [`open_reader`] does. If `accept_lost_wal` is set, accepts a SQLite database that was not closed
/// and whose write-ahead log is missing.
///
/// # Errors
/// The same as for [`open_reader`].
pub fn open_reader_with(
    url: &StoreUrl,
    accept_lost_wal: bool,
) -> BoxFuture<'_, Result<Arc<dyn StoreReader>, StoreError>> {
    Box::pin(async move {
        match url {
            StoreUrl::Memory => {
                Err(StoreError::Unusable("a store in memory can only be used by its server".to_owned()))
            }
            StoreUrl::Sqlite(path) => open_sqlite_for_reading(path, accept_lost_wal).await,
            StoreUrl::Postgres(_) => open_postgres_for_reading(url).await,
        }
    })
}

/// Copies a SQLite database into an empty file, even while a server writes to the database.
///
/// # Errors
/// If the database cannot be read or the copy cannot be written.
pub fn back_up<'a>(database: &'a Path, copy: &'a Path) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(copy_database(database, copy))
}
