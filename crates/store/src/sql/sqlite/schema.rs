//! Creates the tables, reads their version, and claims them for this server.

use super::db_error::{open_error_of, store_error_of};
use super::id_file::{CommitMark, IdFile, generate_id};
use crate::StoreError;
use crate::sql::schema::{SCHEMA_VERSION, check_version, foreign_tables_error, read_version};
use sqlx::{Sqlite, SqliteConnection};
use std::path::Path;

/// Creates the tables if they are missing, and claims the database for this server if its id is the one in the id file.
/// Returns the server's epoch.
pub(super) async fn create_and_claim_schema(
    connection: &mut SqliteConnection,
    path: &Path,
    id_file: &mut IdFile,
) -> Result<i64, StoreError> {
    let open_error = |error| open_error_of(path, error);
    let found = table_version(connection, path).await?;
    let mut id: Option<String> = None;
    if let Some(version) = found {
        check_version(version)?;
        let named = sqlx::query_scalar("SELECT database_id FROM server").fetch_one(&mut *connection).await;
        id = Some(named.map_err(open_error)?);
    }
    id_file.check(id.as_deref())?;
    id_file.check_newest(connection).await?;
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *connection)
        .await
        .map_err(open_error)?;
    if mode != "wal" {
        return Err(StoreError::Unusable(format!(
            "SQLite cannot keep a write-ahead log for {}: name a file on a local disk",
            path.display()
        )));
    }
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await.map_err(open_error)?;
    if found.is_none() {
        let tables = sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *connection).await;
        tables.map_err(store_error_of)?;
    }
    let numbers = "SELECT count(*) FROM pragma_table_info('server') WHERE name = 'commit_number'";
    let has_numbers: i64 =
        sqlx::query_scalar(numbers).fetch_one(&mut *connection).await.map_err(store_error_of)?;
    if has_numbers == 0 {
        // The tables may have been created by a version of the program that did not number commits.
        let add = "ALTER TABLE server ADD COLUMN commit_number INTEGER NOT NULL DEFAULT 0";
        sqlx::query(add).execute(&mut *connection).await.map_err(store_error_of)?;
    }
    let (epoch, id, commit): (i64, String, i64) = sqlx::query_as(
        "INSERT INTO server (id, schema_version, epoch, database_id) VALUES (1, $1, 1, $2)
        ON CONFLICT DO UPDATE SET epoch = epoch + 1, commit_number = commit_number + 1
        RETURNING epoch, database_id, commit_number",
    )
    .bind(SCHEMA_VERSION)
    .bind(generate_id())
    .fetch_one(&mut *connection)
    .await
    .map_err(store_error_of)?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
    // After this, the database file itself contains the tables, even if its log is lost.
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut *connection).await.map_err(store_error_of)?;
    // The id file is written last: if it exists, the database exists, and if it says that the database is open, the log
    // exists too.
    id_file.mark_open(&id, CommitMark::numbered(commit))?;
    Ok(epoch)
}

/// Returns the version of the tables, if they exist. Changes nothing.
pub(super) async fn table_version(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Option<i64>, StoreError> {
    let open_error = |error| open_error_of(path, error);
    let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut *connection)
        .await
        .map_err(open_error)?;
    if tables.is_empty() {
        return Ok(None);
    }
    if !tables.iter().any(|name| name == "server") {
        return Err(foreign_tables_error(path.display()));
    }
    let version = sqlx::query_scalar("SELECT schema_version FROM server").fetch_optional(connection).await;
    read_version::<Sqlite>(version, path.display(), open_error).map(Some)
}
