//! Opens a store by its URL.

use super::sql::{
    copy_database, open_postgres, open_postgres_for_reading, open_sqlite, open_sqlite_for_reading,
};
use super::{MemoryStore, RetentionLimits, Store, StoreError, StoreReader, StoreUrl};
use futures_core::future::BoxFuture;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Options for opening a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// How much a store in memory keeps.
    pub retention: RetentionLimits,
    /// Accepts a SQLite database although the id file next to it names another database, or creates a new one in its
    /// place.
    pub accept_other: bool,
    /// Accepts a SQLite database that was not closed and whose write-ahead log is gone.
    pub accept_lost_wal: bool,
    /// How often the pages of a SQLite database are checked in the background.
    pub integrity_interval: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            retention: RetentionLimits::default(),
            accept_other: false,
            accept_lost_wal: false,
            integrity_interval: Duration::from_mins(15),
        }
    }
}

/// Opens a store, and creates its database and tables if they are missing. The database belongs to this server until
/// the store is dropped.
///
/// # Errors
/// [`StoreError::Unusable`] if nothing can be opened under that name, or another database belongs there;
/// [`StoreError::OtherVersion`] if another version of the program made the tables; [`StoreError::Taken`] if another
/// server has the database open; and [`StoreError::Unavailable`] if a retry may succeed.
///
/// The futures of this module are boxed, because each crate that awaits an `async` function compiles it again.
pub fn open_store_with<'a>(
    url: &'a StoreUrl,
    options: &'a OpenOptions,
) -> BoxFuture<'a, Result<Arc<dyn Store>, StoreError>> {
    Box::pin(async move {
        let store: Arc<dyn Store> = match url {
            StoreUrl::Memory => Arc::new(MemoryStore::new(options.retention)),
            StoreUrl::Sqlite(path) => open_sqlite(path, options).await?,
            StoreUrl::Postgres(_) => open_postgres(url).await?,
        };
        Ok(store)
    })
}

/// Opens a store as [`open_store_with`] does, with default options except for the memory limits.
///
/// # Errors
/// As for [`open_store_with`].
pub async fn open_store(url: &StoreUrl, retention: RetentionLimits) -> Result<Arc<dyn Store>, StoreError> {
    open_store_with(url, &OpenOptions { retention, ..OpenOptions::default() }).await
}

/// Opens a store for reading only, also while a server uses it.
///
/// # Errors
/// [`StoreError::Unusable`] if there is nothing to read, and as for [`open_store_with`].
pub fn open_reader(url: &StoreUrl) -> BoxFuture<'_, Result<Arc<dyn StoreReader>, StoreError>> {
    open_reader_with(url, false)
}

/// Opens a store as [`open_reader`] does. `accept_lost_wal` accepts a SQLite database that was not closed and whose
/// write-ahead log is gone.
///
/// # Errors
/// As for [`open_reader`].
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

/// Copies a SQLite database into an empty file, also while a server writes to it.
///
/// # Errors
/// If the database cannot be read, or the copy not be written.
pub fn back_up<'a>(database: &'a Path, copy: &'a Path) -> BoxFuture<'a, Result<(), StoreError>> {
    Box::pin(copy_database(database, copy))
}
