//! A copy of a database that is in use.

use super::db_error::{self, store_error_of};
use super::reading_options;
use crate::StoreError;
use sqlx::{ConnectOptions, Connection};
use std::fs::File;
use std::path::Path;

/// Copies a database as it is at this moment into an empty file, also while a server writes to it: what a server has
/// announced by now is in it. SQLite makes the copy in one transaction that only reads, so that nobody waits for it; the
/// write-ahead log of the database grows meanwhile. The copy is packed, and on the disk when this returns.
pub(crate) async fn copy_database(database: &Path, copy: &Path) -> Result<(), StoreError> {
    let at_open = |error| db_error::open_error_of(database, error);
    let mut connection = reading_options(database).connect().await.map_err(at_open)?;
    let copied = sqlx::query("VACUUM INTO $1").bind(copy.to_string_lossy()).execute(&mut connection).await;
    copied.map_err(at_open)?;
    connection.close().await.map_err(store_error_of)?;
    let synced = File::open(copy).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::Unusable(format!("{}: {error}", copy.display())))
}
