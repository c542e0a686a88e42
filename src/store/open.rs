//! Opens the store that is named.

use super::postgres::PostgresStore;
use super::sqlite::SqliteStore;
use super::{MemoryStore, Room, Store, StoreError, StoreUrl};
use std::sync::Arc;

/// Opens a store. A database is made if there is none, its tables are brought up to date, and it belongs to this server
/// until the store is dropped. `room` is for the store in memory, which forgets.
///
/// # Errors
/// [`StoreError::Unusable`] if nothing can be opened under that name, [`StoreError::Newer`] if the tables are of a newer
/// program, [`StoreError::Taken`] if another server has the database open, and [`StoreError::Unavailable`] if it can be
/// used later, perhaps.
pub async fn open(url: &StoreUrl, room: Room) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match url {
        StoreUrl::Memory => Arc::new(MemoryStore::new(room)),
        StoreUrl::Sqlite(path) => Arc::new(SqliteStore::open(path).await?),
        StoreUrl::Postgres(_) => Arc::new(PostgresStore::open(url).await?),
    })
}
