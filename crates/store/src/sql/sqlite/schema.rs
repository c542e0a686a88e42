//! The tables of a database: whose they are, and of which version.

use super::db_error::{open_error_of, store_error_of};
use super::id_file::{IdFile, generate_id};
use crate::StoreError;
use crate::sql::schema::{SCHEMA_VERSION, check_version, foreign_tables_error, read_version};
use sqlx::{Sqlite, SqliteConnection};
use std::path::Path;

/// Creates the tables if they are missing and claims the database for this server, if its id is the one in the file beside it.
/// Returns the server's epoch.
pub(super) async fn make_and_claim(
    connection: &mut SqliteConnection,
    path: &Path,
    id_file: &IdFile,
) -> Result<i64, StoreError> {
    let at_open = |error| open_error_of(path, error);
    let found = table_version(connection, path).await?;
    let mut id: Option<String> = None;
    if let Some(version) = found {
        check_version(version)?;
        let named = sqlx::query_scalar("SELECT database_id FROM server").fetch_one(&mut *connection).await;
        id = Some(named.map_err(at_open)?);
    }
    id_file.check(id.as_deref())?;
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await.map_err(at_open)?;
    if mode != "wal" {
        return Err(StoreError::Unusable(format!(
            "{} lies where SQLite can keep no write-ahead log: name a file on a local disk",
            path.display()
        )));
    }
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await.map_err(at_open)?;
    if found.is_none() {
        let tables = sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *connection).await;
        tables.map_err(store_error_of)?;
    }
    let (epoch, id): (i64, String) = sqlx::query_as(
        "INSERT INTO server (id, schema_version, epoch, database_id) VALUES (1, $1, 1, $2)
        ON CONFLICT DO UPDATE SET epoch = epoch + 1 RETURNING epoch, database_id",
    )
    .bind(SCHEMA_VERSION)
    .bind(generate_id())
    .fetch_one(&mut *connection)
    .await
    .map_err(store_error_of)?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
    // Only now: where there is such a file, there is a database.
    id_file.write(&id)?;
    Ok(epoch)
}

/// Returns the version of the tables, if there are any, without touching anything.
pub(super) async fn table_version(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Option<i64>, StoreError> {
    let at_open = |error| open_error_of(path, error);
    let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut *connection)
        .await
        .map_err(at_open)?;
    if tables.is_empty() {
        return Ok(None);
    }
    if !tables.iter().any(|name| name == "server") {
        return Err(foreign_tables_error(path.display()));
    }
    let version = sqlx::query_scalar("SELECT schema_version FROM server").fetch_optional(connection).await;
    read_version::<Sqlite>(version, path.display(), at_open).map(Some)
}
