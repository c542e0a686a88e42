//! The tables of a database: whose they are, and of which version.

use super::db_error::{is_foreign_schema_error, open_error_of, store_error_of};
use super::id_file::{IdFile, generate_id};
use crate::StoreError;
use crate::sql::migrations::{self, KNOWN, missing_migrations};
use sqlx::SqliteConnection;
use std::path::Path;

/// The first version whose databases have an id.
const FIRST_WITH_ID: i64 = 7;

/// Brings the tables up to date and takes the database for this server, if it is the one that belongs here. Returns the
/// server's epoch.
pub(super) async fn migrate_and_claim(
    connection: &mut SqliteConnection,
    path: &Path,
    id_file: &IdFile,
) -> Result<i64, StoreError> {
    let at_open = |error| open_error_of(path, error);
    let found = table_version(connection, path).await?;
    let missing = missing_migrations(migrations::SQLITE, found)?;
    let id: Option<String> = if found < FIRST_WITH_ID {
        None
    } else {
        sqlx::query_scalar("SELECT database_id FROM server")
            .fetch_one(&mut *connection)
            .await
            .map_err(at_open)?
    };
    id_file.check(id.as_deref())?;
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await.map_err(at_open)?;
    if mode != "wal" {
        return Err(StoreError::Unusable(format!(
            "{} lies where SQLite can keep no write-ahead log: name a file on a local disk",
            path.display()
        )));
    }
    // A row that breaks a rule of its table is named when it is read, and keeps no database from being opened.
    set_constraint_checks(connection, false).await?;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await.map_err(at_open)?;
    for migration in missing {
        sqlx::raw_sql(*migration).execute(&mut *connection).await.map_err(store_error_of)?;
    }
    let (epoch, id): (i64, String) = sqlx::query_as(
        "INSERT INTO server (id, schema_version, epoch, database_id) VALUES (1, $1, 1, $2)
        ON CONFLICT DO UPDATE SET schema_version = excluded.schema_version, epoch = epoch + 1,
            database_id = coalesce(database_id, excluded.database_id)
        RETURNING epoch, database_id",
    )
    .bind(i64::from(KNOWN))
    .bind(generate_id())
    .fetch_one(&mut *connection)
    .await
    .map_err(store_error_of)?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
    set_constraint_checks(connection, true).await?;
    // Only now: where there is such a file, there is a database.
    id_file.write(&id)?;
    Ok(epoch)
}

/// Says whether changes of tables and rows have to obey the rules of the tables.
async fn set_constraint_checks(connection: &mut SqliteConnection, on: bool) -> Result<(), StoreError> {
    let pragma =
        if on { "PRAGMA ignore_check_constraints = OFF" } else { "PRAGMA ignore_check_constraints = ON" };
    sqlx::query(pragma).execute(connection).await.map(drop).map_err(store_error_of)
}

/// Returns the version of the tables, without touching anything.
pub(super) async fn table_version(connection: &mut SqliteConnection, path: &Path) -> Result<i64, StoreError> {
    let at_open = |error| open_error_of(path, error);
    let tables: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'table'")
        .fetch_all(&mut *connection)
        .await
        .map_err(at_open)?;
    if tables.is_empty() {
        return Ok(0);
    }
    let others = || {
        let name = path.display();
        StoreError::Unusable(format!(
            "{name} holds the tables of another program: name another file, or a new one"
        ))
    };
    if !tables.iter().any(|name| name == "server") {
        return Err(others());
    }
    let version = sqlx::query_scalar("SELECT schema_version FROM server").fetch_optional(connection).await;
    match version {
        Ok(Some(version)) => Ok(version),
        Ok(None) => Err(others()),
        Err(error) if is_foreign_schema_error(&error) => Err(others()),
        Err(error) => Err(at_open(error)),
    }
}
