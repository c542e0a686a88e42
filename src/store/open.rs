//! Opens the store that is named.

use super::sql::{open_postgres, open_sqlite};
use super::{MemoryStore, RetentionLimits, Store, StoreError, StoreUrl};
use std::sync::Arc;
use std::time::Duration;

/// How a store is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// How much a store in memory keeps, which forgets.
    pub room: RetentionLimits,
    /// Takes a database of SQLite although the file beside it names another one, or begins a new one in its place.
    pub accept_other: bool,
    /// How often the pages of a database of SQLite are checked in the background.
    pub integrity_interval: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            room: RetentionLimits::default(),
            accept_other: false,
            integrity_interval: Duration::from_mins(15),
        }
    }
}

/// Opens a store. A database is made if there is none, its tables are brought up to date, and it belongs to this server
/// until the store is dropped.
///
/// # Errors
/// [`StoreError::Unusable`] if nothing can be opened under that name, or another database belongs there;
/// [`StoreError::Newer`] if the tables are of a newer program, [`StoreError::TakenSlots`] if another server has the database
/// open, and [`StoreError::Unavailable`] if it can be used later, perhaps.
pub async fn open_store_with(url: &StoreUrl, options: &OpenOptions) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match url {
        StoreUrl::Memory => Arc::new(MemoryStore::new(options.room)),
        StoreUrl::Sqlite(path) => open_sqlite(path, options).await?,
        StoreUrl::Postgres(_) => open_postgres(url).await?,
    })
}

/// Opens a store as [`open_store_with`] does, with the defaults but for the room.
///
/// # Errors
/// As for [`open_store_with`].
pub async fn open_store(url: &StoreUrl, room: RetentionLimits) -> Result<Arc<dyn Store>, StoreError> {
    open_store_with(url, &OpenOptions { room, ..OpenOptions::default() }).await
}
