//! Copies a database in use.

use super::db_error::{self, store_error_of};
use super::reading_options;
use crate::StoreError;
use sqlx::{ConnectOptions, Connection};
use std::fs::File;
use std::path::Path;

/// Copies a database into an empty file, even while a server writes to the database. The copy contains everything that
/// was committed before. SQLite copies in one read transaction, which does not block writers, but the write-ahead log grows
/// in the meantime. The copy is compact, and it has been synced to disk when this function returns.
pub(crate) async fn copy_database(database: &Path, copy: &Path) -> Result<(), StoreError> {
    let open_error = |error| db_error::open_error_of(database, error);
    let mut connection = reading_options(database).connect().await.map_err(open_error)?;
    let copied = sqlx::query("VACUUM INTO $1").bind(copy.to_string_lossy()).execute(&mut connection).await;
    copied.map_err(open_error)?;
    connection.close().await.map_err(store_error_of)?;
    let synced = File::open(copy).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::Unusable(format!("{}: {error}", copy.display())))
}
